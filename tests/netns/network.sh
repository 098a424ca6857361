# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by lib.sh: makes the interfaces, runs the daemon, asks it.

# ns NS COMMAND...: runs it in a namespace. Not `ip netns exec`, which hides bpffs.
ns()
{
	name=$1
	shift
	nsenter --net="/run/netns/$name" "$@"
}

# host NS: a namespace of that name, made when it is not there.
host()
{
	[ -e "/run/netns/$1" ] || {
		ip netns add "$1"
		ip -n "$1" link set lo up
	}
}

# pair NAME NS PEER: a veth NAME here, its other end PEER in NS.
pair()
{
	host "$2"
	ip link add "$1" type veth peer name "$3" netns "$2"
	ip link set "$1" up
	ip -n "$2" link set "$3" up
}

# sender: the input veth.
sender()
{
	pair in0 s s0
	sender_addresses
}

# sender_addresses: those of s0 are 10.9.0.2-4 and fd09::2-4, to test sources.
sender_addresses()
{
	for i in 2 3 4; do
		ip -n s addr add 10.9.0.$i/24 dev s0
		ip -n s addr add fd09::$i/64 dev s0 nodad
	done
	ip -n s link set s0 address 02:09:00:00:00:02
	ip -n s route add 224.0.0.0/4 dev s0
}

# receiver I: out$I here, r$I in namespace r$I. XMCAST_GRO=off: leaves the veth as Debian
# makes it, without GRO, so that its peer has no NAPI.
receiver()
{
	pair "out$1" "r$1" "r$1"
	receiver_addresses "$1"
	[ "${XMCAST_GRO:-on}" = off ] || ns "r$1" ethtool -K "r$1" gro on
}

# receiver_addresses I
receiver_addresses()
{
	ip -n "r$1" addr add "10.$((100 + $1 / 250)).$(($1 % 250)).2/24" dev "r$1"
	ip -n "r$1" addr add "fd10:$1::2/64" dev "r$1" nodad
	# The copies keep the sender's address, for which this host has no route.
	ns "r$1" sh -c 'echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
		echo 0 >/proc/sys/net/ipv4/conf/'"r$1"'/rp_filter'
}

# network N: a sender and N receivers, all up.
network()
{
	sender
	i=0
	while [ $i -lt "$1" ]; do
		receiver $i
		i=$((i + 1))
	done
	until_true 5 carriers
}

# carriers: every interface that is set up has its carrier.
carriers()
{
	! ip -o link show up | grep -q 'NO-CARRIER'
}

# outs N: "out0,out1,..." of N interfaces.
outs()
{
	seq -s, -f 'out%g' 0 $(($1 - 1))
}

# traced OPTION...: strace, under which the leak sanitizer does not work.
traced()
{
	ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace "$@"
}

# daemon [OPTION...]: starts xmcastd (or what $xmcastd says) here and waits until it answers.
daemon()
{
	[ -e "$work/xmcastd.conf" ] || : >"$work/xmcastd.conf"
	${xmcastd:-"$build/daemon/xmcastd"} --config "$work/xmcastd.conf" --runtime-dir "$work/run" \
	    --bpffs /sys/fs/bpf/xmcast "$@" >>"$work/daemon.log" 2>&1 &
	daemon_pid=$!
	until_true 20 daemon_answers || {
		cat "$work/daemon.log"
		return 1
	}
}
daemon_answers()
{
	kill -0 "$daemon_pid" 2>/dev/null || {
		deadline=0
		echo "xmcastd is gone"
		return 1
	}
	ctl status
}

# stop_daemon [SIGNAL]: ends it and waits until it is gone.
stop_daemon()
{
	kill -s "${1:-TERM}" "$daemon_pid"
	wait "$daemon_pid"
	daemon_pid=
}

# configure LINE...: a daemon that starts anew, from nothing, with these lines as its configuration.
configure()
{
	[ -z "${daemon_pid:-}" ] || stop_daemon
	"$build/daemon/xmcastd" --purge --runtime-dir "$work/run" --bpffs /sys/fs/bpf/xmcast >/dev/null
	rm -rf "$work/run"
	printf '%s\n' "$@" >"$work/xmcastd.conf"
	daemon
}

# other_enforcer: fold becomes lookup in the configuration, or the other way.
other_enforcer()
{
	sed -i 's/enforce fold/enforce new/; s/enforce lookup/enforce fold/; s/enforce new/enforce lookup/' \
	    "$work/xmcastd.conf"
}

export XMCAST_SOCKET=$work/run/io.xmcast.Control
ctl()
{
	"$build/cli/xmcastctl" "$@"
}

# stat FILTER: one number or text out of `stats`; iface IF FILTER: out of one interface;
# group ADDR FILTER: out of a group (the first of that address).
stat()
{
	ctl --json stats | jq -r "$1"
}
iface()
{
	ctl --json list-interfaces | jq -r --arg i "$1" \
	    ".interfaces[] | select(.interface == \$i) | $2"
}
group()
{
	ctl --json list-groups | jq -r --arg a "$1" "[.groups[] | select(.address == \$a)][0] | $2"
}

# What the daemon said, and what it says now of the groups and of the frames: every count but 0.
state_at_failure()
{
	[ -s "$work/daemon.log" ] || return 0
	echo 'xmcastd said:'
	tail -15 "$work/daemon.log"
	timeout 5 "$build/cli/xmcastctl" --json status |
	    jq -c '"status", {settled, problem, groups, entries, sets}' || return 0
	timeout 5 "$build/cli/xmcastctl" --json list-groups | jq -c '.groups[:8][] | .address, {from, state,
	    frames, copies, exclude, egress: [.egress[:8][] | "\(.interface) \(.reason // "ready")"]}'
	timeout 5 "$build/cli/xmcastctl" --json stats |
	    jq -c '"stats", del(.. | select(. == 0)) | del(.. | select(. == {}))'
	timeout 5 "$build/cli/xmcastctl" --json list-groups | jq -r '.groups[:3][] |
	    "--from \(.from) --group \(.address)"' | while read -r frame; do
		timeout 5 "$build/cli/xmcastctl" explain $frame </dev/null
	done
}

# is VALUE COMMAND...: true when the command prints that value. For until_true and check.
is()
{
	want=$1
	shift
	got=$("$@" 2>&1)
	echo "$*: $got, wanted: $want"
	[ "$got" = "$want" ]
}

# at_least NUMBER COMMAND...: the same for a count that the kernels' own chatter may add to.
at_least()
{
	want=$1
	shift
	got=$("$@" 2>&1)
	echo "$*: $got, wanted at least: $want"
	[ "$got" -ge "$want" ]
}

# egress_state ADDR IF: "ready" or the reason why not, as list-groups tells.
egress_state()
{
	group "$1" ".egress[] | select(.interface == \"$2\") | if .ready then \"ready\" else .reason end"
}
# said_problem: what could not be done, `null` nothing.
said_problem()
{
	ctl --json status | jq -r .problem
}
# settled: wanted is actual.
settled()
{
	[ "$(ctl --json status | jq -r .settled)" = true ]
}
