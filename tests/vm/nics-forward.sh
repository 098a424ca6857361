#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: forwarding from a NIC to NICs and a veth, emulated ones: what each driver needs is done or said,
# a daemon's death costs nothing, and everything is as before afterwards.
. "$(dirname "$0")/nics.sh"
nics || {
	not_ok "the network of NICs"
	finish
}

# program IF: the native program there.
program()
{
	ip -d -j link show "$1" | jq -r '.[0].xdp.prog.id // "none"'
}
detail()
{
	iface "$1" .detail
}

check "native: xmcastd starts" configure 'interface in0 --mode native'
check "NIC -> NIC + veth: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out2
check "... active" until_true 10 is active group 239.1.1.1 .state
same "$driver runs native" native "$(iface in0 .mode)"
same "its egress has a program, which it needs to take copies" native "$(iface out0 .mode)"
same "... and it is ready" ready "$(egress_state 239.1.1.1 out0)"
check "... said why" sh -c "'$build/cli/xmcastctl' list-interfaces | grep 'out0: driver $driver takes copies only'"
check "NIC -> NIC + veth: frames to get things going" deliver -n 200 239.1.1.1 all:r0 all:r2
before
check "NIC -> NIC + veth: all get all" deliver -n 2000 -w 64 239.1.1.1 all:r0 all:r2
check "... the sums are exact" sums 2000 4000
id=$(program in0),$(program out0)
deliver_beside -n 6000 -r 1000 -w 64 239.1.1.1 all:r0 all:r2
check "killed under load" stop_daemon KILL
check "... started again" daemon
check "... settled" until_true 20 settled
wait $traffic
same "... nothing was lost" 0 $?
same "... the programs are the same" "$id" "$(program in0),$(program out0)"
same "... still ready" ready "$(egress_state 239.1.1.1 out0)"

check "NIC -> NIC: without the veth" ctl del-egress 239.1.1.1 out2
check "... all" deliver -n 1000 -w 64 239.1.1.1 all:r0 none:r2
check "NIC -> veth: without the NIC" ctl add-egress 239.1.1.1 out2
check "..." ctl del-egress 239.1.1.1 out0
check "... its program is gone" until_true 10 is none program out0
check "... all" deliver -n 1000 -w 64 239.1.1.1 none:r0 all:r2
ctl del-group 239.1.1.1 >/dev/null
check "no group: no program" until_true 10 is none program in0

check "vmxnet3, auto: xmcastd starts" configure ''
check "... add-group" ctl add-group 239.1.1.2 --from in0 --to out0,out1,out2
check "... active" until_true 10 is active group 239.1.1.2 .state
mode=$(iface in0 .mode)
comment "in0 $mode $(detail in0); out1 $(detail out1)"
if [ "$mode" = generic ]; then
	check "... generic, and why" sh -c "'$build/cli/xmcastctl' list-interfaces |
		grep 'in0: egress out1 cannot receive redirected frames (no-xdp-xmit)'"
fi
check "... frames to get things going" deliver -n 200 239.1.1.2 all:r0 all:r1 all:r2
before
check "... all get all" deliver -n 2000 -w 64 239.1.1.2 all:r0 all:r1 all:r2
check "... the sums are exact" sums 2000 6000
if [ "$mode" = generic ]; then
	check "vmxnet3, native: xmcastd starts" configure 'interface in0 --mode native'
	ctl add-group 239.1.1.2 --from in0 --to out0,out1 >/dev/null
	check "... the kernel's words" sh -c "
	    '$build/cli/xmcastctl' list-groups 2>&1 | grep 'out1.*does not support XDP'"
	same "... it is not ready" no-xdp-xmit "$(egress_state 239.1.1.2 out1)"
	check "... nobody else suffers" deliver -n 1000 -w 64 239.1.1.2 all:r0 none:r1
fi

# A NIC's own filter: groups that nobody joined.
# arrived GROUP: how many of 200 datagrams get to in0.
arrived()
{
	was=$(cat /sys/class/net/in0/statistics/rx_packets)
	ns s bash -c "for i in {1..200}; do echo >/dev/udp/$1/5000; done"
	until_true 1 got_all >/dev/null
	echo $(($(cat /sys/class/net/in0/statistics/rx_packets) - was))
}
got_all()
{
	[ $(($(cat /sys/class/net/in0/statistics/rx_packets) - was)) -ge 200 ]
}
# few, all NUMBER: what the hosts' own chatter may add is small.
few() { [ "$1" -lt 20 ] || { echo "$1"; return 1; }; }
all() { [ "$1" -ge 200 ] || { echo "$1"; return 1; }; }
check "filter: no xmcastd" configure ''
check "filter: a group that nobody joined is filtered" few "$(arrived 239.7.7.7)"
ctl add-group 239.7.7.8 --from in0 --to out2 >/dev/null
check "filter: attached" until_true 10 is active group 239.7.7.8 .state
check "filter: it arrives while a program is attached" all "$(arrived 239.7.7.7)"
check "filter: detach" ctl detach in0
check "filter: filtered again" few "$(arrived 239.7.7.7)"
check "filter: attach" ctl attach in0
check "filter: arrives again" all "$(arrived 239.7.7.7)"
ctl del-group 239.7.7.8 >/dev/null
check "filter: filtered without the group" few "$(arrived 239.7.7.7)"
finish
