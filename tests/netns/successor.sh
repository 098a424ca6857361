#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: what must not be lost or let through while things change hands: a successor with other
# groups, another way to enforce excludes, links that return unseen, pools that cannot grow.
. "$(dirname "$0")/lib.sh"

network 3
pair in1 s s1

# while_traffic COMMAND: runs it again and again until what `deliver` sends has arrived.
while_traffic()
{
	command=$1
	shift
	deliver_beside "$@"
	times=0
	while kill -0 $traffic 2>/dev/null && [ "$times" -lt 50 ]; do
		times=$((times + 1))
		"$command" $times || break
	done
	wait $traffic
	rc=$?
	cat "$work/deliver.out"
	echo "$times times"
	[ $rc = 0 ] && [ "$times" -gt 1 ]
}

# One group more for each successor: its entries are inserted before the old ones are switched.
kill_and_change()
{
	echo "group 239.2.1.$1 --from in0 --to out2" >>"$work/xmcastd.conf"
	kill -KILL "$daemon_pid"
	wait "$daemon_pid"
	daemon && until_true 10 settled
}
check "xmcastd starts" configure 'interface in0 --mode native' \
    'group 239.1.1.1 --from in0 --to out0,out1'
for i in $(seq 200); do
	echo "group 239.3.0.$i --from in0 --to out0,out1,out2"
done >>"$work/xmcastd.conf"
check "... settled" until_true 5 settled
check "killed and started with more groups: nothing lost" while_traffic kill_and_change \
    -n 80000 -r 10000 239.1.1.1 all:r0 all:r1 none:r2

# A group that has been deleted, and answered, is still in its grace period when the daemon dies.
deleted_and_killed()
{
	ctl add-group 239.1.1.1 --from in0 --to out2 && ctl del-group 239.1.1.1 --from in0 || return 1
	kill -KILL "$daemon_pid"
	wait "$daemon_pid"
	deliver_beside -n 5000 -r 5000 239.1.1.1 all:r0 all:r1 none:r2
	daemon && until_true 10 settled
	rc=$?
	wait $traffic && [ $rc = 0 ] && return
	cat "$work/deliver.out"
	return 1
}
check "xmcastd starts with a prefix" configure 'interface in0 --mode native' \
    'group 239.1.0.0/16 --from in0 --to out0,out1'
check "... settled" until_true 5 settled
for i in 1 2 3; do
	check "a group that was deleted stays so, killed at once ($i)" deleted_and_killed
done

otherwise()
{
	echo "group 239.2.1.$1 --from in0 --to out0,out1" >>"$work/xmcastd.conf"
	other_enforcer
}
reload_otherwise()
{
	otherwise "$1" && ctl reload
}
restart_otherwise()
{
	otherwise "$1"
	kill -KILL "$daemon_pid"
	wait "$daemon_pid"
	daemon && until_true 10 settled
}
for how in reload_otherwise restart_otherwise; do
	check "xmcastd starts with excludes" configure 'daemon --enforce fold' \
	    'interface in0 --mode native --exclude out2' \
	    'group 239.1.1.1 --from in0 --to out0,out1,out2 --exclude out1'
	check "... settled" until_true 5 settled
	check "fold and lookup in turn ($how): the excluded get nothing" while_traffic $how \
	    -n 40000 -r 10000 239.1.1.1 all:r0 none:r1 none:r2
done
for mode in native generic; do
	check "$mode: one list of egresses, excludes of one ingress only" configure \
	    'daemon --enforce fold' "interface in0 --mode $mode --exclude out2" \
	    "interface in1 --mode $mode" 'group 239.1.1.1 --from in0 --to out0,out2' \
	    'group 239.1.1.2 --from in1 --to out0,out2'
	check "$mode: ... settled" until_true 5 settled
	sed -i s/fold/lookup/ "$work/xmcastd.conf"
	check "$mode: ... by lookup from now on" ctl reload
	check "$mode: ... excluded" deliver -n 500 239.1.1.1 all:r0 none:r2
done

# unseen COMMAND: xmcastd learns of all that it does at once.
unseen()
{
	kill -STOP "$daemon_pid"
	"$@"
	rc=$?
	kill -CONT "$daemon_pid"
	return $rc
}
away_and_back()
{
	was=$(cat /sys/class/net/out0/ifindex)
	ip link set out0 netns hop && ip -n hop link set out0 netns home && ip link set out0 up &&
	    until_true 5 carriers && [ "$was" = "$(cat /sys/class/net/out0/ifindex)" ]
}
change_names()
{
	ip -batch - <<-END
		link set out1 down
		link set out2 down
		link set out1 name tmp
		link set out2 name out1
		link set tmp name out2
		link set out1 up
		link set out2 up
	END
	until_true 5 carriers
}
ip netns add hop
touch /run/netns/home && mount --bind /proc/self/ns/net /run/netns/home
for enforce in fold lookup; do
	check "$enforce: xmcastd starts" configure "daemon --enforce $enforce" \
	    'interface in0 --mode native' 'group 239.1.1.1 --from in0 --to out0,out1' \
	    'group 239.1.1.2 --from in0 --to out* --exclude out0'
	check "$enforce: ... settled" until_true 5 settled
	check "$enforce: an egress leaves the namespace and returns as the same ifindex" \
	    unseen away_and_back
	check "$enforce: ... it is ready" until_true 5 is ready egress_state 239.1.1.1 out0
	check "$enforce: ... and gets frames" deliver -n 500 -d 10 239.1.1.1 all:r0 all:r1
	check "$enforce: ... but none of what excludes it" deliver -n 500 239.1.1.2 none:r0 all:r1
done
check "two egresses change names" unseen change_names
check "... ready" until_true 5 is ready egress_state 239.1.1.2 out2
before
check "... both get frames" deliver -n 500 239.1.1.2 none:r0 all:r1 all:r2
check "... and are counted" sums 500 1500 1000

check "a pattern that means more than any devmap holds" configure 'limit interfaces 4096' \
    'limit members 16' 'interface in0 --mode generic'
for i in $(seq 520); do
	echo "link add many$i type veth peer name more$i"
done | ip -batch -
check "... is taken" ctl add-group 239.1.1.1 --from in0 --to 'out0,m*'
check "... as far as the limit goes" is members-limit egress_state 239.1.1.1 more520
check "... and forwards" deliver -n 500 239.1.1.1 all:r0

check "few descriptors" configure 'interface in0 --mode generic' \
    'group 239.1.1.1 --from in0 --to out0'
check "... settled" until_true 5 settled
prlimit --pid "$daemon_pid" --nofile="$(($(ls "/proc/$daemon_pid/fd" | wc -l) + 10)):100"
until_refused()
{
	for i in $(seq 2 60); do
		timeout 10 "$build/cli/xmcastctl" add-group 239.5.1.$i --from in0 \
		    --to out0,many$i && continue
		[ $? = 1 ] # not by the deadline
		return
	done
	return 1
}
check "... a change that has none left is refused, not retried for ever" until_refused
check "... what was there goes on" deliver -n 500 239.1.1.1 all:r0
finish
