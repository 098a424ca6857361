#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: an ingress whose device filters multicast gets it all while groups use it, and is as before
# afterwards (case 45). A macvlan is such a device; it has no native XDP, so `auto` says generic.
. "$(dirname "$0")/lib.sh"

network 2
ip link add mv0 link in0 type macvlan mode bridge
ip link set mv0 up

allmulti()
{
	ip -d link show mv0 | sed -n 's/.* allmulti \([0-9]*\).*/\1/p'
}
flagged()
{
	ip link show mv0 | grep -q '[<,]ALLMULTI[,>]'
}
unflagged()
{
	! flagged
}

same "a macvlan does not take all multicast by itself" 0 "$(allmulti)"
check "xmcastd starts" configure ''
check "add-group" ctl add-group 239.1.1.1 --from mv0 --to out0,out1
check "active" until_true 5 is active group 239.1.1.1 .state
check "auto chose generic" is generic iface mv0 .mode
check "... and says why" sh -c "'$build/cli/xmcastctl' --json list-interfaces |
    jq -e '.interfaces[] | select(.interface == \"mv0\") | .detail | length > 10'"
check "IFF_ALLMULTI is set" flagged
before
check "datagrams arrive that nobody joined at the macvlan" deliver 239.1.1.1 all:r0 all:r1
check "exact" sums 1000 2000
check "del-group" ctl del-group 239.1.1.1
check "IFF_ALLMULTI is gone with the last group" until_true 5 unflagged
check "native is strict: it fails, and says so" configure 'interface mv0 --mode native'
ctl add-group 239.1.1.1 --from mv0 --to out0 >"$work/strict.out" 2>&1
check "... the group failed" until_true 5 is failed group 239.1.1.1 .state
check "... with no program attached" sh -c '! ip link show mv0 | grep -q xdp'

ip link set mv0 allmulticast on
check "xmcastd starts" configure ''
check "add-group" ctl add-group 239.1.1.1 --from mv0 --to out0,out1
check "active" until_true 5 is active group 239.1.1.1 .state
check "del-group" ctl del-group 239.1.1.1
check "detached" until_true 5 sh -c '! ip link show mv0 | grep -q xdp'
check "what the administrator had set stays" flagged
finish
