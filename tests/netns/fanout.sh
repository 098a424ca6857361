#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: 1 to 64 receivers, both modes, IPv4, IPv6 and VLAN: each receiver's socket gets each
# datagram exactly once, in order, intact; the excluded and the ingress get none; all sums are
# exact. 100,000 datagrams for some, for all with --long.
. "$(dirname "$0")/lib.sh"

network 65
ns r64 ip link set r64 up

# case MODE FAMILY N COUNT: FAMILY is ipv4, ipv6 or vlan.
fan()
{
	mode=$1
	family=$2
	n=$3
	count_of=$4
	[ -z "$long" ] || count_of=100000
	vlan=
	case $family in
	ipv6) address=ff15::1:1 ;;
	vlan)
		address=239.1.1.1
		vlan='--vlan 100'
		;;
	*) address=239.1.1.1 ;;
	esac
	window=128
	# Without NAPI at in0 frames wait in the CPU's backlog, of 1000 for all.
	[ "$mode" = native ] || [ "$n" -lt 8 ] || window=64
	ctl add-group $address --from in0 --to "$(outs "$n"),out64,in0" --exclude out64 $vlan ||
		return 1
	fanned
	rc=$?
	ctl del-group $address $vlan && return $rc
}
fanned()
{
	until_true 5 settled || return 1
	before
	deliver -n "$count_of" -w $window $address $(all_of "$n") none:r64 none:s:s0 || return 1
	sums "$count_of" $((count_of * n))
}

for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode"
	for n in 1 2 3 8 64; do
		many=100000
		[ $n -lt 64 ] || many=10000
		check "$mode, IPv4, $n receivers" fan $mode ipv4 $n $many
		check "$mode, IPv6, $n receivers" fan $mode ipv6 $n 2000
	done
done

tag_sender
for i in $(seq 0 64); do
	tag_receiver "$i"
done
for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode"
	for n in 1 2 3 8 64; do
		check "$mode, VLAN, $n receivers" fan $mode vlan $n 2000
	done
done
finish
