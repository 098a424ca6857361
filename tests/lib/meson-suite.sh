#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: meson-suite.sh BUILD SUITE: runs the tests of one meson suite and prints what each of
# them counted, so that the sums are of test cases, not of programs.
set -u
build=$1
suite=$2
. "$(dirname "$0")/count.sh"

one=$(mktemp) || exit 1
trap 'rm -f "$one"' EXIT

rc=0
meson test -C "$build" --suite "$suite" --no-rebuild --num-processes 2 || rc=$?

passed=0
failed=0
skipped=0
results=$build/meson-logs/testlog.json
count=$(wc -l <"$results")
i=0
while [ $i -lt "$count" ]; do
	i=$((i + 1))
	sed -n "${i}p" "$results" | jq -r '(.stdout // ""), (.stderr // "")' >"$one"
	set -- $(sed -n "${i}p" "$results" | jq -r '.returncode, (.name | gsub(" "; "_"))')
	set -- "$1" "$2" $(count_results "$one" "$1")
	echo "# $2: $3 passed, $4 failed, $5 skipped"
	[ "$4" = 0 ] || {
		echo "not ok - $2"
		grep -E 'ERROR|LINE|FAILED|not ok|Sanitizer|runtime error|Assert' "$one" | sed 's/^/#   /' |
		    head -40
	}
	count_skips "$one" | sed 's/^/skipped: /'
	passed=$((passed + $3))
	failed=$((failed + $4))
	skipped=$((skipped + $5))
done
[ "$rc" = 0 ] || [ "$failed" != 0 ] || failed=1
echo "$passed passed, $failed failed, $skipped skipped"
exit "$rc"
