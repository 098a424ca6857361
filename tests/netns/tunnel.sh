#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: datagrams inside VXLAN: behind a veth their checksums are unfinished, which native copies cannot
# mend; doctor says so and mends it, generic mode has no need to (case 46).
. "$(dirname "$0")/lib.sh"

network 1
# vxlan NS IF ADDRESS GROUP
vxlan()
{
	ip -n "$1" link add vx0 type vxlan id 7 dev "$2" group "$4" dstport 4789
	ip -n "$1" link set vx0 up
	ip -n "$1" addr add "$3/24" dev vx0
	ns "$1" sh -c 'for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >$f; done'
}
inside()
{
	deliver -n 200 -b 64,900 -w 32 -i vx0 239.1.2.3 "$1:r0:vx0"
}
tunnels()
{
	ctl --json doctor | jq -r '[.findings[] | select(.check == "tunnels")][0] | .level + ": " + .remedy'
}
remedy='nsenter --net=/run/netns/s ethtool -K s0 tx-checksum-ip-generic off'

for group in 239.7.7.7 ff15::7; do
	vxlan s s0 10.77.0.2 $group
	vxlan r0 r0 10.77.0.3 $group
	check "$group, generic: xmcastd starts" configure "group $group --from in0 --to out0" \
	    'interface in0 --mode generic'
	check "... settled" until_true 5 settled
	check "... datagrams inside arrive" inside all
	same "... doctor finds nothing" "$(tunnels)" 'ok: '
	check "$group, native: xmcastd starts" configure 'interface in0 --mode native' \
	    'group 239.1.1.1 --from in0 --to out0'
	same "... a tunnel whose group nobody copies is nothing to doctor" "$(tunnels)" 'ok: '
	check "... its group, by a prefix" ctl add-group "${group%7}0/$([ $group = ff15::7 ] && echo 112 || echo 24)" \
	    --from in0 --to out0
	check "... settled" until_true 5 settled
	same "... doctor warns" "$(tunnels)" "warning: $remedy"
	check "... which mends it" sh -c "$remedy"
	same "... doctor finds nothing" "$(tunnels)" 'ok: '
	check "... datagrams inside arrive" inside all
	ns s ethtool -K s0 tx on >/dev/null
	ip -n s link del vx0
	ip -n r0 link del vx0
done
finish
