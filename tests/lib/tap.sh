# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests in shell: results as TAP, and conditions that are waited for. $work is a directory
# for what is shown of failures.

number=0
failures=0
long=${XMCAST_LONG:-}

# comment TEXT...: a line for people.
comment()
{
	echo "$*" | sed 's/^/# /'
}

# ok WHAT / not_ok WHAT [FILE]: a result; FILE is what to show of a failure.
ok()
{
	number=$((number + 1))
	echo "ok $number - $1"
}
not_ok()
{
	number=$((number + 1))
	failures=$((failures + 1))
	echo "not ok $number - $1"
	[ ! -s "${2:-}" ] || tail -60 "$2" | sed 's/^/#   /'
}
skip()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# What else there is to say of a failure.
state_at_failure()
{
	:
}

# check WHAT COMMAND...: ok when the command succeeds; its output is shown when not.
check()
{
	what=$1
	shift
	if "$@" >"$work/check.out" 2>&1; then
		ok "$what"
	else
		[ -z "${XMCAST_KEEP:-}" ] || keep "$what" 2>/dev/null
		{
			echo "failed: $*"
			state_at_failure
		} >>"$work/check.out"
		not_ok "$what" "$work/check.out"
	fi
}

# refused CODE PATTERN COMMAND...: the command ends with that code and one line that matches; with
# code 2 how to write it may be a second line.
refused()
{
	code=$1
	pattern=$2
	shift 2
	rc=0
	"$@" >"$work/refused.out" 2>&1 </dev/null || rc=$?
	cat "$work/refused.out"
	echo "exit code $rc, expected $code and /$pattern/"
	[ "$rc" = "$code" ] && head -1 "$work/refused.out" | grep -qE -- "$pattern" &&
	    [ "$(grep -vc '^usage: ' "$work/refused.out")" = "${lines:-1}" ]
}

# same WHAT A B: ok when both are equal text.
same()
{
	printf 'left:  %s\nright: %s\n' "$2" "$3" >"$work/same.out"
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "$work/same.out"; fi
}

# until_true SECONDS COMMAND...: polls until it succeeds; fails at the deadline, which is its own, also
# when the command waits so, too.
until_true()
{
	local deadline
	deadline=$(($(date +%s) + $1))
	shift
	while ! "$@" >"$work/until.out" 2>&1; do
		[ "$(date +%s)" -lt "$deadline" ] || {
			echo "still not, after waiting: $*"
			cat "$work/until.out"
			return 1
		}
		sleep 0.02
	done
}

# beside FILE COMMAND...: starts it in the background ($!), with what it says in FILE, where nothing that
# another said before it can be taken for its own.
beside()
{
	: >"$1"
	beside_out=$1
	shift
	"$@" >"$beside_out" 2>&1 &
}

# keep WHAT: with --keep, a failed test stays for people to look, until Enter or a signal.
keep()
{
	{
		echo "$1 failed. Enter its namespaces from another terminal with"
		echo "  nsenter -n -m -p -t \$(pgrep -P $XMCAST_OUTSIDE) sh"
		echo "(ip netns lists the others, \`nsenter --net=/run/netns/r0\` enters one). Enter goes on."
	} >/dev/tty
	read -r _ </dev/tty
}

# finish: the plan and the exit code; the last line of every test.
finish()
{
	echo "1..$number"
	[ "$failures" = 0 ]
	exit
}
