#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: excludes: the two ways to enforce them deliver exactly the same frames.
. "$(dirname "$0")/lib.sh"

network 5
ip link set in0 address 02:09:00:00:00:01

for mode in native generic; do
	for enforce in fold lookup; do
		check "$mode, $enforce: xmcastd starts" configure "daemon --enforce $enforce" \
		    "interface in0 --mode $mode --exclude out3"
		check "... a group with a pattern and an exclude" ctl add-group 239.1.1.1 \
		    --from in0 --to 'out*,in0' --exclude 'out1'
		check "... a group without" ctl add-group 239.1.1.2 --from in0 --to 'out*'
		check "... settled" until_true 5 settled
		before
		check "$mode, $enforce: the excluded get none" deliver -n 2000 239.1.1.1 \
		    all:r0 none:r1 all:r2 none:r3 all:r4 none:s:s0
		check "$mode, $enforce: an exclude of the ingress holds for each group" \
		    deliver -n 2000 239.1.1.2 all:r0 all:r1 all:r2 none:r3 all:r4
		if [ $enforce = fold ]; then
			check "$mode, $enforce: the sums are exact" sums 4000 14000
		else
			check "$mode, $enforce: the sums are exact" sums 4000 20000 14000
			check "$mode, $enforce: with the reason" until_true 3 is 6000 dropped excluded
		fi
		for to in 239.1.1.1 239.1.1.2; do
			last=${to##*.}
			roles='all:r0 all:r1 all:r2 none:r3 all:r4'
			[ "$last" = 2 ] || roles='all:r0 none:r1 all:r2 none:r3 all:r4'
			check "$mode, $enforce: $to as sent" captured \
			    --dst "01:00:5e:01:01:0$last" --from 10.9.0.2 --to $to -- $roles
			rm -rf "$work/$mode-$enforce-$last"
			mv "$work/frames" "$work/$mode-$enforce-$last"
		done

		check "$mode, $enforce: add-exclude on a live group" ctl add-exclude 239.1.1.2 out0
		check "$mode, $enforce: ... settled" until_true 5 settled
		check "$mode, $enforce: ... it is excluded" deliver 239.1.1.2 \
		    none:r0 all:r1 all:r2 none:r3 all:r4
		check "$mode, $enforce: del-exclude" ctl del-exclude 239.1.1.2 out0
		check "$mode, $enforce: ... settled" until_true 5 settled
		check "$mode, $enforce: ... it is back" deliver 239.1.1.2 \
		    all:r0 all:r1 all:r2 none:r3 all:r4
		check "$mode, $enforce: del-egress and add-egress" sh -c "
		    '$build/cli/xmcastctl' add-egress 239.1.1.1 out3 &&
		    '$build/cli/xmcastctl' del-egress 239.1.1.1 out3"
	done
	for last in 1 2; do
		check "$mode: fold and lookup delivered identical frames ($last)" \
		    diff -r "$work/$mode-fold-$last" "$work/$mode-lookup-$last"
	done
done
for last in 1 2; do
	check "native and generic delivered identical frames ($last)" \
	    diff -r "$work/native-fold-$last" "$work/generic-fold-$last"
done

# More excluded links than an exclude map holds at first (128): the one that makes it grow comes while
# frames flow, and gets none of them.
for i in $(seq 64); do
	echo "link add x$i type veth peer name x${i}p"
done | ip -batch -
ip link add late type veth peer name late0 netns r2
ns r2 ethtool -K late0 gro on
ns r2 ip link set late0 up
arrives()
{
	ip link set late down
	ip link set late name "$1"
	ip link set "$1" up
	deliver_beside -n 30000 -r 20000 239.1.1.3 all:r0 all:r1 none:r2:late0
	until_true 5 at_least 2000 group 239.1.1.3 .frames
	ip link set "$1" down
	ip link set "$1" name "$2"
	ip link set "$2" up
	wait $traffic
	rc=$?
	cat "$work/deliver.out"
	[ $rc = 0 ]
}
for mode in native generic; do
	check "$mode, lookup: xmcastd starts" configure 'daemon --enforce lookup' \
	    "interface in0 --mode $mode"
	check "... 128 links are excluded" ctl add-group 239.1.1.3 --from in0 --to 'out*' \
	    --exclude 'x*,out9' --pending
	check "... settled" until_true 5 settled
	check "$mode, lookup: number 129 comes under load and gets none" arrives late out9
	check "... nor later" deliver 239.1.1.3 all:r0 all:r1 none:r2:late0
	ip link set out9 down
	ip link set out9 name late
done

# From one way to the other while frames flow. Lookup first: then the program can do both everywhere.
other_way()
{
	other_enforcer
	ctl reload && until_true 5 settled
}
for mode in native generic; do
	check "$mode: xmcastd starts" configure 'daemon --enforce lookup' \
	    'group 239.1.1.4 --from in0 --to out0,out1,out2 --exclude out1' "interface in0 --mode $mode"
	check "$mode: ... settled" until_true 5 settled
	check "$mode: from lookup to fold and back, under load" \
	    during 10 other_way -n 20000 -r 5000 239.1.1.4 all:r0 none:r1 all:r2
	comment "$happened times, $sent datagrams to each receiver"
done

[ -z "${XM_CORE:-}" ] || {
	comment "the core of it: without more exclude lists than there are maps for"
	finish
}
# More lists than there are maps for.
lists()
{
	printf '%s\n' 'daemon --enforce lookup' 'limit groups 5000' 'limit interfaces 6000' \
	    'group 239.1.1.4 --from in0 --to out0,out1 --exclude out1'
	seq "$1" | awk '{ print "group 239.2." int($1 / 250) "." $1 % 250 " --from in0 --to out0 --exclude x" $1 "*" }'
}
configure "$(lists 10)"
check "ten exclude lists" until_true 5 settled
lists 4200 >"$work/xmcastd.conf"
check "4200 are refused: how many there is room for, and what to do" \
    refused 1 'no room .* 4096 exclude lists .*let groups share them' ctl reload
check "... what is excluded gets none" deliver 239.1.1.4 all:r0 none:r1
lists 20 >"$work/xmcastd.conf"
check "... fewer are taken" ctl reload
check "... settled" until_true 5 settled
check "... and forwards" deliver 239.1.1.4 all:r0 none:r1
finish
