#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: beside xdp-filter (xdp-tools) behind libxdp's dispatcher: both work; our daemon is killed and
# started, the other is loaded and unloaded, and no frame is lost (cases 17, 18, 19).
tests=$(dirname "$0")/../netns
. "$tests/lib.sh"

network 2
filter()
{
	xdp-filter "$@" 2>&1
}
# hits: what the other dropped of the port that it was told to block.
hits()
{
	filter status | awk '$1 == 5555 { print $NF }'
}
# busy TIMES COMMAND...: repeats it while datagrams flow; ends with them.
busy()
{
	times=$1
	shift
	deliver -n 16000 -r 1000 239.1.1.1 all:r0 all:r1 >"$work/busy" 2>&1 &
	traffic=$!
	until_true 5 test -e "$work/progress.d"
	done=0
	while [ $done -lt "$times" ]; do
		"$@" || break
		done=$((done + 1))
	done
	kill -0 $traffic 2>/dev/null || echo "the traffic ended too early, after $done"
	wait $traffic
	rc=$?
	cat "$work/busy"
	[ $rc = 0 ] && [ $done = "$times" ]
}
reload_other()
{
	filter load -m "$mode" -p allow -f udp in0 && filter unload in0
}
restart_daemon()
{
	stop_daemon KILL && daemon && until_true 20 settled
}

for mode in native skb; do
	our=$(echo $mode | sed 's/skb/generic/')
	check "$our: xmcastd starts" configure "interface in0 --mode $our"
	check "$our: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1
	check "$our: active" until_true 5 is active group 239.1.1.1 .state
	attach=$(iface in0 .attach)
	if [ "$attach" != dispatcher ]; then
		why=$(ctl list-interfaces | sed -n 's/^in0: //p')
		comment "$our: alone: $why"
		check "$our: another program is refused, not displaced" sh -c "
		    ! xdp-filter load -m $mode in0 && xdp-loader status in0 | grep -q xmcast_ingress"
		check "$our: forwarding goes on" deliver 239.1.1.1 all:r0 all:r1
		continue
	fi
	check "$our: the other is loaded beside ours" filter load -m $mode -p allow -f udp in0
	check "$our: the other is told to block a port" filter port 5555 -p udp -m dst
	check "$our: what it lets through is forwarded" deliver -n 2000 239.1.1.1 all:r0 all:r1
	before
	check "$our: what it blocks is not" deliver -n 100 -w 0 -d 3 -p 5555 239.1.1.1 none:r0 none:r1
	same "$our: ... it says" 100 "$(hits)"
	same "$our: ... ours never saw them" 0 "$(($(stat .received) - $(jq .received "$work/before.json")))"
	check "$our: xmcastd is killed and started beside the other, under load" busy 5 restart_daemon
	check "$our: the other is unloaded" filter unload in0
	check "$our: the other is loaded and unloaded 5 times under load" busy 5 reload_other
done
finish
