#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: egresses of different MTUs in one group: each gets what fits, `too-big` counts the rest,
# nobody else loses anything; and 1400 bytes arrive as well as 64 (case 7).
. "$(dirname "$0")/lib.sh"

network 3
ip link set out1 mtu 1000
ip -n r1 link set r1 mtu 1000
ip -n r2 link set r2 mtu 600 # only the peer's, which a veth drops at, too

for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode"
	check "$mode: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1,out2
	check "$mode: settled" until_true 5 settled
	before
	check "$mode: what fits all reaches all" deliver -b 64,500 239.1.1.1 all:r0 all:r1 all:r2
	check "$mode: exact" sums 1000 3000
	before
	check "$mode: what is too big for one reaches the others" \
	    deliver -b 700,900 239.1.1.1 all:r0 all:r1 none:r2
	check "$mode: exact" sums 1000 3000 2000
	check "$mode: counted" until_true 3 is 1000 dropped too-big
	check "$mode: ... at the egress that lacks them" is 1000 iface out2 '.dropped["too-big"]'
	before
	check "$mode: what is too big for two reaches the third" \
	    deliver -b 1100,1472 239.1.1.1 all:r0 none:r1 none:r2
	check "$mode: exact" sums 1000 3000 1000
	check "$mode: counted" until_true 3 is 2000 dropped too-big
	check "$mode: ... one egress lacks the large" is 1000 iface out1 '.dropped["too-big"]'
	check "$mode: ... the other all" is 2000 iface out2 '.dropped["too-big"]'
	check "$mode: one large in many small harms no small" \
	    deliver -b 64,1472 239.1.1.1 all:r0 some:r1 some:r2
	# The packet must fit the MTU as it must for its sender: 1000 - 28 is the last payload. (The
	# kernel would let 4 bytes more go, a tag whether it is there or not.)
	before
	check "$mode: the largest that fits" deliver -b 972,972 239.1.1.1 all:r0 all:r1 none:r2
	check "$mode: one byte more" deliver -b 973,973 239.1.1.1 all:r0 none:r1 none:r2
	check "$mode: exact" sums 2000 6000 3000
done
ip -n r2 link set r2 mtu 1500
check "the peer's MTU grows: all reach it" until_true 10 deliver -d 2 -n 100 -b 1100,1472 \
    239.1.1.1 all:r0 all:r2
finish
