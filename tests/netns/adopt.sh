#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: stopping, crashing and starting xmcastd does not touch forwarding: 50 kills under load (2,000
# with XMCAST_LONG=1), nothing lost, one program throughout (cases 20-22, 28, 33).
. "$(dirname "$0")/lib.sh"

network 3
times=${long:+1000}
times=${times:-25}

program()
{
	ip -d -j link show in0 | jq -r '.[0].xdp.prog.id // "none"'
}
killed_and_started_anew()
{
	stop_daemon KILL
	daemon && until_true 10 settled
}
killed_and_started()
{
	killed_and_started_anew && not_back 239.1.1.1
}

for mode in ${XMCAST_MODES:-native generic}; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode" \
	    'group 239.1.1.2 --from in0 --to out2'
	check "$mode: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1
	check "$mode: active" until_true 5 is active group 239.1.1.1 .state
	id=$(program)
	ip monitor link dev in0 >"$work/events" 2>&1 &
	monitor=$!
	before
	rm -f "$work/count.was"
	check "$mode: $times kills under load lose nothing, and no counter goes back" during $times \
	    killed_and_started -n 30000 -r 5000 239.1.1.1 all:r0 all:r1 none:r2
	comment "$mode: $times kills, $sent frames, none lost, doubled or out of order"
	check "$mode: the counters went on through it all" sums "$sent" $((2 * sent))
	same "$mode: the program is the same" "$id" "$(program)"
	kill $monitor
	same "$mode: the link was left alone" 0 "$(grep -c . "$work/events")"
	check "$mode: the runtime group is still there" is runtime group 239.1.1.1 .origin
	check "$mode: the configured one, too" is config group 239.1.1.2 .origin

	stop_daemon
	check "$mode: without a daemon it goes on" deliver -n 2000 239.1.1.1 all:r0 all:r1 none:r2
	sed -i 's/out2/out1,out2/' "$work/xmcastd.conf"
	check "$mode: started with another configuration" daemon
	check "$mode: it has it" until_true 5 settled
	check "$mode: the new egress gets all" deliver 239.1.1.2 none:r0 all:r1 all:r2

	check "$mode: a second xmcastd is refused, with the owner's pid" refused 1 "pid $daemon_pid" \
	    "$build/daemon/xmcastd" --config "$work/xmcastd.conf" --runtime-dir "$work/run" \
	    --bpffs /sys/fs/bpf/xmcast

	check "$mode: detach" ctl detach in0
	check "$mode: ... no program" until_true 5 is none program
	check "$mode: ... the groups say so" until_true 5 is detached group 239.1.1.1 .state
	stop_daemon
	check "$mode: it is still detached after a restart" daemon
	check "$mode: ... no program" is none program
	check "$mode: attach" ctl attach in0
	check "$mode: ... active" until_true 5 is active group 239.1.1.1 .state
	check "$mode: ... forwards" deliver 239.1.1.1 all:r0 all:r1 none:r2

	stop_daemon
	check "$mode: --purge" "$build/daemon/xmcastd" --purge --runtime-dir "$work/run" \
	    --bpffs /sys/fs/bpf/xmcast
	same "$mode: ... no program is left" none "$(program)"
	same "$mode: ... no pin nor directory is left" 0 "$(find /sys/fs/bpf -mindepth 2 | wc -l)"
	check "$mode: ... nor libxdp's directory" test ! -e /sys/fs/bpf/xdp
	check "$mode: ... nor the runtime directory with state and lock" test ! -e "$work/run"
	check "$mode: ... nothing is forwarded" deliver -w 0 -n 300 239.1.1.1 none:r0 none:r1
	: >"$work/daemon.log"
	rm -rf "$work/run"
	check "$mode: starts again afterwards" daemon
done

check "a foreign program on the ingress" configure ''
ip link set in0 xdp obj "$tools/kernel.bpf.o" sec xdp
foreign=$(program)
ctl add-group 239.1.1.1 --from in0 --to out0 >"$work/foreign.out" 2>&1
check "... is named where it is in the way" until_true 5 sh -c "
    '$build/cli/xmcastctl' --json list-interfaces | grep -q 'xdp_pass\\|$foreign'"
same "... and left there" "$foreign" "$(program)"
ip link set in0 xdp off
check "... gone: reattach" ctl reattach in0
check "... active" until_true 5 is active group 239.1.1.1 .state

# What an ingress asks besides the exact addresses is in its word, which a restart leaves alone: no
# frame gets to the stack, or to who is excluded.
for enforce in fold lookup; do
	check "prefixes, $enforce: xmcastd starts" configure "daemon --enforce $enforce" \
	    'interface in0 --mode native --exclude out2' 'group 239.1.0.0/16 --from in0 --to out0,out1,out2' \
	    'group 239.1.1.1 --from in0 --to out0,out1' \
	    'group 239.1.1.1 --source 10.9.0.0/24 --from in0 --to out0,out1 --exclude out1'
	check "prefixes, $enforce: settled" until_true 5 settled
	check "prefixes, $enforce: restarts with a prefix" \
	    during 6 killed_and_started_anew -n 30000 -r 10000 239.1.2.2 all:r0 all:r1 none:r2
	check "prefixes, $enforce: restarts with a source prefix" \
	    during 6 killed_and_started_anew -n 30000 -r 10000 239.1.1.1 all:r0 none:r1 none:r2
done
finish
