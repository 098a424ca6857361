#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For kernels before 6.3, where nobody tells whether a driver takes redirected frames: a member whose
# driver refuses them is left out within seconds, with that reason, tried again, and back when it can.
. "$(dirname "$0")/lib.sh"

network 3
told()
{
	ctl --json list-interfaces | jq -e '[.interfaces[].xdp_features] | any(. != null)'
}
state()
{
	until_true 30 is "$2" egress_state 239.1.1.1 "$1"
}
# refused_frames: those that the driver of out2 sent back.
refused_frames()
{
	iface out2 '.dropped["no-receiver"]'
}

check "xmcastd starts" configure 'interface in0 --mode native' \
    'group 239.9.9.9 --from in0 --to out0'
if told >/dev/null; then
	skip "all of it" "this kernel tells what drivers can (6.3 and later)"
	finish
fi

ns r2 ethtool -K r2 gro off
check "a group" ctl add-group 239.1.1.1 --from in0 --to out0,out1,out2
check "settled" until_true 10 settled
check "before the first frame it counts as able" state out2 ready
check "the others get all, the peer without NAPI none" deliver 239.1.1.1 all:r0 all:r1 none:r2
check "... it is left out then: refused" state out2 refused
check "... what was refused is counted" at_least 1 refused_frames
before
check "... no further copy is due for it" deliver 239.1.1.1 all:r0 all:r1 none:r2
check "... the sums are exact" sums 1000 2000

beside "$work/events" ctl monitor
check "it is tried again" until_true 60 grep -q ' ready out2' "$work/events"
refused_before=$(refused_frames)
check "... the others get all" deliver 239.1.1.1 all:r0 all:r1 none:r2
check "... and it is left out again" until_true 30 grep -q 'not-ready out2: refused' "$work/events"
check "... with the refused frames counted" at_least $((refused_before + 1)) refused_frames

ns r2 ethtool -K r2 gro on
check "the peer gets NAPI: it is back" state out2 ready
check "... and gets all" deliver 239.1.1.1 all:r0 all:r1 all:r2
check "... it stays" deliver 239.1.1.1 all:r0 all:r1 all:r2

# Alone in its set its copies take another way through the kernel.
ns r2 ethtool -K r2 gro off
check "alone in a group" ctl add-group 239.1.1.2 --from in0 --to out2
check "settled" until_true 10 settled
deliver -n 200 -w 0 -d 1 239.1.1.2 none:r2 >"$work/deliver.out" 2>&1
check "... refused, too" until_true 30 is refused egress_state 239.1.1.2 out2
check "... the group has no egress" until_true 5 is no-egress group 239.1.1.2 .state
ns r2 ethtool -K r2 gro on
check "... back when it can" until_true 30 is active group 239.1.1.2 .state
check "... gets all" deliver 239.1.1.2 all:r2
finish
