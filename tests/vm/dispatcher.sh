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
# under_load TIMES COMMAND: while datagrams flow, as fast as an emulated guest has time for both.
under_load()
{
	during "$1" "$2" -n 1500 -r 300 239.1.1.1 all:r0 all:r1
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
	# Not .received: the hosts' own chatter gets through.
	same "$our: ... ours never saw them" 0 "$(($(stat .matched) - $(jq .matched "$work/before.json")))"
	check "$our: xmcastd is killed and started beside the other, twice, under load" under_load 2 restart_daemon
	comment "$sent datagrams to each receiver"
	check "$our: the other is unloaded" filter unload in0
	check "$our: the other is loaded and unloaded twice under load" under_load 2 reload_other
	comment "$sent datagrams to each receiver"
done
finish
