#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: the main job, small: one group, two receivers, native and generic, counted.
. "$(dirname "$0")/lib.sh"

network 3

for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode" \
	    'group 239.9.9.9 --from in0 --to out2'
	check "$mode: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1
	check "$mode: ... is active" until_true 5 is active group 239.1.1.1 .state
	check "$mode: ... in that mode" is $mode iface in0 .mode
	before
	check "$mode: both receivers get every datagram once, others none" \
	    deliver -n 2000 239.1.1.1 all:r0 all:r1 none:r2
	check "$mode: the statistics say the same" sums 2000 4000
	check "$mode: so does the group" is 2000,4000 group 239.1.1.1 '"\(.frames),\(.copies)"'
	check "$mode: so does an egress" is 2000 iface out1 .transmitted
	check "$mode: the same group again changes nothing, and says so" sh -c "
	    '$build/cli/xmcastctl' add-group 239.1.1.1 --from in0 --to out0,out1 2>&1 | grep ."
	check "$mode: del-group" ctl del-group 239.1.1.1
	before
	check "$mode: ... nobody gets anything" deliver -w 0 -n 300 239.1.1.1 none:r0 none:r1
	check "$mode: ... counted as unmatched" until_true 3 is 300 unmatched ipv4
done
finish
