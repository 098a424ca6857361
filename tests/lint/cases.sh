#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: cases.sh [--table]: each of the 47 reports of what users of such tools ran into, which tests
# name as `(case 31)` or `(cases 1-3, 23)`, has its test, and so has each reason of the closed list. --table
# prints which test has which report.
. "$(dirname "$0")/common.sh"

cases=47

# named: "NUMBER FILE" for each case that a comment or a result of a test names.
named()
{
	files '*.sh' '*.c' '*.py' | sed 's,^\./,,' | grep '^tests/' | grep -vE '^tests/(lint/|run\.sh)' |
	    xargs grep -oiE '\bcases? [0-9]+((-|, | and | to )[0-9]+)*([^:0-9]|$)' |
	    sed -E 's/^([^:]+):[Cc]ases? /\1 /; s/ to /-/g; s/( and|[^0-9a-z -]$|,)//g' |
	    awk '{ for (i = 2; i <= NF; i++) {
		n = split($i, range, "-")
		for (c = range[1]; c <= range[n]; c++) print c, $1
	    } }' | sort -n -u
}

table=$(named)
[ "${1:-}" != --table ] || {
	for case in $(seq $cases); do
		echo "$case" $(echo "$table" | sed -n "s/^$case //p")
	done
	exit
}
check "every case has a test that names it" "$(for case in $(seq $cases); do
	echo "$table" | grep -q "^$case " || echo "nobody names case $case"
done)"
check "no case is named that there is not" "$(echo "$table" | awk -v last=$cases '$1 < 1 || $1 > last')"

# Those of bpf/lists.h; stats, trace and explain are asked for each by the tests of reasons.
reasons=$(sed -n '/^#define XM_COUNTED_REASONS/,/^enum/s/.*X([A-Z_]*, "\([a-z-]*\)".*/\1/p' bpf/lists.h)
check "there is a list of reasons" "$([ "$(echo "$reasons" | wc -l)" -ge 20 ] || echo "$reasons")"
check "every reason is provoked by a test of reasons" "$(for reason in $reasons; do
	grep -qE "(^|[^a-z-])$reason([^a-z-]|\$)" tests/netns/reasons.sh tests/netns/reasons-modules.sh ||
		echo "nobody provokes $reason"
done)"
done_checks
