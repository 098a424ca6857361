#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: reasons that need a kernel with modules are named by stats, trace and explain: failures of the kernel
# and of drivers, which a module makes (tests/vm/inject.c), and VLANs. The vm suite runs this.
. "$(dirname "$0")/lib.sh"
. "$tests/reasons-lib.sh"

module=/lib/modules/$(uname -r)/inject.ko
[ -e "$module" ] || {
	skip "no-memory, driver-error, needs-generic, refused" "no module that makes functions fail for this kernel: tests/vm/run.sh 12 makes one"
	finish
}
# while_failing FUNCTION VALUE: it returns that at once while 5 datagrams are sent.
while_failing()
{
	busybox insmod "$module" "function=$1" "returns=$2" || return 1
	deliver -n 5 "$group" none:r0 >"$work/out" 2>&1
	rc=$?
	busybox rmmod inject
	return $rc
}
group=239.1.1.1
network 3

configure "group $group --from in0 --to out0,out1" 'interface in0 --mode native'
until_true 10 settled
before
trace $group --count 5
check "no page for a copy" while_failing xdpf_clone 0
over
named no-memory out0 $group
check "... for every copy that was lost" sums 5 10 0

before
trace $group --count 5
check "a driver fails with EINVAL" while_failing veth_ndo_xdp_xmit -22
over
named driver-error out0 $group
check "... for every copy that was lost" sums 5 10 0

# With more members nobody knows how many copies the kernel had made before.
configure "group $group --from in0 --to out0,out1,out2" 'interface in0 --mode native'
until_true 10 settled
before
trace $group --count 5
check "no page for a copy, of three" while_failing xdpf_clone 0
over
for i in 0 1 2; do
	check "... the trace says what is known of out$i" in_trace no-memory out$i
done

configure "group $group --from in0 --to out0,out1" 'interface in0 --mode generic'
until_true 10 settled
before
trace $group --count 5
check "generic: no clone" while_failing skb_clone 0
over
named no-memory out0 $group
check "... for every copy that was lost" sums 5 10 0

# Members that get no copies: a VLAN of a native ingress, and, where the kernel does not tell what drivers
# can, one whose driver has refused them.
ip link add link out1 name vlan9 type vlan id 9
ip link set vlan9 up
ns r2 ethtool -K r2 gro off
configure "group $group --from in0 --to out0,vlan9,out2" 'interface in0 --mode native'
members=needs-generic:vlan9
if ctl --json list-interfaces | jq -e 'all(.interfaces[]; .xdp_features == null)' >/dev/null; then
	members="$members refused:out2"
	deliver -n 5 "$group" all:r0 >"$work/out"
fi
no_copies 30 "$group" $members
finish
