#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: kinds of interfaces that Debian's kernel has as modules: VLAN, bond, VRF, WireGuard. Where the
# kernel has none it is skipped; the vm suite runs this on Debian's.
. "$(dirname "$0")/lib.sh"
. "$tests/kinds-lib.sh"

network 3

bond_native()
{
	[ "$(egress_state 239.1.0.11 k0)" != ready ] || deliver 239.1.0.11 all:r0 all:r1
}
# egress KIND NATIVE-REASON: k0 leads to r1.
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
	# Two names of the same frames: the second is refused; what a file says of both is shown.
	check "... its parent with that tag is the same" refused 1 'in0 means the same.*from k0' \
	    ctl add-group 239.1.0.12 --from in0 --vlan 100 --to out2
	check "... also if it may come later" refused 1 'in0 means the same.*from k0' \
	    ctl add-group 239.1.0.12 --from in0 --vlan 100 --to out2 --pending
	check "... it is no egress of its own VLAN" refused 1 'in0 is below .* k0: .*tag and all' \
	    ctl add-group 239.1.0.14 --from k0 --to in0
	check "... another tag is not" ctl add-group 239.1.0.12 --from in0 --vlan 101 --to out2
	check "... nor another group" ctl add-group 239.1.0.13 --from in0 --vlan 100 --to out2
	check "... which k0 is refused then" refused 1 'k0 means the same.*from in0' \
	    ctl add-group 239.1.0.13 --from k0 --to out0
	echo 'group 239.1.0.12 --from in0 --vlan 100 --to out2' >"$work/both"
	echo 'group 239.1.0.12 --from k0 --to out0,out2' >>"$work/both"
	echo 'group 239.1.0.0/24 --source 10.9.0.3 --from in0 --vlan 100 --to out0' >>"$work/both"
	check "... apply of both" ctl apply "$work/both"
	state_of()
	{
		ctl --json list-groups | jq -r ".groups[] | select(.address == \"239.1.0.12\" and
		    .from == \"$1\") | .$2"
	}
	check "... the one that names the interface itself is active" is active state_of in0 state
	check "... the other is a conflict" is conflict state_of k0 state
	check "... and says with whom" is 'group 239.1.0.12 vlan 100 from in0 means the same frames and counts: delete one' \
	    state_of k0 detail
	check "... which gets the frames" deliver 239.1.0.12 none:r0 all:r2
	check "... and counts them alone" is 0 state_of k0 frames
	check "... the conflict ends with one of them" ctl del-group 239.1.0.12 --from in0
	check "... then the other is active" until_true 5 is active state_of k0 state
	check "... and gets them" deliver 239.1.0.12 all:r0 all:r2
	ip link del k0
	check "... a VLAN that is gone: pending" until_true 5 is pending state_of k0 state
	ctl add-group 239.1.0.12 --from in0 --vlan 100 --to out2
	check "... one that comes later may bring the conflict" made k0 link in0 type vlan id 100
	check "... which is shown" until_true 5 is conflict state_of k0 state
	for host in r0 r2 s; do
		ns $host tc qdisc del dev "$(echo $host | sed 's/^s$/s0/')" clsact
	done
	ip link del k0

	# A bridge and its VLAN interface: XDP sees no tag, but the second gets its VLAN's frames alone.
	made k0 type bridge mcast_snooping 0
	ip link set in0 master k0
	until_true 5 sh -c 'bridge link show dev in0 | grep -q forwarding'
	made k0.100 link k0 type vlan id 100
	check "vlan of a bridge: as ingress it means itself" configure ''
	check "... add-group" ctl add-group 239.1.0.12 --from k0.100 --to out0,out2
	check "... the bridge's own refuse the tag, and name it" refused 1 'use --from k0.100$' \
	    ctl add-group 239.1.0.14 --from k0 --vlan 100 --to out0
	check "... nor is the bridge its egress" refused 1 'k0 is below .* k0.100: .*without their tag' \
	    ctl add-group 239.1.0.14 --from k0.100 --to k0
	check "... active" until_true 5 is active group 239.1.0.12 .state
	check "... untagged frames are none of it" deliver -w 0 -n 200 239.1.0.12 none:r0 none:r2
	tag_sender
	check "... those of the VLAN leave untagged" deliver 239.1.0.12 all:r0 all:r2
	ctl del-group 239.1.0.12 >/dev/null # the kernel allows none below an interface that has a program
	check "a group without a VLAN on the bridge" ctl add-group 239.1.0.13 --from k0 --to out0
	tag_receiver 0
	check "... gets VLAN 100" deliver 239.1.0.13 all:r0
	ns r0 tc qdisc del dev r0 clsact
	level()
	{
		ctl --json doctor k0 | jq -r '.findings[] | select(.check == "vlan-offload") | .level'
	}
	check "... which doctor warns of" is warning level
	command=$(ctl --json doctor k0 | jq -r '.findings[] | select(.check == "vlan-offload") | .remedy')
	check "... and mends: $command" sh -c "$command"
	check "... it is well" until_true 5 is ok level
	check "... none of VLAN 100 is in the group without" deliver -w 0 -n 200 239.1.0.13 none:r0
	ns s tc qdisc del dev s0 clsact
	check "... those without a tag are" deliver 239.1.0.13 all:r0
	ip link set in0 nomaster
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
	check "bond: as ingress: native is strict" configure 'interface k0 --mode native'
	ctl add-group 239.1.0.12 --from k0 --to out0,out2 >/dev/null 2>&1
	check "... it fails" until_true 5 is failed group 239.1.0.12 .state
	check "... and says why" sh -c "'$build/cli/xmcastctl' list-groups 2>&1 | grep 'would run on its ports'"
	check "bond: as ingress: auto" configure ''
	check "... add-group" ctl add-group 239.1.0.12 --from k0 --to out0,out2
	check "... is generic" until_true 5 is generic iface k0 .mode
	check "... and says why" sh -c "'$build/cli/xmcastctl' list-interfaces | grep 'would run on its ports'"
	before
	check "... r0 and r2 get all" deliver 239.1.0.12 all:r0 all:r2
	check "... and all are counted" sums 1000 2000
	check "bond: a VLAN is refused" refused 1 'no VLAN tags on k0, a bond: use --from k0.100 ' \
	    ctl add-group 239.1.0.14 --from k0 --vlan 100 --to out0
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
