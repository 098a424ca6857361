# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests with NICs, first thing and instead of tests/netns/lib.sh, whose network they
# have with emulated NICs where that one has veth. The wires are hubs, see nics() in run.sh.
#
#   ns `s`                    the test's own ns                        receivers
#   s0 (1, virtio_net) ------ in0 (2, $driver)
#                             out0 (3, $driver) ---------------------- r0 (4, virtio_net)
#                             out1 (5, vmxnet3) ---------------------- r1 (6, vmxnet3)
#                             out2 (veth) ---------------------------- r2 (veth)
#
# driver: the test's argument, or virtio_net. A test may want more $modules of the kernel. When the test ends, the NICs go back to where they were: the kernel sees to that.

driver=${1:-virtio_net}
[ -n "${XM_IN_VM:-}" ] || {
	echo '1..0 # SKIP needs the NICs of a guest: tests/vm/run.sh 12 --suite vm-long'
	exit 77
}
[ -n "${XMCAST_INSIDE:-}" ] || {
	for module in virtio_net vmxnet3 $driver ${modules:-}; do
		/run/vm/modprobe $module || exit 1
	done
	exec 8</proc/self/ns/net # where the NICs are
}
tests=$(dirname "$0")/../netns
. "$tests/lib.sh"

# outside COMMAND...: runs it where the NICs come from.
outside()
{
	nsenter --net=/proc/self/fd/8 "$@"
}

# nic NUMBER NAME [NS]: brings that NIC here, or into NS, with that name, and sets it up. Earlier tests
# may have left it another name, another address and flags.
nic()
{
	_was=$(outside ip -o link | sed -n "s/^[0-9]*: \([^:@]*\):.* 52:54:00:00:00:0$1\( .*\)*$/\1/p")
	[ -z "${3:-}" ] || host "$3"
	for _mode in xdpdrv xdpgeneric; do
		outside ip link set "$_was" $_mode off
	done
	outside ip link set "$_was" netns "${3:-$$}" &&
	    ${3:+ip netns exec} ${3:-env} ip link set "$_was" name "$2" allmulticast off up
}

# nics: the network above.
nics()
{
	nic 1 s0 s && nic 2 in0 && nic 3 out0 && nic 4 r0 r0 && nic 5 out1 && nic 6 r1 r1 || return 1
	sender_addresses
	receiver_addresses 0
	receiver_addresses 1
	receiver 2
	until_true 20 carriers
}
