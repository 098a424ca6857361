#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All tests: installs what is missing, builds (gcc, clang, sanitizers), checks the sources,
# runs every suite. The last line is `N passed, N failed, N skipped`.
set -u

usage()
{
	cat <<-END
	usage: sudo sh tests/run.sh [--long] [--suite NAME]... [--keep]
	  --suite NAME  only this one: lint unit bpf fuzz netns vm bench packages (repeatable); netns-asan
	                and netns-tsan: the short form of all network tests with sanitizers
	  --long        also what takes longer than the ordinary run of under 20 minutes
	  --keep        keep the namespaces of a failed network test and say how to enter them
	END
	exit "$1"
}

suites=''
XMCAST_LONG=
XMCAST_KEEP=
while [ $# -gt 0 ]; do
	case $1 in
	--long) XMCAST_LONG=1 ;;
	--keep) XMCAST_KEEP=1 ;;
	--suite)
		[ $# -gt 1 ] || usage 2
		case $2 in
		lint | unit | bpf | fuzz | netns | netns-asan | netns-tsan | vm | bench | packages) ;;
		*) echo "no suite is called $2" && usage 2 ;;
		esac
		suites="$suites $2"
		shift
		;;
	--help) usage 0 ;;
	*) usage 2 ;;
	esac
	shift
done
[ -n "$suites" ] || suites='lint unit bpf fuzz netns vm bench packages'

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$top" || exit 1
builds=$top/build-tests
build=$builds/gcc
export XMCAST_LONG XMCAST_KEEP XMCAST_BUILD="$build"
# User-installed replacements of system tools are not what Debian's users have.
PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin:$PATH
export PATH

mkdir -p "$builds/log"
exec 9>"$builds/lock"
flock -n 9 || {
	echo "another tests/run.sh works in this tree (it holds $builds/lock): wait for it"
	exit 1
}

broken= # the builds that failed
passed=0
failed=0
skipped=0

. "$top/tests/lib/count.sh"

log_of()
{
	echo "$builds/log/$(echo "$1" | tr '/ ' '__').log"
}

# One step of the run: its output goes to a log, its results into the sums. It ends with us.
# step NAME SECONDS COMMAND...
step()
{
	begin "$@"
	end "$1" "$2"
}

# The same in two: it runs beside what is done until its end.
# begin NAME SECONDS COMMAND...
begin()
{
	log=$(log_of "$1")
	seconds=$2
	shift 2
	[ -z "$XMCAST_KEEP" ] || seconds=0 # people are slow
	date +%s >"$log.began"
	# a shell has these ignored in what it starts in the background
	env --default-signal=INT,QUIT setpriv --pdeathsig TERM timeout -k 10 "$seconds" "$@" \
	    >"$log" 2>&1 </dev/null 9>&- &
	begun=$!
}

# end NAME SECONDS: of the one begun last, or of process $begun. Its time is that of its last word.
end()
{
	ok=
	log=$(log_of "$1")
	wait "$begun"
	rc=$?
	[ $rc != 124 ] || echo "not ok - $1 took longer than $2 s" >>"$log"
	report "$1" "$log" "$rc" $(($(stat -c %Y "$log") - $(cat "$log.began")))
}

# report NAME LOG EXIT-CODE SECONDS
report()
{
	set -- "$1" "$2" "$3" "$4" $(count_results "$2" "$3")
	passed=$((passed + $5))
	failed=$((failed + $6))
	skipped=$((skipped + $7))
	printf '%-28s %5d passed %3d failed %3d skipped %5d s\n' "$1" "$5" "$6" "$7" "$4"
	count_skips "$2" | sort | uniq -c | sed 's/^ *1 //; s/^/    skipped: /'
	[ "$6" != 0 ] || ok=1
	[ "$6" = 0 ] || {
		echo "    --- $2"
		failures "$2" | sed 's/^/    /'
	}
}

# skip NAME WHY: a suite or a part of one that cannot run here.
skip()
{
	skipped=$((skipped + 1))
	printf '%-28s %5d passed %3d failed %3d skipped\n    skipped: %s\n' "$1" 0 0 1 "$2"
}

# has_suite BUILD SUITE: meson knows tests of that suite.
has_suite()
{
	meson introspect "$builds/$1" --tests |
	    jq -e --arg suite "xmcast:$2" 'any(.[]; .suite | index($suite))' >/dev/null
}

# meson_suite BUILD SUITE NAME SECONDS: what meson knows under that suite, if anything.
meson_suite()
{
	has_suite "$1" "$2" || return 0
	case " $broken " in
	*" $1 "*)
		skip "$3" "its build failed"
		return
		;;
	esac
	step "$3" "$4" sh "$top/tests/lib/meson-suite.sh" "$builds/$1" "$2"
}

