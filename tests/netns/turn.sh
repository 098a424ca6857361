#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: while tracepoint programs of two directories of pins are attached, each event is counted by
# one of them: also when the turn passes on between them, for one device but not for another, or
# when what was excluded of a flush was excluded by the other's program.
. "$(dirname "$0")/lib.sh"
. "$tests/nomem-lib.sh"

network 3
pair in1 s s1
pins=/sys/fs/bpf/xmcast
# All on one CPU: what is remembered from event to event is remembered for each.
cpu=$(taskset -c -p $$ | sed 's/.*: \([0-9]*\).*/\1/')
check "one CPU: $cpu" taskset -c -p "$cpu" $$

# A successor of other limits, stopped when its tracepoint programs are attached and nothing else is.
stopped()
{
	grep -q '^State:.T' "/proc/$daemon_pid/status"
}
successor_stops()
{
	limit=$((${limit:-3000} + 1))
	sed -i '/^limit/d' "$work/xmcastd.conf"
	echo "limit entries $limit" >>"$work/xmcastd.conf"
	XMCAST_STOP_PIN=fields "$xmcastd" --config "$work/xmcastd.conf" --runtime-dir "$work/run" \
	    --bpffs "$pins" >>"$work/daemon.log" 2>&1 &
	daemon_pid=$!
	until_true 20 stopped && [ "$(ls "$pins" | wc -l)" = 2 ]
}
successor_goes_on()
{
	kill -CONT "$daemon_pid" && until_true 20 daemon_answers && until_true 10 settled &&
	    [ "$(ls "$pins" | wc -l)" = 1 ]
}
# turn_passes: from now on, at the next event of in0 that the successor is told of after others.
turn_passes()
{
	directory=$(ls "$pins")
	serial=${directory##*-}
	cookie=${directory%-*}
	beside "$work/turn.out" "$tools/turn" "$pins/$directory/counting" \
	    "$(cat /sys/class/net/in0/ifindex)" "${cookie##*-}" $((serial + 1))
	turn_pid=$!
	until_true 10 grep -q attached "$work/turn.out"
}
turn_passed()
{
	kill "$turn_pid" && wait "$turn_pid" && cat "$work/turn.out" &&
	    [ "$(tail -1 "$work/turn.out")" = $((serial + 1)) ]
}

check "xmcastd starts" configure 'daemon --enforce lookup' 'interface in0 --mode native' \
    'interface in1 --mode native' 'group 239.1.1.4 --from in0 --to out0,out1 --exclude out1' \
    'group 239.1.1.1 --from in0 --to out0,out1' 'group 239.1.1.2 --from in1 --to out0,out1' \
    'group 239.1.1.3 --from in0 --to out2'
check "... settled" until_true 5 settled

before
check "datagrams" deliver -n 100 239.1.1.1 all:r0 all:r1
stop_daemon KILL
check "nobody's event: a successor's programs are attached" successor_stops
check "... and its others" successor_goes_on
check "... datagrams" deliver -n 100 239.1.1.1 all:r0 all:r1
check "... each is counted, the first, too" sums 200 400

before
stop_daemon KILL
check "the turn will pass on within an event" turn_passes
check "... a successor's programs are attached" successor_stops
for i in 1 2 3; do
	check "... datagrams of that device ($i)" deliver -n 100 239.1.1.1 all:r0 all:r1
	check "... of one whose turn is the older's ($i)" deliver -i s1 -n 100 239.1.1.2 all:r0 all:r1
done
check "... it has passed on" turn_passed
check "... all is taken over" successor_goes_on
check "... each copy is counted once" sums 600 1200

before
stop_daemon KILL
check "... within an event that is an error" turn_passes
check "... a successor's programs are attached" successor_stops
ip link set out2 down
check "... to an egress that is down" deliver -n 100 239.1.1.3 none:r2
ip link set out2 up
check "... it has passed on" turn_passed
check "... all is taken over" successor_goes_on
check "... nothing is counted as sent" sums 100 100 0
same "... and each copy as lost, once" 100 "$(dropped link-down)"

before
stop_daemon KILL
check "... before the older's ingress programs are replaced" turn_passes
check "... a successor's programs are attached" successor_stops
for i in 1 2; do
	check "... to one, and another that is excluded ($i)" deliver -n 100 239.1.1.4 all:r0 none:r1
done
check "... it has passed on" turn_passed
check "... all is taken over" successor_goes_on
check "... what was sent is counted" sums 200 400 200
same "... and each copy as excluded, once" 200 "$(dropped excluded)"
finish
