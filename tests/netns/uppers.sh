#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: interfaces above an ingress, more than the 8 of which the kernel's own exclusion takes account:
# macvlans, and where the kernel has them VLANs and a bond.
. "$(dirname "$0")/lib.sh"

network 3
for i in $(seq 10); do
	ip link add "mv$i" link in0 type macvlan mode bridge && ip link set "mv$i" up
	ip link add "in0.$i" link in0 type vlan id "$i" 2>/dev/null && ip link set "in0.$i" up
done
comment "in0 has $(ls -d /sys/class/net/in0/upper_* | wc -l) uppers"
for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode"
	check "$mode: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1,out2
	check "$mode: active" until_true 5 is active group 239.1.1.1 .state
	before
	check "$mode: all get all" deliver -n 2000 239.1.1.1 all:r0 all:r1 all:r2
	check "$mode: the sums are exact" sums 2000 6000
done
check "a macvlan above is no member of its own ingress" ctl add-group 239.1.1.2 --from in0 --to out0,mv1
check "... and harms nobody" deliver 239.1.1.2 all:r0 none:r1
for i in $(seq 10); do
	ip link del "mv$i"
	ip link del "in0.$i" 2>/dev/null
done
if ip link add b0 type bond mode active-backup 2>/dev/null; then
	ip link set in0 down
	ip link set in0 master b0
	ip link set b0 up
	ip link add mv0 link b0 type macvlan mode bridge && ip link set mv0 up
	check "bond: its port is up" until_true 10 sh -c 'ip link show b0 | grep -q LOWER_UP'
	for mode in native generic; do
		check "bond: $mode on its port" configure "interface in0 --mode $mode"
		check "bond: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1
		comment "$(iface in0 '"\(.mode) \(.detail)"')"
		check "bond: $mode: all get all" deliver -n 2000 239.1.1.1 all:r0 all:r1
	done
else
	skip "bond above an ingress" "this kernel has none"
fi
finish
