#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: explain says of a frame that has not come what then happens to it (and why: cases 8, 11, 13).
. "$(dirname "$0")/lib.sh"

# why FILTER OPTION...: one text out of explain.
why()
{
	filter=$1
	shift
	ctl --json explain --from in0 "$@" | jq -r ".frame | $filter"
}
# egress IF OPTION...: what happens to the copy for that egress: its outcome or reason.
egress()
{
	name=$1
	shift
	why "[.egress[] | select(.interface == \"$name\") | .reason // .outcome] | join(\",\")" "$@"
}
# who OPTION...: the interfaces that get a copy.
who()
{
	why '[.egress[] | select(.outcome == "transmitted") | .interface] | sort | join(",")' "$@"
}

network 4
ip link set out2 mtu 1000
ip -n r2 link set r2 mtu 1000
ip link set out3 down
configure 'group 239.1.1.1 --from in0 --to out0,out1,out2,out3' \
    'group 239.1.0.0/16 --from in0 --to out0' \
    'group 239.1.1.2 --from in0 --to out1 --source 10.9.0.2' \
    'group 239.1.1.3 --from in0 --to out1 --vlan 5' \
    'group 239.1.1.4 --from in0 --to out3' \
    'group ff15::1 --from in0 --to out0,out1 --exclude out1' 'interface in0 --mode native'
until_true 5 settled || not_ok "the daemon does not settle"

same "a frame of the group is copied to those that are ready" "$(who --group 239.1.1.1)" out0,out1,out2
check "... and is" deliver -n 50 -b 64,900 239.1.1.1 all:r0 all:r1 all:r2
same "... by this group" "$(why '.group.address + " " + .verdict' --group 239.1.1.1)" \
    "239.1.1.1 copied"
same "what is down is named, with its reason" "$(egress out3 --group 239.1.1.1)" down
same "... and with what to do" \
    "$(why '.egress[] | select(.interface == "out3") | .detail' --group 239.1.1.1)" \
    "run: ip link set out3 up"
same "a frame above an egress's MTU is too big for it" \
    "$(egress out2 --group 239.1.1.1 --size 1400)" too-big
same "... and not for the others" "$(who --group 239.1.1.1 --size 1400)" out0,out1
same "1014 bytes fit an MTU of 1000, 1015 do not" \
    "$(egress out2 --group 239.1.1.1 --size 1014),$(egress out2 --group 239.1.1.1 --size 1015)" \
    transmitted,too-big
same "the longest prefix is told" "$(why .group.address --group 239.1.7.7)" 239.1.0.0/16
same "a source is told" "$(why .group.source --group 239.1.1.2 --source 10.9.0.2)" 10.9.0.2
same "another source belongs to the shorter prefix" \
    "$(why .group.address --group 239.1.1.2 --source 10.9.0.3)" 239.1.0.0/16
same "a tag decides" "$(who --group 239.1.1.3 --vlan 5) $(who --group 239.1.1.3)" "out1 out0"
same "no member ready: dropped, and why" \
    "$(why '.verdict + " " + .reason' --group 239.1.1.4)" "dropped no-egress"
same "IPv6, with an exclude" "$(who --group ff15::1)" out0
same "no group: passed, as what" "$(why '.verdict + " " + .protocol' --group 239.2.1.1)" "passed ipv4"
same "224.0.0.1 is not 239.128.0.1 and always passes" \
    "$(why '.verdict + " " + .protocol' --group 224.0.0.1)" "passed control"

# The kernel is asked, not the daemon: what somebody else takes out of the maps is seen.
cookie=$(ls -d /sys/fs/bpf/xmcast/l*)
slot=$(why .set --group 239.1.7.7)
check "a word that somebody else wrote into the map is obeyed" bpftool map update \
    pinned "$cookie/sets" key $(printf '%d %d 0 0' $((slot % 256)) $((slot / 256))) \
    value 0 0 0 0 0 0 0 0
same "... explain sees it" "$(why .reason --group 239.1.7.7)" no-egress
before
check "... and so does the next frame" deliver -n 20 239.1.7.7 none:r0
is 20 dropped no-egress >"$work/out" && ok "... which counts there" || not_ok "... which counts there" "$work/out"

# --enforce lookup: the exclude is in a map of its own.
configure 'daemon --enforce lookup' 'group 239.1.1.1 --from in0 --to out0,out1 --exclude out1' \
    'interface in0 --mode native'
until_true 5 settled || not_ok "the daemon does not settle"
same "an exclude map is consulted" \
    "$(who --group 239.1.1.1) $(egress out1 --group 239.1.1.1)" "out0 excluded"
check "... as it is for frames" deliver -n 20 239.1.1.1 all:r0 none:r1

# Why no program is there, to its end: that is where the mending command is.
configure ''
ns s ip link set s0 mtu 9000
configure 'group 239.1.1.1 --from in0 --to out0' 'interface in0 --mode native' 2>/dev/null
until_true 5 is failed group 239.1.1.1 .state
whole='cannot attach to in0 in native mode: .*, or use `interface in0 --mode generic`$'
check "explain tells all of why it could not be attached" eval \
    'why .detail --group 239.1.1.1 | grep "^$whole"'
check "... as does list-groups" eval 'group 239.1.1.1 .detail | grep "^$whole"'
check "... and doctor" eval 'ctl doctor | grep "program  *in0: no program is attached: .*--mode generic\`;"'
ns s ip link set s0 mtu 1500
configure 'group 239.1.1.1 --from in0 --to out0,out1' 'interface in0 --mode native'
until_true 5 settled

# One that waits for its ingress, and one that was taken off.
ctl detach in0 >/dev/null
check "detached: passed, and how to attach" eval \
    'why .detail --group 239.1.1.1 | grep -q "xmcastctl attach in0"'
check "an interface that nobody knows is an error" refused 1 'no interface nosuch' \
    ctl explain --from nosuch --group 239.1.1.1
check "a prefix is no frame" refused 1 'one address' ctl explain --from in0 --group 239.1.0.0/16

# A daemon that took over reads the maps all the same.
ctl attach in0 >/dev/null
configure 'group 239.1.1.1 --from in0 --to out0,out1' 'interface in0 --mode native'
until_true 5 settled
stop_daemon KILL
daemon
same "after a crash and restart" "$(who --group 239.1.1.1)" out0,out1
ip link set in0 mtu 1500
configure 'group 239.1.1.1 --from in0 --to out0,out3' 'interface in0 --mode generic'
until_true 5 settled
same "generic: one member of two is ready" \
    "$(why .mode --group 239.1.1.1) $(who --group 239.1.1.1) $(egress out3 --group 239.1.1.1)" \
    "generic out0 down"
finish
