#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For emulated machines, where scale.sh's limits say nothing: what 100,000 groups add to the answer to a
# link flap, beside the same flap with 100 groups.
. "$(dirname "$0")/lib.sh"

network 4
statements()
{
	awk -v groups="$1" 'BEGIN {
		for (i = 0; i < groups; i++)
			printf "group 239.%d.%d.%d --from in0 --to out%d,out3\n",
			    1 + int(i / 65536), int(i / 256) % 256, i % 256, i % 3
	}'
}
# answered GROUPS: the worst of ten answers, in milliseconds.
answered()
{
	statements "$1" >"$work/apply"
	ctl apply "$work/apply" && until_true 300 settled && "$tools/flap" "$XMCAST_SOCKET" out1 5
}
check "xmcastd starts" configure 'interface in0 --mode native' "limit groups 101000" \
    "limit entries 101000"
for groups in 100 100000; do
	check "$groups groups: a flap is answered" answered $groups
	took=$(tail -1 "$work/check.out")
	comment "$groups groups: $took ms at most, from the RTM_NEWLINK to the daemon's event"
	[ $groups = 100000 ] || few=$took
done
check "100,000 groups add less than 50 ms" [ $((${took%.*} - ${few%.*})) -lt 50 ]
finish
