#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: senders on VLAN interfaces over an emulated NIC: no frame of a VLAN leaves in another or
# untagged, through a NIC and veth, with offloads as they are by default. The argument is the driver of
# the ingress: virtio_net or igb, which drop VLANs that they do not know, or vmxnet3, which hides tags, too.
. "$(dirname "$0")/nics.sh"
. "$tests/vlan-lib.sh"
if [ "$driver" = vmxnet3 ]; then
	nic 5 s0 s && nic 6 in0
	flows=3 # QEMU's vmxnet3 writes the outer tag over the inner one of two
	sums='1500 3000'
else
	nic 1 s0 s && nic 2 in0
	flows=4
	sums='2000 3500'
fi
nic 3 out0 && nic 4 r0 r0
sender_addresses
receiver_addresses 0
receiver 1
receiver 2
check "the network of NICs and VLANs" vlan_hosts
check "... its links" until_true 20 carriers
check "xmcastd starts" configure ''
check "a VLAN that the NIC drops: a warning, and what to do" sh -c "
    '$build/cli/xmcastctl' add-group 239.1.1.9 --vlan 100 --from in0 --to out2 2>&1 |
	grep 'in0 drops frames of VLANs.*ip link add link in0 name in0.100 type vlan id 100'"
check "... list-groups says the same" sh -c "'$build/cli/xmcastctl' list-groups 2>&1 | grep 'in0 drops'"
for v in 100 200; do
	ip link add link in0 name in0.$v type vlan id $v
done
check "... no more, once it has an interface" until_true 5 sh -c "
    ! '$build/cli/xmcastctl' list-groups 2>&1 | grep 'in0 drops'"
for mode in $(iface in0 .mode | sed 's/native/native generic/'); do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode"
	check "$mode: a group in every VLAN" vlan_groups
	before
	check "$mode: every VLAN gets its own and nothing else" stays_inside 500 $flows
	check "$mode: exactly those were forwarded" sums $sums
done
finish
