#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: split horizon where an ingress is a port of a bridge: the bridge would send its copies back.
. "$(dirname "$0")/lib.sh"

network 2
ip link add br0 type bridge mcast_snooping 0
ip link set br0 up
ip link set in0 master br0
forwards()
{
	ip link show in0 | grep -q 'state UP' && bridge link show dev in0 | grep -q 'state forwarding'
}
until_true 20 forwards
# came_back: how many of 200 datagrams the sender saw again, in hundreds. Its host drops what has its own
# address as source, so the interface is asked.
seen_by_sender()
{
	ip -n s -j -s link show s0 | jq '.[0].stats64.rx.packets'
}
came_back()
{
	was=$(seen_by_sender)
	deliver -n 200 239.1.1.1 all:r0 all:r1 >"$work/out" 2>&1 || return 1
	echo $((($(seen_by_sender) - was) / 100))
}
said()
{
	grep "$1" "$work/said"
}

check "xmcastd starts" configure 'interface in0 --mode generic'
check "the bridge that the ingress is a port of is refused" refused 1 'in0 is a port of br0' \
    ctl add-group 239.1.1.1 --from in0 --to br0,out0
set -f
ctl add-group 239.1.1.1 --from in0 --to br*,out* >"$work/said" 2>&1
set +f
check "a pattern that means it: a warning" said 'in0 is a port of br0.*--exclude br0'
check "... true: the sender gets its own" is 2 came_back
ctl doctor in0 >"$work/said" 2>&1
check "... doctor says so" said 'problem.*loop.*in0.*port of br0'
check "... and the command that mends it" said 'xmcastctl add-exclude 239.1.1.1 br0 --from in0'
check "... which is accepted" ctl add-exclude 239.1.1.1 br0 --from in0
check "... and does" is 0 came_back
ctl doctor in0 >"$work/said" 2>&1
check "... says doctor, too" said 'ok *loop.*in0'
check "add-egress of it is refused, too" refused 1 'in0 is a port of br0' \
    sh -c "'$build/cli/xmcastctl' add-group 239.1.1.2 --from in0 --to out0 >/dev/null &&
    '$build/cli/xmcastctl' add-egress 239.1.1.2 br0 --from in0"

# A loop by way of a bridge's port: out of br1, and in again at the other end of that port.
ip link add br1 type bridge mcast_snooping 0
ip link add p0 type veth peer name in2
for interface in br1 p0 in2; do
	ip link set $interface up
done
ip link set p0 master br1
ctl add-group 239.1.1.3 --from in2 --to br1 >"$work/said" 2>&1
ctl doctor in2 >"$work/said" 2>&1
check "a loop through a bridge's port is found" said 'problem.*loop.*in2.*br1.*for ever'
finish
