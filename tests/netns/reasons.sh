#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: every reason is provoked and named by stats, trace and explain (cases 2, 4, 8, 9); those that need a
# kernel with modules in reasons-modules.sh.
. "$(dirname "$0")/lib.sh"
. "$tests/reasons-lib.sh"

# while_stopped COMMAND...: a moment in which the daemon has not heard of a change yet.
while_stopped()
{
	kill -STOP "$daemon_pid"
	"$@"
	deliver -n 5 $group none:r1 >"$work/out" 2>&1
	kill -CONT "$daemon_pid"
}
ready()
{
	until_true 10 is ready egress_state $group out0
}
group=239.1.1.1
network 4
ip link set out2 mtu 1000
ip -n r2 link set r2 mtu 1000
configure "group $group --from in0 --to out0" 'group 239.1.1.2 --from in0 --to out0,out2' \
    'interface in0 --mode native'
until_true 10 settled
before
trace 239.1.1.0/24 --count 625
deliver -n 5 -b 1200,1300 239.1.1.2 all:r0 none:r2 >"$work/out" || not_ok "frames arrive" "$work/out"

while_stopped ip link set out0 down
ip link set out0 up
ready

while_stopped ns r0 ethtool -K r0 gro off
ns r0 ethtool -K r0 gro on
ready

# The other end is set down: it has no NAPI any more, and the driver refuses.
while_stopped ip -n r0 link set r0 down
ip -n r0 link set r0 up
ready

# A receiver that takes 2 ms for each frame, on a thread of its own: its ring of 256 fills.
ns r0 unshare --mount sh -c 'mount -t sysfs sysfs /sys && echo 1 >/sys/class/net/r0/threaded'
check "a slow receiver" ns r0 ip link set r0 xdpdrv obj "$tools/kernel.bpf.o" sec slow
ready
deliver -n 600 -w 0 $group none:r1 >"$work/out" || not_ok "frames are sent" "$work/out"
ns r0 ip link set r0 xdpdrv off
ready

ip link set out0 down
until_true 10 is down egress_state $group out0
deliver -n 5 $group none:r0 >"$work/out" 2>&1
over
named no-egress out0 $group
ip link set out0 up
ready
named too-big out2 239.1.1.2 --size 1400
for reason in link-down not-supported no-receiver queue-full; do
	named $reason out0 $group
done

# An exclude map; then a frame that comes back from a program at the other end, which has left no room
# in front of it.
cramped_frame()
{
	python3 - <<-END
	import socket
	s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
	s.bind(("in0", 0))
	ip = bytes.fromhex("45000028000000000811000a" "0a090002" "ef010101")
	s.send(bytes.fromhex("01005e010101" "020900000002" "0800") + ip + bytes(26))
	END
}
configure 'daemon --enforce lookup' "group $group --from in0 --to out0,out1 --exclude out1" \
    'interface in0 --mode native'
until_true 10 settled
before
trace $group --count 6 --from in0
deliver -n 5 $group all:r0 none:r1 >"$work/out" || not_ok "frames arrive" "$work/out"
check "a program at the other end" ns s ip link set s0 xdpdrv obj "$tools/kernel.bpf.o" sec cramped
check "a frame without room in front" cramped_frame
over
named excluded out1 $group
named no-metadata '' $group
ns s ip link set s0 xdpdrv off

# Members that get no copies. Each MTU is a set of its own, and there is a limit to how many sets a
# frame may pass, and to the members.
ip link add br9 type bridge
ip link set br9 up
ip tuntap add tun0 mode tun
ip link set tun0 up
for i in $(seq 11); do
	ip link add m$i mtu $((1500 + i)) type veth peer name n$i mtu $((1500 + i))
	ip link set m$i up
	ip link set n$i up
	ethtool -K n$i gro on
done
configure 'limit members 17' 'interface in0 --mode native' \
    "group $group --from in0 --to out0,out1,out2,out3,nosuch,br9,tun0,m1,m2,m3,m4,m5,m6,m7,m8,m9,'m1*'"
ip link set out1 down
ip -n r2 link set r2 down
ns r3 ethtool -K r3 gro off
# without REASON: a member that has it.
without()
{
	group $group "[.egress[] | select(.reason == \"$1\") | .interface][0]"
}
until_true 10 settled
members="down:out1 no-carrier:out2 peer-no-napi:out3 absent:nosuch no-xdp-xmit:br9 not-ethernet:tun0
    mtu-levels:$(without mtu-levels) members-limit:$(without members-limit)"
no_copies 10 "$group" $members

# More interfaces than there is room for: one has not even a slot.
ip link set out1 up
ip -n r2 link set r2 up
ns r3 ethtool -K r3 gro on
until_true 5 carriers
configure 'limit interfaces 4' 'interface in0 --mode native' "group $group --from in0 --to 'out*'"
until_true 10 is interfaces-limit sh -c "'$build/cli/xmcastctl' --json list-groups |
    jq -r '[.groups[].egress[] | select(.reason).reason] | join(\",\")'"
no_copies 10 "$group" "interfaces-limit:$(without interfaces-limit)"

# Ingresses that make no copies.
no_program()
{
	check "$1: named by stats" until_true 10 in_not_ready "$1"
	check "... by trace" refused 1 "in0 .*$1" ctl trace $group
	check "... by explain" in_explain "$1" $group
}
ctl detach in0 >/dev/null
no_program detached
ip link set in0 xdp obj "$tools/kernel.bpf.o" sec xdp
ctl attach in0 >/dev/null 2>&1
no_program not-attached
finish
