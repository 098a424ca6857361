#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: the daemon with the capabilities of its unit, and no others, can do all it must (case 31).
. "$(dirname "$0")/lib.sh"

network 2
unit=$top/systemd/xmcastd.service
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr 'A-Z ' 'a-z\n' |
    sed 's/^cap_/+/' | paste -sd,)
comment "capabilities: $capabilities"
xmcastd="setpriv --no-new-privs --bounding-set=-all,$capabilities --inh-caps=-all $build/daemon/xmcastd"

for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode" \
	    'group 239.9.9.9 --from in0 --to out0,out1'
	check "$mode: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1
	check "$mode: active" until_true 5 is active group 239.1.1.1 .state
	before
	check "$mode: forwards" deliver 239.1.1.1 all:r0 all:r1
	check "$mode: counts" sums 1000 2000
	check "$mode: its maps are pinned" is true eval 'ctl --json status | jq .pinned'
	ip link set out1 down
	check "$mode: follows links" until_true 5 is down egress_state 239.1.1.1 out1
	ip link set out1 up
	check "$mode: ... back" until_true 5 is ready egress_state 239.1.1.1 out1
	check "$mode: reload" ctl reload
	stop_daemon KILL
	check "$mode: adopts what it finds" daemon
	check "$mode: forwards" deliver 239.1.1.1 all:r0 all:r1
	check "$mode: counts on" sums 2000 4000
	check "$mode: detach" ctl detach in0
	check "$mode: ... no program" until_true 5 sh -c '! ip link show in0 | grep -q xdp'
	check "$mode: attach" ctl attach in0
	check "$mode: forwards" deliver 239.1.1.1 all:r0 all:r1
done
finish
