#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: the tools of these tests: they see what arrives, and they see what goes wrong. A plain
# bridge stands where xmcastd will be.
XMCAST_NO_DAEMON=
. "$(dirname "$0")/lib.sh"

network 3
ip link add br0 type bridge mcast_snooping 0
ip link set br0 up
for port in in0 out0 out1; do
	ip link set $port master br0
done

# fails COMMAND...
fails()
{
	! "$@"
}

forwards()
{
	ip link show "$1" | grep -q 'state UP'
}
until_true 5 forwards out1

check "every datagram arrives once, in order, intact (IPv4)" deliver 239.1.1.1 all:r0 all:r1
check "every datagram arrives once, in order, intact (IPv6)" deliver ff15::1 all:r0 all:r1
check "one that must get none gets none" deliver 239.1.1.1 all:r0 none:r2
check "... and is found when it gets some" fails deliver 239.1.1.1 all:r0 none:r1
check "a receiver that gets nothing is found" fails deliver -d 1 239.1.1.1 all:r0 all:r2
check "datagrams of another sender are found" fails deliver -d 1 -S 10.9.0.3 239.1.1.1 all:r0
check "frames are captured as they were sent" captured --dst 01:00:5e:01:01:01 \
    --from 10.9.0.2 --to 239.1.1.1 -- all:r0 all:r1 none:r2
check "... with one tag" captured --dst 01:00:5e:01:01:01 --vlan 100 \
    --from 10.9.0.2 --to 239.1.1.1 -- all:r0 all:r1
check "... with two tags" captured --dst 33:33:00:00:00:01 --vlan 200.100 \
    --from fd09::2 --to ff15::1 -- all:r0 all:r1
check "... and what is not IP" captured --dst 01:1b:19:00:00:00 --type 0x88f7 \
    -- all:r0 all:r1

tag_sender
check "an untagged host does not get tagged datagrams" fails deliver -d 1 239.1.1.1 all:r0
tag_receiver 0
check "a host in the VLAN does" deliver 239.1.1.1 all:r0 none:r1
finish
