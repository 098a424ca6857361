#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: upgrade and downgrade across a changed map layout, and limits changed at a restart, under
# load, however excludes are enforced: nothing lost, counters go on, nothing is left of the old (75 times
# each with XMCAST_LONG=1).
. "$(dirname "$0")/lib.sh"

network 3
times=${long:+75} # two of three change the layout
times=${times:-6}
# With what the unit leaves them.
unit="setpriv --bounding-set -all,+bpf,+net_admin,+net_broadcast,+perfmon"
other="$unit $build/tests/netns/layout/xmcastd-other-layout"
pins=/sys/fs/bpf/xmcast

one_directory()
{
	[ "$(ls "$pins" | wc -l)" = 1 ]
}
# Killed or stopped, then one of the other layout, or of other limits, starts.
successor()
{
	stop_daemon $([ $(($1 % 2)) = 0 ] || echo KILL)
	case $(($1 % 3)) in
	0) sed -i '/^limit/d' "$work/xmcastd.conf" ;;
	1) xmcastd=$other ;;
	2)
		xmcastd="$unit $build/daemon/xmcastd"
		echo "limit entries 3000" >>"$work/xmcastd.conf"
		;;
	esac
	daemon && not_back 239.1.1.1 && until_true 10 settled && not_back 239.1.1.1 &&
	    one_directory
}
# lived MODE ENFORCE: the whole life, in which out2 is excluded. A copy that a map excludes was due.
lived()
{
	mode=$1
	due=$(echo $2 | sed 's/fold/2/; s/lookup/3/')
	which="$mode, $2"
	xmcastd=
	check "$which: xmcastd starts" configure "interface in0 --mode $mode" "daemon --enforce $2" \
	    'group 239.1.1.2 --from in0 --to out2' 'group 239.2.0.0/16 --from in0 --to out2' \
	    'group 239.2.1.0/24 --from in0 --to out2 --source 10.9.0.0/24'
	check "$which: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1,out2 --exclude out2
	check "$which: settled" until_true 5 settled
	check "$which: frames of a group with a source" deliver -n 700 239.2.1.7 none:r0 all:r2
	before
	rm -f "$work/count.was"
	check "$which: $times successors of another layout or other limits lose nothing" during $times \
	    successor -n 50000 -r 10000 239.1.1.1 all:r0 all:r1 none:r2
	comment "$which: $times successors, $sent frames"
	check "$which: the counters went on through it all" sums $sent $((due * sent)) $((2 * sent))
	same "$which: the group has all its counts" "$sent $((due * sent))" \
	    "$(group 239.1.1.1 '"\(.frames) \(.copies)"')"
	same "$which: so has the one with a source" 700 "$(group 239.2.1.0/24 .frames)"
	check "$which: one directory of pins is left" one_directory
	stop_daemon
	check "$which: --purge" "$build/daemon/xmcastd" --purge --runtime-dir "$work/run" --bpffs "$pins"
	same "$which: ... no pin is left" 0 "$(find /sys/fs/bpf -mindepth 2 | wc -l)"
}
for mode in ${XMCAST_MODES:-native generic}; do
	for enforce in fold lookup; do
		lived $mode $enforce
	done
done
finish
