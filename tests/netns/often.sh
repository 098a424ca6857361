#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: an interface that flaps does not fill the log, hides no other's lines, and monitors miss nothing (case 25).
. "$(dirname "$0")/lib.sh"

flaps=15
network 3
configure 'group 239.1.1.1 --from in0 --to out0,out1,out2' 'interface in0 --mode native'
until_true 10 settled
setpriv --pdeathsig KILL "$build/cli/xmcastctl" monitor >"$work/events" 2>&1 &
# Until it listens, out2's changes are for it alone to see.
heard()
{
	ip link set out2 down
	until_true 5 is down egress_state 239.1.1.1 out2
	ip link set out2 up
	until_true 5 is ready egress_state 239.1.1.1 out2
	grep ' ready out2' "$work/events"
}
check "monitor listens" until_true 30 heard
: >"$work/daemon.log"
flap_all()
{
	for i in $(seq $flaps); do
		ip link set out0 down
		until_true 5 is down egress_state 239.1.1.1 out0 || return 1
		ip link set out0 up
		until_true 5 is ready egress_state 239.1.1.1 out0 || return 1
	done
}
in_log()
{
	grep -c "$1" "$work/daemon.log"
}
check "$flaps flaps" flap_all
monitored()
{
	grep -c "ready out0" "$work/events"
}
check "a monitor sees each" until_true 5 is $((2 * flaps)) monitored
same "the log has the first ten" "$(in_log 'ready interface out0')" 10
same "... and says once that it leaves out others" "$(in_log '^xmcastd: out0 changes often: .*xmcastctl monitor')" 1
ip link set out1 down
until_true 5 is down egress_state 239.1.1.1 out1
same "another interface is logged as ever" "$(in_log 'not-ready interface out1: down')" 1
finish
