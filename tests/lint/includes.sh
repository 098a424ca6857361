#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may include whom. The rooms depend one way: main -> control, reconcile -> netlink,
# dataplane, config -> model; bench -> dataplane, netlink -> model; the CLI sees config's
# grammar and control's codec; main, dataplane and bench lock, and lock/ knows nobody. Only
# netlink/ knows libnl and libmnl, only dataplane/ knows libbpf and libxdp (and the BPF programs
# their own helpers).
. "$(dirname "$0")/common.sh"

# includes DIR: "FILE INCLUDED" for each quoted include of the .c and .h files of a directory.
includes()
{
	[ -d "$1" ] || return 0
	grep -rEo --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+"' "$1" |
	    sed -E 's/^([^:]+):[^"]*"([^"]+)"$/\1 \2/'
}

# allow ROOM PATTERN: what the files of ROOM may include, an extended regular expression.
allow()
{
	check "$1 includes only what is below it" \
	    "$(includes "$1" | grep -vE "^[^ ]+ ($2)\$" || true)"
}

# only DIRS HEADERS: system headers that nobody outside DIRS (regular expression) may name.
only()
{
	check "only $1 includes $3" "$(files '*.[ch]' | sed 's,^\./,,' | grep -vE "^($1)" |
	    xargs grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<($2)" || true)"
}

model='bpf/xmcast\.h|daemon/model/[a-z0-9_-]+\.h'
allow bpf 'bpf/[a-z0-9_-]+\.h|bpf/ingress\.bpf\.c|[a-z]+\.skel\.h'
allow daemon/lock 'daemon/lock/lock\.h'
allow daemon/model "$model"
allow daemon/config "$model|daemon/config/[a-z0-9_-]+\.h"
allow daemon/netlink 'daemon/netlink/[a-z0-9_-]+\.h'
allow daemon/dataplane "$model|daemon/lock/lock\.h|daemon/dataplane/[a-z0-9_-]+\.h|bpf/[a-z0-9_./-]+\.h|[a-z]+\.skel\.h"
allow daemon/control "$model|daemon/control/[a-z0-9_.-]+\.h"
allow daemon/bench "$model|daemon/lock/lock\.h|daemon/(bench|netlink|dataplane)/[a-z0-9_-]+\.h|bpf/[a-z0-9_./-]+\.h|[a-z0-9_-]+\.skel\.h"
allow cli "$model|cli/[a-z0-9_-]+\.h|daemon/(config|control)/[a-z0-9_.-]+\.h"

# The reconciler may not know who asks it.
check "the reconciler does not know the control socket" "$(for file in daemon/reconcile*.[ch]; do
	[ -f "$file" ] && grep -Hn '"daemon/\(control\|config\|bench\)/' "$file"
done)"

only 'daemon/netlink/|tests/' 'netlink/|libmnl/' 'libnl and libmnl'
only 'daemon/dataplane/|daemon/bench/|tests/' 'bpf/(libbpf|bpf|btf)\.h|xdp/' 'libbpf and libxdp'
only 'cli/|daemon/bench/|tests/' 'libsmartcols/|ncurses|gsl/' 'the libraries of the CLI'

done_checks
