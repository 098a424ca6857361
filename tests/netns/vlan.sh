#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: senders on VLAN interfaces over veth, with default offloads: no frame of a VLAN leaves in another
# or untagged (case 47). Where the kernel has no VLAN interfaces it is skipped; the vm suite runs it.
. "$(dirname "$0")/lib.sh"
. "$tests/vlan-lib.sh"

network 3
vlan_hosts || {
	skip "VLAN interfaces" "this kernel has none ($(head -1 "$work/made.out"))"
	finish
}
for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode"
	check "$mode: a group in every VLAN" vlan_groups
	before
	check "$mode: every VLAN gets its own and nothing else" stays_inside 2000
	check "$mode: exactly those were forwarded" sums 8000 14000
done
finish
