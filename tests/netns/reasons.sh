#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: each counted reason is named by stats, trace and explain (cases 2, 4, 8, 9); no-memory and driver-error
# in reasons-injected.sh.
. "$(dirname "$0")/lib.sh"
. "$tests/reasons-lib.sh"

network 3
ip link set out2 mtu 1000
ip -n r2 link set r2 mtu 1000
configure 'group 239.1.1.1 --from in0 --to out0' 'group 239.1.1.2 --from in0 --to out0,out2' \
    'interface in0 --mode native'
until_true 10 settled

before
trace 239.1.1.2 --count 5
deliver -n 5 -b 1200,1300 239.1.1.2 all:r0 none:r2 >"$work/out" || not_ok "frames arrive" "$work/out"
named too-big out2 239.1.1.2 --size 1400

group=239.1.1.1
before
trace $group --count 5
while_stopped ip link set out0 down
over
ip link set out0 up
until_true 10 is ready egress_state $group out0
named link-down out0 $group

before
trace $group --count 5
while_stopped ns r0 ethtool -K r0 gro off
over
ns r0 ethtool -K r0 gro on
until_true 10 is ready egress_state $group out0
named not-supported out0 $group

# The other end is set down: it has no NAPI any more, and the driver refuses.
before
trace $group --count 5
while_stopped ip -n r0 link set r0 down
over
ip -n r0 link set r0 up
until_true 10 is ready egress_state $group out0
named no-receiver out0 $group

# A receiver that takes 2 ms for each frame, on a thread of its own: its ring of 256 fills.
ns r0 unshare --mount sh -c 'mount -t sysfs sysfs /sys && echo 1 >/sys/class/net/r0/threaded'
check "a slow receiver" ns r0 ip link set r0 xdpdrv obj "$tools/kernel.bpf.o" sec slow
until_true 10 is ready egress_state $group out0
before
trace $group --count 600
deliver -n 600 -w 0 $group none:r1 >"$work/out" || not_ok "they are sent" "$work/out"
named queue-full out0 $group
ns r0 ip link set r0 xdpdrv off
until_true 10 is ready egress_state $group out0

before
ip link set out0 down
until_true 10 is down egress_state $group out0
trace $group --count 5
deliver -n 5 $group none:r0 >"$work/out" 2>&1
named no-egress out0 $group
ip link set out0 up
until_true 10 is ready egress_state $group out0

# An exclude map.
configure 'daemon --enforce lookup' 'group 239.1.1.1 --from in0 --to out0,out1 --exclude out1' \
    'interface in0 --mode native'
until_true 10 settled
before
trace $group --count 5 --from in0
deliver -n 5 $group all:r0 none:r1 >"$work/out" || not_ok "frames arrive" "$work/out"
named excluded out1 $group

# Frames that come back from a program at the other end, which has left no room in front of them.
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
check "a program at the other end" ns s ip link set s0 xdpdrv obj "$tools/kernel.bpf.o" sec cramped
before
trace $group --count 1
check "a frame without room in front" cramped_frame
named no-metadata '' $group
ns s ip link set s0 xdpdrv off

# Members that get no copies.
receiver 3
ip link add br9 type bridge
ip link set br9 up
ip tuntap add tun0 mode tun
ip link set tun0 up
configure 'group 239.1.1.1 --from in0 --to out0,out1,out2,out3,nosuch,br9,tun0' \
    'interface in0 --mode native'
ip link set out1 down
ip -n r2 link set r2 down
ns r3 ethtool -K r3 gro off
for case in down:out1 no-carrier:out2 peer-no-napi:out3 absent:nosuch no-xdp-xmit:br9 not-ethernet:tun0; do
	until_true 10 is "${case%:*}" egress_state $group "${case#*:}"
	not_ready "${case%:*}" "${case#*:}" $group
done
ip link set out1 up
ip -n r2 link set r2 up
configure 'limit members 2' "group 239.1.1.1 --from in0 --to 'out*'" \
    'interface in0 --mode native'
until_true 10 is members-limit egress_state $group out2
not_ready members-limit out2 $group

# Each MTU is a set of its own, and there is a limit to how many a frame may pass.
mtus=
for i in $(seq 9); do
	ip link add m$i mtu $((1500 + i)) type veth peer name n$i mtu $((1500 + i))
	ip link set m$i up
	ip link set n$i up
	ethtool -K n$i gro on
	mtus=$mtus,m$i
done
configure "group 239.1.1.1 --from in0 --to out0$mtus" 'interface in0 --mode native'
until_true 10 settled
last=$(group $group '[.egress[] | select(.reason == "mtu-levels") | .interface][0]')
not_ready mtu-levels "$last" $group

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
