#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: kinds of interfaces, as ingress and as egress, by mode: what README's table says (case 15, no
# silent fallback). A kind that this kernel cannot make is skipped and says so.
. "$(dirname "$0")/lib.sh"

network 3

. "$tests/kinds-lib.sh"

# A guest's /dev has no tun until the module is there, which opening the node loads.
[ -z "${XM_IN_VM:-}" ] || [ -e /dev/net/tun ] || {
	mkdir -p /dev/net
	mknod /dev/net/tun c 10 200
}
# Egresses. A bridge leads to r1 through its port out1.
made br0 type bridge mcast_snooping 0
ip link set out1 master br0
made mv1 link out2 type macvlan mode bridge # leads to r2
ip tuntap add tap0 mode tap && ip link set tap0 up
ip tuntap add tun0 mode tun && ip link set tun0 up
until_true 5 sh -c 'bridge link show dev out1 | grep -q forwarding'

check "native: xmcastd starts" configure 'interface in0 --mode native'
check "native: egress veth" is ready as_egress native out0 239.1.0.1
check "... gets all" no_harm 239.1.0.1
check "native: egress bridge port (veth)" is ready as_egress native out1 239.1.0.2
check "... gets all" deliver 239.1.0.2 all:r0 all:r1
check "native: egress bridge" is no-xdp-xmit as_egress native br0 239.1.0.3
check "... harms nobody" no_harm 239.1.0.3
check "native: egress macvlan" is no-xdp-xmit as_egress native mv1 239.1.0.4
check "... harms nobody" no_harm 239.1.0.4
check "native: egress tap that nobody holds" is no-carrier as_egress native tap0 239.1.0.5
check "... harms nobody" no_harm 239.1.0.5
check "native: egress tun" is not-ethernet as_egress native tun0 239.1.0.6
check "... harms nobody" no_harm 239.1.0.6

check "generic: xmcastd starts" configure 'interface in0 --mode generic'
check "generic: egress veth" is ready as_egress generic out0 239.1.0.1
check "... gets all" no_harm 239.1.0.1
check "generic: egress bridge port (veth)" is ready as_egress generic out1 239.1.0.2
check "... gets all" deliver 239.1.0.2 all:r0 all:r1
ctl del-group 239.1.0.2 >/dev/null
check "generic: egress bridge" is ready as_egress generic br0 239.1.0.3
check "... gets all" deliver 239.1.0.3 all:r0 all:r1
ctl del-group 239.1.0.3 >/dev/null
check "generic: egress macvlan" is ready as_egress generic mv1 239.1.0.4
check "... gets all" deliver 239.1.0.4 all:r0 all:r2
ctl del-group 239.1.0.4 >/dev/null
check "generic: egress tun" is not-ethernet as_egress generic tun0 239.1.0.6
check "... harms nobody" no_harm 239.1.0.6

check "auto: xmcastd starts" configure ''
check "auto: a bridge among the egresses makes the ingress generic" sh -c "
    '$build/cli/xmcastctl' add-group 239.1.0.7 --from in0 --to out0,br0"
check "... said" until_true 5 is generic iface in0 .mode
check "... and why" sh -c "'$build/cli/xmcastctl' --json list-interfaces |
    jq -e '.interfaces[] | select(.interface == \"in0\") | .detail | test(\"br0\")'"
check "... all get all" deliver 239.1.0.7 all:r0 all:r1
ctl del-group 239.1.0.7 >/dev/null

# Ingresses.
ip link set out1 nomaster
ip link set in0 master br0
check "bridge port as ingress: native" configure 'interface in0 --mode native'
ctl add-group 239.1.0.8 --from in0 --to out0,out1 >/dev/null
check "... forwards" until_true 10 deliver -d 2 239.1.0.8 all:r0 all:r1
check "bridge as ingress: native is strict" configure 'interface br0 --mode native'
ctl add-group 239.1.0.9 --from br0 --to out0 >/dev/null 2>&1
check "... the group failed" until_true 5 is failed group 239.1.0.9 .state
check "... with the kernel's words" sh -c "'$build/cli/xmcastctl' --json list-groups |
    jq -e '.groups[0].detail | test(\"native\")'"
check "tap as ingress: native" configure 'interface tap0 --mode native'
ctl add-group 239.1.0.9 --from tap0 --to out0 >/dev/null 2>&1
check "... can be" until_true 5 is native iface tap0 .mode
check "tun as ingress is refused" refused 1 'tun0.*Ethernet' \
    ctl add-group 239.1.0.9 --from tun0 --to out0
check "bridge as ingress: auto says generic" configure ''
ctl add-group 239.1.0.10 --from br0 --to out0,out1 >/dev/null
check "... forwards what its ports bring" until_true 10 deliver -d 2 239.1.0.10 all:r0 all:r1
check "... mode" is generic iface br0 .mode
finish
