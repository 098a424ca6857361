#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: an exclude map of which one write fails, or one interface vanishes while it is written: who is
# excluded gets nothing, then and later; the others get all once the next change has come, or
# by themselves. A list that is too long is forgotten with its group.
. "$(dirname "$0")/lib.sh"
. "$tests/nomem-lib.sh"

network 1
# excluded NAME: a veth that would receive copies; its other end is called pNAME.
excluded()
{
	ip link add "$1" type veth peer name "p$1" netns r0 &&
	    ns r0 ethtool -K "p$1" gro on && ip link set "$1" up && ns r0 ip link set "p$1" up
}
for i in 0 1; do
	excluded x$i
done
until_true 5 carriers
group='239.1.1.1 --from in0 --to out0,x* --exclude x*'

# nth N ERROR: with the Nth write of an add-group failing.
nth()
{
	set -f
	ctl apply /dev/null && until_true 5 settled && fail_at "$1" "$2" || return 1
	ctl add-group $group && [ "$(seen)" -lt "$1" ] && echo "write $1 failed and was made up for"
	fail_at 0
	deliver -w 0 -n 50 239.1.1.1 none:r0:px0 none:r0:px1 || return 1
	ctl add-group 239.3.3.3 --from in0 --to out0 && until_true 5 settled &&
	    deliver -n 100 239.1.1.1 all:r0 none:r0:px0 none:r0:px1
}

check "xmcastd starts" configure 'daemon --enforce lookup' 'interface in0 --mode native'
fail_at 0
set -f
check "a group with excludes" ctl add-group $group
set +f
check "settled" until_true 5 settled
writes=$(seen)
comment "$writes writes into maps"
check "who is excluded gets none" deliver 239.1.1.1 all:r0 none:r0:px0 none:r0:px1
# The maps of the excludes come first.
for error in $EINVAL ${long:+$ENOMEM}; do
	for n in $(seq $([ -n "$long" ] && echo "$writes" || echo 5)); do
		check "write $n of $writes fails with error $error" nth "$n" "$error"
	done
done

# two ERROR: the first write and, for want of memory, a later one fail. What may pass is tried again by
# itself, whatever else failed.
two()
{
	set -f
	for n in $(seq 2 "$writes"); do
		ctl apply /dev/null && until_true 5 settled && fail_at 1 "$1" "$n" $ENOMEM || return 1
		ctl add-group $group && echo "writes 1 and $n failed and were made up for"
		until_true 5 settled && deliver -n 100 239.1.1.1 all:r0 none:r0:px0 none:r0:px1 && continue
		echo "writes 1 and $n"
		return 1
	done
}
check "a write that fails for good, and one for want of memory" two $EINVAL
fail_at 0

# vanishes N: of two interfaces that come at once, the first goes before the Nth write since then.
stopped()
{
	grep -q '^State:.T' "/proc/$daemon_pid/status"
}
vanishes()
{
	kill -STOP "$daemon_pid" && until_true 5 stopped && excluded xa && excluded xb &&
	    fail_at "$1" 0 && kill -CONT "$daemon_pid" && until_true 5 is "$1" seen &&
	    until_true 5 stopped && ip link del xa && kill -CONT "$daemon_pid" &&
	    until_true 5 carriers && until_true 5 settled &&
	    deliver 239.1.1.1 all:r0 none:r0:pxb none:r0:px0 || return 1
	ip link set xb down && ip link set xb up && until_true 5 carriers && until_true 5 settled &&
	    deliver 239.1.1.1 all:r0 none:r0:pxb none:r0:px0 && ip link del xb
}
for n in 1 ${long:+2 3}; do
	check "an interface vanishes before write $n" vanishes $n
done

for i in $(seq 515); do
	echo "link add many$i type veth peer name more$i"
done | ip -batch -
check "a list that means more than any map holds" refused 1 'matches more than' \
    ctl add-group 239.4.4.4 --from in0 --to out0 --exclude 'm*'
check "... its group is copied to nobody, and that is said" is no-egress group 239.4.4.4 .state
check "... it goes" ctl del-group 239.4.4.4
check "... and its problem with it" is null said_problem
check "... nobody else is refused for it" ctl add-group 239.4.4.5 --from in0 --to out0
check "... and what is asked for forwards" deliver 239.4.4.5 all:r0
finish
