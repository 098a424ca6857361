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
finish
