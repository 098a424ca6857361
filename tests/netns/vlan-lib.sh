# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests of VLANs: hosts with VLAN interfaces, offloads as they are by default.
# The same group in VLAN 100, in VLAN 200, inside both tags and without one leads to others each:
#
#   untagged  out0, out2      VLAN 100  out0, out1
#   100.300   out0            VLAN 200  out1, out2

# vlan_netdevs NS IF: IF.100, IF.200 and, inside the former, IF.in.
vlan_netdevs()
{
	for v in 100 200; do
		ip -n "$1" link add link "$2" name "$2.$v" type vlan id $v || return 1
		ip -n "$1" link set "$2.$v" up
		ip -n "$1" addr add "10.$v.${3:-0}.2/24" dev "$2.$v"
	done
	ip -n "$1" link add link "$2.100" name "$2.in" type vlan id 300
	ip -n "$1" link set "$2.in" up
	ip -n "$1" addr add "10.99.${3:-0}.2/24" dev "$2.in"
}

# vlan_hosts: the sender and the three receivers; fails where the kernel has no VLAN netdevs.
vlan_hosts()
{
	vlan_netdevs s s0 9 2>"$work/made.out" || return 1
	for i in 0 1 2; do
		vlan_netdevs "r$i" "r$i" $i
		ns "r$i" sh -c 'for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >$f; done'
	done
}

vlan_groups()
{
	ctl add-group 239.1.1.1 --from in0 --to out0,out2 &&
	    ctl add-group 239.1.1.1 --vlan 100 --from in0 --to out0,out1 &&
	    ctl add-group 239.1.1.1 --vlan 200 --from in0 --to out1,out2 &&
	    ctl add-group 239.1.1.1 --vlan 100.300 --from in0 --to out0 &&
	    until_true 10 settled
}

# stays_inside COUNT [FLOWS]: four senders at once, or so many of them. Every host of a VLAN gets all of its own, and a
# datagram of another VLAN at any interface is foreign there. (With two tags none of 1472 bytes fits a veth.)
stays_inside()
{
	senders=
	last=${2:-4}
	for flow in "1 s0 all:r0 none:r1 all:r2" \
	    "2 s0.100 all:r0:r0.100 all:r1:r1.100 none:r2:r2.100" \
	    "3 s0.200 none:r0:r0.200 all:r1:r1.200 all:r2:r2.200" \
	    "4 s0.in all:r0:r0.in none:r1:r1.in none:r2:r2.in"; do
		set -- "$1" $flow
		[ "$2" -le "$last" ] || continue
		(
			count=$1 number=$2 from=$3
			shift 3
			deliver -k "v$number" -n "$count" -b 64,1400 -w 32 -f "$number" -i "$from" 239.1.1.1 "$@"
		) &
		senders="$senders $!"
	done
	bad=0
	for sender in $senders; do
		wait "$sender" || bad=$((bad + 1))
	done
	cat "$work"/recv.v? | sort
	[ $bad = 0 ]
}
