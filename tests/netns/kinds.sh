#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: kinds of interfaces, as ingress and as egress, by mode: what README's table says. A kind that
# this kernel cannot make is skipped and says so.
. "$(dirname "$0")/lib.sh"

network 3

# made NAME IP-LINK-ARGUMENTS...: true when the kernel can make it.
made()
{
	name=$1
	shift
	ip link add "$name" "$@" 2>"$work/made.out" && ip link set "$name" up
}
unmade()
{
	skip "$1" "this kernel has none ($(head -1 "$work/made.out"))"
}

# as_egress MODE IF GROUP: ready, or the reason why not.
as_egress()
{
	ctl add-group "$3" --from in0 --to "out0,$2" >/dev/null 2>&1
	until_true 3 settled >/dev/null
	egress_state "$3" "$2"
}
# no_harm GROUP: the member beside it gets all.
no_harm()
{
	deliver "$1" all:r0 && ctl del-group "$1"
}

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
ctl del-group 239.1.0.2
check "generic: egress bridge" is ready as_egress generic br0 239.1.0.3
check "... gets all" deliver 239.1.0.3 all:r0 all:r1
ctl del-group 239.1.0.3
check "generic: egress macvlan" is ready as_egress generic mv1 239.1.0.4
check "... gets all" deliver 239.1.0.4 all:r0 all:r2
ctl del-group 239.1.0.4
check "generic: egress tun" is not-ethernet as_egress generic tun0 239.1.0.6
check "... harms nobody" no_harm 239.1.0.6

check "auto: xmcastd starts" configure ''
check "auto: a bridge among the egresses makes the ingress generic" sh -c "
    '$build/cli/xmcastctl' add-group 239.1.0.7 --from in0 --to out0,br0"
check "... said" until_true 5 is generic iface in0 .mode
check "... and why" sh -c "'$build/cli/xmcastctl' --json list-interfaces |
    jq -e '.interfaces[] | select(.interface == \"in0\") | .detail | test(\"br0\")'"
check "... all get all" deliver 239.1.0.7 all:r0 all:r1
ctl del-group 239.1.0.7

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


bond_native()
{
	[ "$(egress_state 239.1.0.11 k0)" != ready ] || deliver 239.1.0.11 all:r0 all:r1
}
# Kinds that some kernels lack. egress KIND NATIVE-REASON: k0 leads to r1.
ip link set in0 nomaster
egress()
{
	check "$1: as egress of a native ingress: $2" configure 'interface in0 --mode native'
	check "... $2" is "$2" as_egress native k0 239.1.0.11
	check "... harms nobody" no_harm 239.1.0.11
}
# forwards IF MODE: as ingress in that mode; r0 and r2 get all.
forwards()
{
	check "... as ingress: $2" configure "interface $1 --mode $2"
	check "... add-group" ctl add-group 239.1.0.12 --from "$1" --to out0,out2
	check "... active" until_true 5 is active group 239.1.0.12 .state
	check "... r0 and r2 get all" deliver 239.1.0.12 all:r0 all:r2
}
generic_egress()
{
	check "$1: as egress of a generic ingress" configure 'interface in0 --mode generic'
	check "... ready" is ready as_egress generic k0 239.1.0.13
	check "... gets all" deliver 239.1.0.13 all:r0 all:r1
}

if made k0 link out1 type vlan id 100; then
	egress vlan needs-generic
	tag_receiver 1
	generic_egress vlan
	ns r1 tc qdisc del dev r1 clsact
	ip link del k0
	made k0 link in0 type vlan id 100
	tag_sender
	tag_receiver 0
	tag_receiver 2
	check "vlan: as ingress it means its parent and the tag" configure ''
	check "... add-group" ctl add-group 239.1.0.12 --from k0 --to out0,out2
	check "... active" until_true 5 is active group 239.1.0.12 .state
	check "... the hosts of the VLAN get all" deliver 239.1.0.12 all:r0 all:r2
	for host in r0 r2 s; do
		ns $host tc qdisc del dev "$(echo $host | sed 's/^s$/s0/')" clsact
	done
	ip link del k0
else
	unmade vlan
fi
if made k0 type bond mode active-backup; then
	ip link set out1 down
	ip link set out1 master k0
	check "bond: its port is up" until_true 10 sh -c 'ip link show k0 | grep -q LOWER_UP'
	generic_egress bond
	check "bond: as egress of a native ingress" configure 'interface in0 --mode native'
	comment "$(as_egress native k0 239.1.0.11)"
	check "... gets all, if it is said to be ready" bond_native
	ip link set out1 nomaster
	ip link set in0 down
	ip link set in0 master k0
	check "bond: its port is up" until_true 10 sh -c 'ip link show k0 | grep -q LOWER_UP'
	ip link set out1 up
	forwards k0 generic
	check "bond port: as ingress, generic" configure 'interface in0 --mode generic'
	check "... add-group" ctl add-group 239.1.0.12 --from in0 --to out0,out2
	check "... r0 and r2 get all" deliver 239.1.0.12 all:r0 all:r2
	ip link set in0 nomaster
	ip link del k0
	ip link set in0 up
else
	unmade bond
fi
if made k0 type vrf table 9; then
	ip link set in0 master k0
	forwards in0 native
	ip link set in0 nomaster
	ip link del k0
else
	unmade vrf
fi
if made k0 type wireguard; then
	check "wireguard: as egress: not-ethernet" configure 'interface in0 --mode native'
	check "... not-ethernet" is not-ethernet as_egress native k0 239.1.0.11
	check "... harms nobody" no_harm 239.1.0.11
	check "... as ingress it is refused" refused 1 'k0.*Ethernet' \
	    ctl add-group 239.1.0.9 --from k0 --to out0
	ip link del k0
else
	unmade wireguard
fi
finish
