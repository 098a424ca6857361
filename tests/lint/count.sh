#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The sums of tests/run.sh are read out of what programs print: every form is counted rightly, and
# no failure is missed.
. "$(dirname "$0")/common.sh"
. tests/lib/count.sh

log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# counts WHAT EXIT-CODE "PASSED FAILED SKIPPED" LINE...
counts()
{
	what=$1
	rc=$2
	want=$3
	shift 3
	printf '%s\n' "$@" >"$log"
	got=$(count_results "$log" "$rc")
	check "$what" "$([ "$got" = "$want" ] || echo "counted $got, should be $want")"
}

counts 'TAP' 0 '2 0 0' 'ok 1 - a' 'ok 2 - b' '1..2'
counts 'TAP with a failure and a skip' 1 '1 1 1' 'ok 1' 'not ok 2 - b' 'ok 3 - c # SKIP why' '1..3'
counts 'TAP that ends before its plan' 1 '1 2 0' '1..3' 'ok 1'
counts 'TAP that was skipped as a whole' 0 '0 0 1' '1..0 # SKIP needs root'
counts 'TAP of a program that died after its last result' 139 '2 1 0' 'ok 1' 'ok 2'
counts 'cmocka' 0 '3 0 1' '[==========] 4 test(s) run.' '[  PASSED  ] 3 test(s).' \
    '[  SKIPPED ] 1 test(s), listed below:'
counts 'cmocka with a failure' 1 '2 1 0' '[  PASSED  ] 2 test(s).' \
    '[  FAILED  ] 1 test(s), listed below:' '[  FAILED  ] test_b'
counts 'two cmocka groups' 0 '5 0 0' '[  PASSED  ] 2 test(s).' '[  PASSED  ] 3 test(s).'
counts 'sums, the last of which counts' 0 '7 0 2' '1 passed, 0 failed, 0 skipped' 'ok 1' \
    '7 passed, 0 failed, 2 skipped'
counts 'sums without a failure of a program that failed' 1 '7 1 0' '7 passed, 0 failed, 0 skipped'
counts 'silence and success' 0 '1 0 0' 'nothing to say'
counts 'silence and failure' 1 '0 1 0' 'nothing to say'
counts 'exit code 77' 77 '0 0 1' 'cannot run here'

done_checks
