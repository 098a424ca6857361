#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: bad input: one clear line each, nothing changed, the daemon alive (cases 33, 35, 36).
. "$(dirname "$0")/lib.sh"

network 3
# Both ends of one pair here, as a container host has them by mistake.
ip link add loop0 type veth peer name loop1
ip link set loop0 up
ip link set loop1 up

check "xmcastd starts" configure 'interface in0 --mode native' 'limit groups 5' 'limit members 2' \
    'limit sets 3'
check "a good group" ctl add-group 239.1.1.1 --from in0 --to out0
check "... active" until_true 5 is active group 239.1.1.1 .state

# bad WHAT PATTERN ADD-GROUP-ARGUMENT...: refused with one line, and nothing has changed.
# unwritten WHAT PATTERN ...: the same for what is no address, name or number at all: exit code 2.
bad()
{
	rejected 1 "$@"
}
unwritten()
{
	rejected 2 "$@"
}
rejected()
{
	code_wanted=$1
	what=$2
	pattern=$3
	shift 3
	ctl --json list-groups | jq -S . >"$work/groups.before"
	check "$what" refused $code_wanted "$pattern" ctl add-group "$@"
	ctl --json list-groups | jq -S . >"$work/groups.after"
	check "... nothing changed" cmp "$work/groups.before" "$work/groups.after"
}

bad "unicast" '10\.1\.1\.1.*multicast' 10.1.1.1 --from in0 --to out0
bad "unicast IPv6" 'multicast' 2001:db8::1 --from in0 --to out0
bad "a unicast MAC" 'multicast' 02:00:00:00:00:01 --from in0 --to out0
bad "a prefix that is more than multicast" 'multicast' 224.0.0.0/3 --from in0 --to out0
unwritten "no address at all" 'fish' fish --from in0 --to out0
unwritten "bits behind the prefix" '239\.1\.1\.1/8' 239.1.1.1/8 --from in0 --to out0
unwritten "a length that no address has" '33' 239.1.1.1/33 --from in0 --to out0
bad "source of the other family" 'source' 239.1.1.2 --from in0 --to out0 --source fd09::2
bad "a multicast source" 'source' 239.1.1.2 --from in0 --to out0 --source 239.1.1.1
unwritten "a VLAN that there cannot be" '4095|5000' 239.1.1.2 --from in0 --to out0 --vlan 5000
bad "an empty set after split horizon (case 36)" 'in0' 239.1.1.2 --from in0 --to in0
bad "an empty set after excludes" '239\.1\.1\.2' 239.1.1.2 --from in0 --to out0 --exclude out0
bad "the two ends of one veth pair (case 36)" 'loop1' 239.1.1.2 --from loop0 --to loop1
bad "an unknown egress" 'nope9' 239.1.1.2 --from in0 --to nope9
bad "an unknown exclude" 'nope9' 239.1.1.2 --from in0 --to out0 --exclude nope9
bad "several unknown ones, all named" 'nope8.*nope9|nope9.*nope8' 239.1.1.2 --from in0 --to nope8,nope9
unwritten "a name too long for an interface" 'a-name-much-too-long' 239.1.1.2 --from in0 \
    --to a-name-much-too-long
bad "the same key, other content" '239\.1\.1\.1' 239.1.1.1 --from in0 --to out1
bad "more members than the limit" 'members' 239.1.1.2 --from in0 --to out0,out1,out2
for i in 2 3 4 5; do
	check "group $i of 5" ctl add-group 239.1.1.$i --from in0 --to out0
done
bad "past the limit of groups" 'limit.*groups|groups.*limit' 239.1.1.6 --from in0 --to out0
check "del-group of one that is not there" refused 1 '239\.9\.9\.9' ctl del-group 239.9.9.9
check "the good group still forwards" deliver 239.1.1.1 all:r0 none:r1 none:r2

check "malformed, huge, slow and half messages" python3 "$tests/peers.py" "$XMCAST_SOCKET"
check "the daemon is alive" ctl status
same "... it is the same one" "$daemon_pid" "$(ctl --json status | jq .pid)"
check "... and forwards" deliver 239.1.1.1 all:r0 none:r1 none:r2
finish
