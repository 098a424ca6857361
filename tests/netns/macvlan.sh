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

# The kernel takes no program off below a device that has one: it goes after that one.
ctl_status()
{
	ctl --json status | jq -r "$1"
}
bare()
{
	! ip link show "$1" | grep -q xdp
}
both()
{
	configure '' && ctl add-group 239.1.1.1 --from in0 --to out0 &&
	    until_true 5 is active group 239.1.1.1 .state &&
	    ctl add-group 239.1.1.2 --from mv0 --to out1 &&
	    until_true 5 is active group 239.1.1.2 .state
}
detail()
{
	ctl --json list-interfaces | jq -r ".interfaces[] | select(.interface == \"$1\") | .detail"
}
check "an ingress below another" both
was=$(detail in0)
check "... trace cannot exchange its program" \
    sh -c "! timeout 60 '$build/cli/xmcastctl' trace 239.1.1.1 --from in0 >'$work/trace.out' 2>&1"
check "... and says so" grep 'program of in0 cannot be exchanged' "$work/trace.out"
check "... which is no matter of the next change" ctl add-group 239.5.5.5 --from mv0 --to out0
same "... nor of the ingress, later" "$was" "$(detail in0)"
check "... gone again" ctl del-group 239.5.5.5
check "deleting the group below does not do all of it" \
    sh -c "! '$build/cli/xmcastctl' del-group 239.1.1.1 >'$work/del.out' 2>&1"
check "... and says what is not in force" grep 'cannot detach from in0' "$work/del.out"
check "... whose group is deleted: the program stays, and status says why" \
    until_true 5 sh -c "'$build/cli/xmcastctl' status | grep 'upper device already has a program'"
check "... which is no matter of the next change" ctl add-group 239.5.5.5 --from mv0 --to out0
check "... status goes on to say it" \
    sh -c "'$build/cli/xmcastctl' status | grep 'upper device already has a program'"
check "... gone again" ctl del-group 239.5.5.5
check "... passes everything" deliver -n 100 239.1.1.1 none:r0
check "... the one above goes on" deliver -n 100 239.1.1.2 all:r1
check "... and goes with it" ctl del-group 239.1.1.2
check "... from above" until_true 5 bare mv0
check "... and below" until_true 5 bare in0
check "... status has no problem" until_true 5 is null ctl_status .problem
check "both again" both
ctl del-group 239.1.1.1 >"$work/del.out" 2>&1
stop_daemon KILL
check "... a daemon that was killed meanwhile" daemon
check "... knows of it" ctl del-group 239.1.1.2
check "... both go" until_true 5 bare in0
check "both once more" both
stop_daemon
check "--purge" "$build/daemon/xmcastd" --purge --runtime-dir "$work/run" --bpffs /sys/fs/bpf/xmcast
check "... leaves nothing above" bare mv0
check "... nor below" bare in0
finish
