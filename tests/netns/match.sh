#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: which group a frame belongs to: prefixes, sources, VLANs, MACs; the most specific, never a
# union; control groups stay with the stack (cases 13, 14, 30).
. "$(dirname "$0")/lib.sh"

network 4
mac='01:1b:19:00:00:00' # PTP, IEEE 1588 annex F

# add ADDRESS RECEIVER [OPTION...]
add()
{
	address=$1
	to=$2
	shift 2
	ctl add-group "$address" --from in0 --to "out$to" "$@" && until_true 5 settled
}
# only RECEIVER GROUP [DELIVER-OPTION...]: that one gets all, the others none.
only()
{
	winner=$1
	address=$2
	shift 2
	roles=
	for i in 0 1 2 3; do
		if [ "$i" = "$winner" ]; then roles="$roles all:r$i"; else roles="$roles none:r$i"; fi
	done
	deliver -n 500 "$@" "$address" $roles
}
# nobody GROUP [DELIVER-OPTION...]
nobody()
{
	address=$1
	shift
	deliver -n 200 -w 0 -d 1 "$@" "$address" none:r0 none:r1 none:r2 none:r3
}

# discovers: the sender finds the MAC of our fd09::1, which takes a multicast to ff02::1:ff00:1.
discovers()
{
	ip -6 addr replace fd09::1/64 dev in0 nodad
	ns s ip -6 neigh flush dev s0
	ns s python3 -c "import socket; socket.socket(10, 2).sendto(b'x', ('fd09::1', 9))"
	until_true 5 discovered
}
discovered()
{
	ns s ip -6 neigh show fd09::1 dev s0 | grep lladdr
}

for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode"
	check "a short prefix" add 239.0.0.0/8 0
	check "a longer one" add 239.2.0.0/16 1
	check "an address inside" add 239.2.2.2 2
	before
	check "$mode: the short prefix gets what is nobody else's" only 0 239.9.9.9
	check "$mode: the longer prefix gets its own" only 1 239.2.9.9
	check "$mode: the address gets its own" only 2 239.2.2.2
	check "$mode: the sums are exact" sums 1500 1500
	check "$mode: del-group of the longer prefix" ctl del-group 239.2.0.0/16
	check "$mode: ... the short one takes over" only 0 239.2.9.9

	check "a source" add 239.2.2.2 3 --source 10.9.0.3
	check "$mode: a source has its group" only 3 239.2.2.2 -s 10.9.0.3
	check "$mode: other sources have the group without one" only 2 239.2.2.2 -s 10.9.0.2
	check "a group for one source only" add 239.3.3.3 1 --source 10.9.0.3
	check "$mode: its source" only 1 239.3.3.3 -s 10.9.0.3
	check "$mode: a group whose source does not match is as if absent" \
	    only 0 239.3.3.3 -s 10.9.0.2
	check "a prefix of sources" add 239.3.3.3 2 --source 10.9.0.4/31
	check "$mode: ... matches" only 2 239.3.3.3 -s 10.9.0.4

	check "IPv6: prefix" add ff15::/16 0
	check "IPv6: address" add ff15::1 1
	check "IPv6: source" add ff15::1 2 --source fd09::3
	check "IPv6: source prefix" add ff15::1 3 --source fd09::4/127
	check "$mode: IPv6 prefix" only 0 ff15::9
	check "$mode: IPv6 address" only 1 ff15::1 -s fd09::2
	check "$mode: IPv6 source" only 2 ff15::1 -s fd09::3
	check "$mode: IPv6 source prefix" only 3 ff15::1 -s fd09::4

	# Case 13: by address, never by MAC. Case 14: control groups pass.
	check "a group with the MAC of 224.0.0.1" add 239.128.0.1 3
	check "$mode: 239.128.0.1 is forwarded" only 3 239.128.0.1
	before
	check "$mode: 224.0.0.1, of the same MAC, is not" nobody 224.0.0.1
	check "$mode: ... but passed as control" until_true 3 at_least 200 unmatched control
	check "all of IPv4 multicast" add 224.0.0.0/4 0
	check "all of IPv6 multicast" add ff00::/8 0
	before
	check "$mode: 224.0.0.0/24 still passes" nobody 224.0.0.18
	check "$mode: ff02::/16 still passes" nobody ff02::1:2
	check "$mode: neighbour discovery works beside ff00::/8" discovers
	check "a group inside the control range" add 224.0.0.18 1
	check "$mode: ... is what was asked for" only 1 224.0.0.18

	check "a MAC group" add $mac 2
	before
	check "$mode: non-IP multicast" captured --dst $mac --type 0x88f7 -- \
	    all:r2 none:r0 none:r1 none:r3
	check "$mode: a MAC group does not match IP" captured --dst $mac --from 10.9.0.2 \
	    --to 239.128.0.1 -- all:r3 none:r2 none:r0 none:r1
	check "$mode: the sums are exact" sums 1000 1000

	check "one tag" add 239.7.7.7 1 --vlan 100
	check "two tags" add 239.7.7.7 2 --vlan 200.100
	check "no tag" add 239.7.7.7 3
	check "$mode: one tag" captured --dst 01:00:5e:07:07:07 --vlan 100 --from 10.9.0.2 \
	    --to 239.7.7.7 -- all:r1 none:r0 none:r2 none:r3
	check "$mode: two tags" captured --dst 01:00:5e:07:07:07 --vlan 200.100 --from 10.9.0.2 \
	    --to 239.7.7.7 -- all:r2 none:r0 none:r1 none:r3
	check "$mode: no tag" captured --dst 01:00:5e:07:07:07 --from 10.9.0.2 \
	    --to 239.7.7.7 -- all:r3 none:r0 none:r1 none:r2
	# Frames of a VLAN that nobody asked for go to no other.
	before
	captured_none()
	{
		captured --window 0 --dst 01:00:5e:07:07:07 --vlan 300 --from 10.9.0.2 \
		    --to 239.7.7.7 -- none:r0 none:r1 none:r2 none:r3
	}
	check "$mode: another tag leaks nowhere" captured_none
	check "$mode: ... and is counted" until_true 3 is 500 unmatched ipv4
done
finish
