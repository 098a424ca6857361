#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: run.sh [--long] [NAME...]: each fuzzer (or these) for a while, from its corpus and from what
# earlier runs here have found; prints executions and coverage. A finding stays in the build directory.
set -u
tests=$(cd "$(dirname "$0")" && pwd)
build=${XMCAST_BUILD_ASAN:-$tests/../../build-tests/asan}/tests/fuzz
seconds=10
[ "${1:-}" != --long ] || {
	seconds=300
	shift
}

[ -d "$build" ] || {
	echo "fuzz: nothing is built in $build: run sh tests/run.sh --suite fuzz" >&2
	exit 2
}
[ -x "$build/fuzz-control" ] || {
	echo '1..0 # SKIP clang has no libFuzzer here'
	exit 0
}
number=0
failed=0
for source in "$tests"/*.c; do
	name=$(basename "$source" .c)
	[ $# = 0 ] || echo "$*" | grep -qw "$name" || continue
	number=$((number + 1))
	log=$build/fuzz-$name.log
	case $name in
	control) dictionary=messages.dict ;;
	*) dictionary=statements.dict ;;
	esac
	# 1, 2: what the target prints is nobody's business; libFuzzer has a descriptor of its own.
	"$build/fuzz-$name" -max_total_time=$seconds -max_len=4096 -timeout=10 -print_final_stats=1 \
	    -create_missing_dirs=1 -close_fd_mask=1 -artifact_prefix="$build/" \
	    -dict="$tests/$dictionary" "$build/found-$name" "$tests/corpus/$name" >"$log" 2>&1
	rc=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	edges=$(sed -n 's/.*Loaded 1 modules *(\([0-9]*\) inline.*/\1/p' "$log")
	covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
	if [ $rc = 0 ] && [ "${runs:-0}" -gt 0 ] && [ "${covered:-0}" -gt 0 ]; then
		echo "ok $number - fuzz-$name"
	else
		failed=$((failed + 1))
		echo "not ok $number - fuzz-$name: exit code $rc"
		grep -E 'ERROR|SUMMARY|broken promise|runtime error|Test unit' "$log" | sed 's/^/#   /'
	fi
	echo "# $name: ${runs:-0} executions in $seconds s, ${covered:-0} of ${edges:-0} edges covered"
done
echo "1..$number"
[ $failed = 0 ]