# scripts SUITE SECONDS: tests/SUITE/run.sh, or else each tests/SUITE/NAME.sh that is a test.
scripts()
{
	if [ -f "tests/$1/run.sh" ]; then
		step "$1" "$2" sh "tests/$1/run.sh" ${XMCAST_LONG:+--long}
		return
	fi
	for script in tests/"$1"/*.sh; do
		[ -f "$script" ] && grep -q '^# test: ' "$script" || continue
		step "$1/$(basename "$script" .sh)" "$2" sh "$script"
	done
}

# sanitized BUILD SCRIPT...: network tests with the programs of that build; what its sanitizers found
# stands in $builds/log/BUILD.*, for the daemon may be killed before anyone reads its log.
sanitized()
{
	sanitizer=$1
	shift
	case " $broken " in
	*" $sanitizer "*)
		skip "netns/$sanitizer" "its build failed"
		return
		;;
	esac
	for script; do
		grep -q '^# test: ' "$script" || continue
		rm -f "$builds/log/$sanitizer".*
		step "netns/$sanitizer/$(basename "$script" .sh)" 3600 \
		    env "XMCAST_TOOLS=$build/tests/netns" sh tests/lib/sanitized.sh \
		    "$builds/$sanitizer" "$builds/log/$sanitizer" "$script"
	done
}

vm= # the process of the guest that was begun before its turn
begin_vm()
{
	has_suite gcc bpf || return 0
	begin vm 1600 sh tests/vm/run.sh 12 --build "$build" --suite bpf,vm --timeout 1500
	vm=$begun
}

run_suite()
{
	case $1 in
	lint)
		step lint/includes 60 sh tests/lint/includes.sh
		step lint/sources 60 sh tests/lint/lint.sh
		step lint/manual 60 sh tests/lint/manual.sh
		step lint/count 60 sh tests/lint/count.sh
		step lint/cases 60 sh tests/lint/cases.sh
		;;
	unit)
		meson_suite gcc unit unit 300
		meson_suite clang unit unit/clang 300
		meson_suite asan unit unit/asan+ubsan 600
		[ -z "$XMCAST_LONG" ] || meson_suite tsan unit unit/tsan 900
		;;
	fuzz)
		case " $broken " in
		*' asan '*) skip fuzz "its build failed" ;;
		*) scripts fuzz "${XMCAST_LONG:+5}600" ;;
		esac
		;;
	bpf | netns | netns-asan | netns-tsan | bench | vm | packages)
		if [ "$(id -u)" != 0 ]; then
			skip "$1" "needs root: sudo sh tests/run.sh"
			return
		fi
		if [ "$1" != "${1#netns-}" ]; then
			sanitized "${1#netns-}" tests/netns/*.sh
			return
		fi
		if [ "$1" = vm ]; then
			has_suite gcc bpf || return 0
			if [ -n "$XMCAST_LONG" ]; then
				step vm 7200 sh tests/vm/run.sh --build "$build"
				step vm/igb 3600 sh tests/vm/run.sh --build "$build" --suite vm-igb
				step vm/too-old 600 sh tests/vm/run.sh --build "$build" \
				    --suite vm-old --timeout 300 11
			else
				[ -n "$vm" ] || begin_vm
				begun=$vm
				end vm 1600
			fi
			return
		fi
		# Network tests wait more than they compute, the guest computes.
		[ "$1$XMCAST_LONG" != netns ] || case $suites in
		*netns*vm*) begin_vm ;;
		esac
		meson_suite gcc "$1" "$1" 900
		scripts "$1" "${XMCAST_LONG:+3}600"
		[ "$1$XMCAST_LONG" != bpf1 ] || meson_suite asan bpf bpf/asan+ubsan 1800
		[ "$1" = netns ] || return 0
		if [ -n "$XMCAST_LONG" ]; then
			run_suite netns-asan
			run_suite netns-tsan
		else
			sanitized asan tests/netns/slice.sh tests/netns/adopt.sh
		fi
		;;
	esac
}

summary()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$passed" != 0 ]
	exit
}

step install 900 sh tests/lib/install-packages.sh
[ "$failed" = 0 ] || summary
CC=gcc step build/gcc 900 sh tests/lib/build.sh "$build"
[ "$failed" = 0 ] || summary
case " $suites " in
*' unit '* | *' fuzz '* | *' netns '* | *' bpf '*)
	CC=clang step build/clang 900 sh tests/lib/build.sh "$builds/clang"
	[ -n "$ok" ] || broken="$broken clang"
	;;
esac
case " $suites " in
*' unit '* | *' fuzz '* | *' netns '* | *' netns-asan '* | *' bpf '*)
	CC=clang step build/asan+ubsan 900 sh tests/lib/build.sh "$builds/asan" \
	    -Db_sanitize=address,undefined -Db_lundef=false
	[ -n "$ok" ] || broken="$broken asan"
	;;
esac
case "$XMCAST_LONG $suites " in
1*' unit '* | 1*' netns '* | *' netns-tsan '*)
	CC=clang step build/tsan 900 sh tests/lib/build.sh "$builds/tsan" \
	    -Db_sanitize=thread -Db_lundef=false
	[ -n "$ok" ] || broken="$broken tsan"
	;;
esac
for suite in $suites; do
	run_suite "$suite"
done
summary
