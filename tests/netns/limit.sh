#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: interfaces beyond `limit interfaces`: they are left out, with the reason, and nothing else is;
# when one goes, one that waits takes its place.
. "$(dirname "$0")/lib.sh"

# state IF REASON: until list-groups says so.
state()
{
	until_true 5 is "$2" egress_state 239.1.1.1 "$1"
}
status()
{
	ctl --json status | jq -r "$1"
}
says_problem()
{
	status .problem | grep "limit interfaces 4"
}
# left_out_events IF: how many there were, in this mode.
left_out_events()
{
	grep -c "not-ready interface $1: interfaces-limit" "$work/daemon.log"
}
# no_trace: nobody complains any more.
no_trace()
{
	is null status .problem
}
# one_of_two: of out1 and out3 exactly one is ready, the other left out.
one_of_two()
{
	printf '%s\n' "$(egress_state 239.1.1.1 out1)" "$(egress_state 239.1.1.1 out3)" | sort |
	    tr '\n' ' ' | grep '^interfaces-limit ready $'
}

network 3
for mode in generic native; do
	check "$mode: room for in0 and three" configure 'limit interfaces 4' \
	    "interface in0 --mode $mode"
	set -f
	check "... a pattern" ctl add-group 239.1.1.1 --from in0 --to out*
	set +f
	: >"$work/daemon.log"
	receiver 3
	check "one more comes: interfaces-limit" state out3 interfaces-limit
	check "... an event tells" until_true 5 is 1 left_out_events out3
	check "... status says so" until_true 5 says_problem
	ctl doctor >"$work/doctor"
	check "... doctor says so" grep 'problem .*interfaces.*out3' "$work/doctor"
	ip link set out0 down
	check "one goes down: down" state out0 down
	check "... the others get all" deliver 239.1.1.1 none:r0 all:r1 all:r2 none:r3
	ip link set out0 up
	check "... and is back" state out0 ready
	check "a group that names one of them is told of no error" \
	    ctl add-group 239.1.1.2 --from in0 --to out2
	same "... nor is it told again that one is left out" "$(left_out_events out3)" 1
	ip link del out1
	receiver 1
	check "one is made anew: it, or who waited, is left out" until_true 5 one_of_two
	check "... status says that not all is as wanted" until_true 5 is false status .settled
	roles='all:r1 none:r3'
	is ready egress_state 239.1.1.1 out1 >/dev/null || roles='none:r1 all:r3'
	check "... who is ready gets all" deliver 239.1.1.1 all:r0 all:r2 $roles
	ip link del out3
	check "the surplus goes: who waits takes its place" state out1 ready
	check "... all get all" deliver 239.1.1.1 all:r0 all:r1 all:r2
	check "... no problem is left" until_true 5 no_trace
done

ctl del-group 239.1.1.2 >/dev/null
pair in1 s s1
ip -n s addr add 10.9.1.2/24 dev s1
set -f
check "an ingress comes, and no room is left" ctl add-group 239.1.1.4 --from in1 --to out*
set +f
check "... failed, and says why" until_true 5 is failed group 239.1.1.4 .state
check "... status says so" until_true 5 says_problem
ip link del out2
check "there is room: active" until_true 5 is active group 239.1.1.4 .state
check "... it forwards" deliver -i s1 239.1.1.4 all:r0 all:r1
check "... as the other does" deliver 239.1.1.1 all:r0 all:r1
finish
