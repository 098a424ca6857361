#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: each counted reason that a host without hardware can provoke is named by stats, trace and explain (cases 2, 4, 8, 9).
. "$(dirname "$0")/lib.sh"

# trace OPTION...: begins to trace in the background, and waits until it has begun.
trace()
{
	: >"$work/trace"
	setpriv --pdeathsig KILL "$build/cli/xmcastctl" --json trace "$@" >"$work/trace" 2>&1 &
	tracer=$!
	until_true 30 begun
}
begun()
{
	bpftool -j prog show id "$(ip -j link show "${ingress:-in0}" | jq -r '.[0].xdp.prog.id')" |
	    grep -q xmcast_ingress_traced
}
over()
{
	until_true 30 test ! -d "/proc/$tracer"
	wait $tracer
}
# in_trace REASON [IF]: a traced frame, or its copy for that interface, has the reason.
in_trace()
{
	jq -e -s --arg r "$1" --arg i "${2:-}" 'any(.[].frame // {};
	    .reason == $r or any(.egress[]?; .interface == $i and
	    (.reason == $r or ((.detail // "") | contains($r)))))' "$work/trace" || {
		cat "$work/trace"
		return 1
	}
}
# in_explain REASON GROUP [OPTION...]: explain names it, as what will be or as what has been.
in_explain()
{
	reason=$1
	shift
	ctl explain --from "${ingress:-in0}" --group "$@" | tee /dev/stderr | grep -q -- "$reason"
}
in_stats()
{
	[ "$(dropped "$1")" -gt 0 ] && ctl stats | grep -q "dropped $1: "
}
# named REASON IF GROUP [OPTION...]: by all three.
named()
{
	reason=$1
	interface=$2
	shift 2
	over
	check "$reason: named by stats" until_true 10 in_stats "$reason"
	check "... by trace" in_trace "$reason" "$interface"
	check "... by explain" until_true 10 in_explain "$reason" "$@"
}
# while_stopped COMMAND...: a moment in which the daemon has not heard of a change yet.
while_stopped()
{
	kill -STOP "$daemon_pid"
	"$@"
	deliver -n 5 "$group" none:r0 >"$work/out" 2>&1
	kill -CONT "$daemon_pid"
}

network 3
ip link set out2 mtu 1000
ip -n r2 link set r2 mtu 1000
configure 'group 239.1.1.1 --from in0 --to out0' 'group 239.1.1.2 --from in0 --to out0,out2' \
    'interface in0 --mode native'
until_true 10 settled

before
trace 239.1.1.2 --count 5
deliver -n 5 -b 1200,1300 239.1.1.2 all:r0 none:r2 >"$work/out" || not_ok "frames arrive" "$work/out"
named too-big out2 239.1.1.2 --size 1400

group=239.1.1.1
before
trace $group --count 5
while_stopped ip link set out0 down
over
ip link set out0 up
until_true 10 is ready egress_state $group out0
named link-down out0 $group

before
trace $group --count 5
while_stopped ns r0 ethtool -K r0 gro off
over
ns r0 ethtool -K r0 gro on
until_true 10 is ready egress_state $group out0
named not-supported out0 $group

before
ip link set out0 down
until_true 10 is down egress_state $group out0
trace $group --count 5
deliver -n 5 $group none:r0 >"$work/out" 2>&1
named no-egress out0 $group
ip link set out0 up
until_true 10 is ready egress_state $group out0

# An exclude map.
configure 'daemon --enforce lookup' 'group 239.1.1.1 --from in0 --to out0,out1 --exclude out1' \
    'interface in0 --mode native'
until_true 10 settled
before
trace $group --count 5 --from in0
deliver -n 5 $group all:r0 none:r1 >"$work/out" || not_ok "frames arrive" "$work/out"
named excluded out1 $group
finish
