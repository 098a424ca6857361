#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: run.sh [--long]: builds the Debian packages, lets lintian judge them, and puts them through an
# operator's life in a fresh Debian 12 whose process 1 is systemd (--long: and in Debian 13, where
# varlinkctl talks to the daemon). The roots are kept in XMCAST_BUILD/packages.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$top/tests/packages
XMCAST_BUILD=${XMCAST_BUILD:-$top/build}
[ "${1:-}" != --long ] || XMCAST_LONG=1
export XMCAST_BUILD XMCAST_LONG="${XMCAST_LONG:-}"
work=$XMCAST_BUILD/packages
mkdir -p "$work"
. "$top/tests/lib/tap.sh"
trap 'exit 143' TERM INT HUP

# life RELEASE: what happened in that machine becomes part of our results.
life()
{
	log=$work/life-$1.log
	sh "$here/machine.sh" "$work/$1/root" "$work" sh /xmcast/tree/tests/packages/inside.sh \
	    >"$log" 2>&1
	sed "s/^\(\(not \)\{0,1\}ok [0-9]* -\) /\1 Debian $1: /; /^1\.\.[0-9]*\$/d" "$log"
	number=$((number + $(grep -cE '^(not )?ok ' "$log")))
	failures=$((failures + $(grep -c '^not ok ' "$log")))
	check "Debian $1: all of it was run" grep -q '^1\.\.' "$log"
}

# listed: the libraries that building needs, as tests/packages.txt has them.
listed()
{
	sed -n '/^# build/,/^# demo/p' "$top/tests/packages.txt" | grep -- '-dev$' |
	    grep -v '^libc6-\|^linux-libc-'
}
same "debian/control asks for what the list of packages has" "$(for package in $(listed); do
	grep -q "^ *$package[ ,]" "$top/debian/control" || echo "$package"
done)" ''

# The archive is waited for while the compiler works.
for release in 12=bookworm ${XMCAST_LONG:+13=trixie}; do
	timeout "${XMCAST_PATIENCE:-600}" sh "$here/root.sh" "$work/${release%=*}" "${release#*=}" \
	    >"$work/root-${release%=*}.log" 2>&1
done &
check "the packages build" sh "$here/build.sh" "$work/packages"
lintian --pedantic -EI "$work"/packages/*.changes >"$work/lintian.log" 2>&1
same "lintian has nothing to say" "$(grep -E '^[EWIP]:' "$work/lintian.log")" ''
wait
for release in 12 ${XMCAST_LONG:+13}; do
	if [ ! -e "$work/$release/complete" ]; then
		skip "Debian $release" "the archive did not give a fresh Debian $release in time: $(
		    tail -1 "$work/root-$release.log")"
	else
		check "Debian $release has what the packages depend on" \
		    sh "$here/fetch.sh" "$work/$release/root" "$work"/packages/xmcastd_*.deb "$work"/packages/xmcastctl_*.deb
		life "$release"
	fi
done
finish
