#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: an ingress on which XDP sees no VLAN tags (a bridge, a macvlan): --vlan is refused with what to
# use instead, and that frames of any VLAN count as untagged is said wherever one looks (case 47).
. "$(dirname "$0")/lib.sh"

network 2
words='XDP sees no VLAN tags'

frames()
{
	captured --dst 01:00:5e:01:01:01 --from 10.9.0.2 --to 239.1.1.1 "$@"
}
doctor_says()
{
	ctl --json doctor | jq -e --arg l "$1" --arg t "$2" '.findings[] | select(.check ==
	    "vlan-offload" and .subject == "k0" and .level == $l) | .text + .remedy | test($t)'
}
explained()
{
	ctl --json explain --from k0 --group 239.1.1.1 --vlan "$1" |
	    jq -r '.frame | .verdict + ": " + .detail'
}
# hides KIND REMEDY: k0, which gets what arrives at in0.
hides()
{
	check "$1: xmcastd starts" configure ''
	check "$1: a VLAN is refused, with what to use" refused 1 \
	    "$words on k0, a $1: use --from k0.200 .ip link add link k0 name k0.200 type vlan id 200." \
	    ctl add-group 239.1.1.1 --vlan 200 --from k0 --to out1
	check "$1: ... two tags" refused 1 "$words on k0, a $1: use --from k0.100 --vlan 200" \
	    ctl add-group 239.1.1.1 --vlan 100.200 --from k0 --to out1
	echo 'group 239.1.1.1 --vlan 200 --from k0 --to out1' >"$work/vlan"
	check "$1: ... in a file to apply" refused 1 "$words on k0" ctl apply "$work/vlan"
	ctl add-group 239.1.1.1 --from k0 --to out0 >"$work/out" 2>&1
	check "$1: without one it warns" grep "k0: $words there: frames of any VLAN" "$work/out"
	check "$1: it is active" until_true 5 is active group 239.1.1.1 .state
	check "$1: list-interfaces says so" sh -c "'$build/cli/xmcastctl' list-interfaces | grep '$words'"
	check "$1: doctor says so, and what to do" doctor_says warning "$words.*$2"
	same "$1: explain says so" "$(explained 100)" "copied: $words on k0: this frame counts as untagged"
	same "$1: ... of two tags" "$(explained 100.200)" "passed: a group of this address is there, \
but for untagged frames; $words on k0: only the inner one counts"
	check "$1: and so it is: untagged" frames -- all:r0 none:r1
	check "$1: ... one tag, which the copies have" frames --vlan 100 -- all:r0 none:r1
	check "$1: ... two tags" frames --window 0 --vlan 100.200 -- none:r0 none:r1

	check "$1: a group of a file with a VLAN" configure "$(cat "$work/vlan")"
	check "$1: ... has failed" until_true 5 is failed group 239.1.1.1 .state
	check "$1: ... and says what to use" sh -c "'$build/cli/xmcastctl' list-groups 2>&1 | grep 'use --from k0.200'"
	check "$1: ... an inner tag does not pass for it" frames --window 0 --vlan 100.200 -- none:r0 none:r1
}

ip link add k0 type bridge mcast_snooping 0
ip link set k0 up
ip link set in0 master k0
until_true 5 sh -c 'bridge link show dev in0 | grep -q forwarding'
hides bridge 'ip link set dev k0 type bridge vlan_filtering 1'
check "its port instead" configure 'group 239.1.1.1 --vlan 200 --from in0 --to out1'
check "... is active" until_true 5 is active group 239.1.1.1 .state
check "... and tells VLANs apart" frames --vlan 200 -- all:r1 none:r0
ip link del k0
ip link add k0 link in0 type macvlan mode bridge
ip link set k0 up
hides macvlan 'from in0 '
finish
