#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: members leave and return, each with its reason; interfaces come, go and change their names
# (cases 1-3, 23, 24, 26). Traffic shows that what is said is true.
. "$(dirname "$0")/lib.sh"

network 2
XMCAST_GRO=off receiver 2
until_true 5 carriers

# state IF REASON: until list-groups says so of 239.1.1.1.
state()
{
	until_true 5 is "$2" egress_state 239.1.1.1 "$1"
}

# peers: what an egress says of its veth's other end, as that changes.
peers()
{
	check "add-group warns of a peer without NAPI, exit 0" sh -c "
	    '$build/cli/xmcastctl' add-group 239.1.1.1 --from in0 --to out0,out1,out2 2>&1 >/dev/null |
	    grep -i 'out2.*napi'"
	check "peer without GRO: peer-no-napi" state out2 peer-no-napi
	before
	check "... the others get all, it gets none" deliver 239.1.1.1 all:r0 all:r1 none:r2
	check "... no copy was due for it" sums 1000 2000
	ns r2 ethtool -K r2 gro on
	check "GRO on at the peer: ready" state out2 ready
	check "... it gets all" deliver 239.1.1.1 all:r0 all:r1 all:r2
	ns r2 ethtool -K r2 gro off
	check "GRO off: peer-no-napi again" state out2 peer-no-napi
	ns r2 ip link set r2 xdpgeneric obj "$tools/kernel.bpf.o" sec xdp
	check "generic XDP at the peer is no NAPI (case 3)" state out2 peer-no-napi
	check "... the others get all" deliver 239.1.1.1 all:r0 all:r1 none:r2
	ns r2 ip link set r2 xdpgeneric off
	ns r2 ip link set r2 xdpdrv obj "$tools/kernel.bpf.o" sec xdp
	check "native XDP at the peer: ready" state out2 ready
	check "... it gets all" deliver 239.1.1.1 all:r0 all:r1 all:r2
	ns r2 ip link set r2 xdpdrv off
	check "without it: peer-no-napi" state out2 peer-no-napi
}

check "xmcastd starts" configure 'interface in0 --mode native' \
    'group 239.9.9.9 --from in0 --to out0'
# Before 6.3 the kernel does not tell whether a veth's peer has NAPI.
told()
{
	ctl --json list-interfaces | jq -e '[.interfaces[].xdp_features] | any(. != null)'
}
if told >/dev/null; then
	peers
else
	skip "peers of a veth: what they have is known before" "this kernel does not tell (before 6.3)"
	check "add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1,out2
	check "the others get all, the peer without NAPI none" deliver 239.1.1.1 all:r0 all:r1 none:r2
	check "... which was found at the first frame: refused" state out2 refused
	# it is tried again every ten seconds, whatever is tested here by then
	check "... and leaves the group" ctl del-egress 239.1.1.1 out2
fi

ip link set out1 down
check "set down: down" state out1 down
before
check "... the others get all" deliver 239.1.1.1 all:r0 none:r1
check "... exact" sums 1000 1000
ip link set out1 up
check "set up: ready" state out1 ready
check "... it gets all again" deliver 239.1.1.1 all:r0 all:r1
ip -n r1 link set r1 down
check "peer set down: no-carrier" state out1 no-carrier
ip -n r1 link set r1 up
check "peer set up: ready" state out1 ready
check "... it gets all again (IPv4 addresses stay)" deliver 239.1.1.1 all:r0 all:r1

ip link set out0 down
ip link set out1 down
check "no member is ready: no-egress" until_true 5 is no-egress group 239.1.1.1 .state
before
check "... nobody gets anything" deliver -w 0 -n 300 239.1.1.1 none:r0 none:r1
check "... frames are dropped and counted, none passed" until_true 3 is 300 dropped no-egress
ip link set out0 up
ip link set out1 up
check "... back" state out0 ready
check "... both back" state out1 ready

ip link set out1 down
ip link set out1 name other1
ip link set other1 up
check "renamed away: absent" state out1 absent
check "... no copies to the old ifindex" deliver 239.1.1.1 all:r0 none:r1
ip link set other1 down
ip link set other1 name out1
ip link set out1 up
check "renamed back: ready" state out1 ready
check "... it gets all" deliver 239.1.1.1 all:r0 all:r1
ip link del out1
check "deleted: absent" state out1 absent
check "... the others get all" deliver 239.1.1.1 all:r0
receiver 1
check "made again, with another ifindex: ready" state out1 ready
check "... it gets all" deliver 239.1.1.1 all:r0 all:r1

check "an unknown egress is refused by name" refused 1 'out7' \
    ctl add-group 239.1.1.2 --from in0 --to out0,out7
check "... unless --pending" ctl add-group 239.1.1.2 --from in0 --to out0,out7 --pending
check "... absent" until_true 5 is absent egress_state 239.1.1.2 out7
check "... the others get all" deliver 239.1.1.2 all:r0
receiver 7
check "it appears: ready" until_true 5 is ready egress_state 239.1.1.2 out7
check "... it gets all" deliver 239.1.1.2 all:r0 all:r7
check "a pattern" ctl add-group 239.1.1.3 --from in0 --to 'out*' --exclude out2
receiver 8
check "what appears later belongs to it" until_true 5 is ready egress_state 239.1.1.3 out8
check "... and gets all" deliver 239.1.1.3 all:r0 all:r1 all:r7 all:r8

check "an unknown ingress is refused by name" refused 1 'in5' \
    ctl add-group 239.1.1.4 --from in5 --to out0
check "... unless --pending" ctl add-group 239.1.1.4 --from in5 --to out0 --pending
check "... pending" until_true 5 is pending group 239.1.1.4 .state
ip link set in0 down
ip link set in0 name in5
ip link set in5 up
check "it appears: active" until_true 5 is active group 239.1.1.4 .state
check "... and forwards" deliver 239.1.1.4 all:r0
check "the groups of the old name are pending" until_true 5 is pending group 239.1.1.1 .state
ip link del in5
check "it is deleted: pending" until_true 5 is pending group 239.1.1.4 .state
sender
check "the old name is back: active" until_true 5 is active group 239.1.1.1 .state
check "... and forwards" deliver 239.1.1.1 all:r0 all:r1
ip link set in0 down
ip link set in0 up
check "ingress down and up: still active" until_true 5 is active group 239.1.1.1 .state
check "... and forwards again" deliver 239.1.1.1 all:r0 all:r1
finish
