#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: two configurations in turn, by reload and by apply, while frames flow (10,000 times with XMCAST_LONG=1):
# each frame follows one of the two, and a group that is in both loses nothing.
. "$(dirname "$0")/lib.sh"

network 5
transactions=${long:+1250} # in each of eight combinations
transactions=${transactions:-40}

# The group has {0,1,4} or {2,3,4}: every frame goes to r0 and r1, or to r2 and r3, and to r4.
got()
{
	sed -n "s/^some:$1:[^ ]* got=\([0-9]*\) .*/\1/p" "$work/recv.d"
}
frames=20000
in_turn()
{
	beside "$work/changer.out" python3 "$tests/changer.py" "$XMCAST_SOCKET" 239.1.1.1 "$transactions" \
	    "$how" "$enforce" "$work/xmcastd.conf"
	changer=$!
	sent=0
	until_true 60 test -s "$work/changer.out" || return 1
	while kill -0 $changer 2>/dev/null; do
		deliver -k e -p 5001 -f 2 -n $((frames / 10)) -r 1000 239.1.1.9 all:r4 \
		    >"$work/both.out" 2>&1 &
		both=$!
		deliver -n $frames -r 10000 239.1.1.1 all:r4 some:r0 some:r1 some:r2 some:r3
		rc=$?
		wait $both || {
			cat "$work/both.out"
			return 1
		}
		[ $rc = 0 ] && [ "$(got r0)" = "$(got r1)" ] && [ "$(got r2)" = "$(got r3)" ] &&
		    [ $(($(got r0) + $(got r2))) = $frames ] || return 1
		sent=$((sent + frames))
	done
	wait $changer
	rc=$?
	cat "$work/changer.out"
	return $rc
}

sum=0
for how in reload apply; do
	for enforce in fold lookup; do
		for mode in native generic; do
			which="$how, $enforce, $mode"
			check "$which: xmcastd starts" configure "daemon --enforce $enforce" \
			    "interface in0 --mode $mode" 'group 239.1.1.9 --from in0 --to out4'
			check "$which: settled" until_true 5 settled
			check "$which: each frame follows one of the two" in_turn
			made=$(sed -n 's/^\([0-9]*\) transactions.*/\1/p' "$work/changer.out")
			sum=$((sum + ${made:-0}))
			comment "$which: $made transactions, $sent frames"
		done
	done
done
comment "$sum transactions in all"
finish
