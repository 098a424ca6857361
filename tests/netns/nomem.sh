#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: the kernel has no memory for one write into a map, whichever of a change: the change says so, what
# was in force stays, and the next change makes all of it right, or time does.
. "$(dirname "$0")/lib.sh"

network 4
. "$tests/nomem-lib.sh"

# A node with sources and an ancestor with others, so that there are copies; prefixes, so that tries.
cat >"$work/sources" <<END
group 239.1.0.0/16 --from in0 --to out0 --source 10.9.0.2
group 239.1.1.1 --from in0 --to out1 --source 10.9.0.3
group 239.1.1.1 --from in0 --to out2 --source 10.9.0.4/31
group 239.1.1.1 --from in0 --to out3
group 239.2.2.2 --from in0 --to out3
END
echo 'group 239.2.2.2 --from in0 --to out3' >"$work/before"
sources_right()
{
	deliver -n 300 -s 10.9.0.2 239.1.1.2 all:r0 none:r1 none:r2 none:r3 &&
	    deliver -n 300 -s 10.9.0.3 239.1.1.1 none:r0 all:r1 none:r2 none:r3 &&
	    deliver -n 300 -s 10.9.0.4 239.1.1.1 none:r0 none:r1 all:r2 none:r3 &&
	    deliver -n 300 -s 10.9.0.2 239.1.1.1 none:r0 none:r1 none:r2 all:r3
}
# nth N: with the Nth write failing; the change after it makes all right.
nth()
{
	ctl apply "$work/before" && until_true 5 settled && fail_at "$1" || return 1
	if ctl apply "$work/sources"; then
		[ "$(seen)" -lt "$1" ] || echo "write $1 failed and was made up for"
	else
		said_problem | grep memory || return 1
	fi
	fail_at 0
	deliver -n 200 239.2.2.2 none:r0 none:r1 none:r2 all:r3 || return 1
	ctl add-group 239.3.3.3 --from in0 --to out0 && until_true 5 settled && sources_right &&
	    is null said_problem
}

# alone N: with the Nth write failing, and no change after it.
alone()
{
	ctl apply "$work/before" && until_true 5 settled && fail_at "$1" || return 1
	ctl apply "$work/sources" && echo "write $1 failed and was made up for"
	until_true 5 settled && sources_right && is null said_problem
}

now_ms()
{
	date +%s%3N
}
memory_wanting()
{
	said_problem | grep memory
}
wrote_since()
{
	[ "$(seen)" -gt "$1" ]
}
# seldom: the third pause from now on is longer than the first: twice as long as the one before each.
seldom()
{
	for pause in first second third; do
		before=$(seen) began=$(now_ms)
		until_true 30 wrote_since "$before" || return 1
		eval "$pause=$(($(now_ms) - began))"
	done
	echo "$first, $second, $third ms"
	! settled && [ "$third" -gt $((first + first / 2)) ]
}
# scarce N: no memory from the Nth write on, for long: what fails is tried again, but not at once.
scarce()
{
	ctl apply "$work/before" && until_true 5 settled && fail_from "$1" || return 1
	ctl apply "$work/sources"
	until_true 5 memory_wanting || return 1
	before=$(seen) began=$(now_ms)
	until_true 10 wrote_since "$before" || return 1
	more=$(($(seen) - before)) took=$(($(now_ms) - began))
	echo "$more writes in $took ms"
	[ $((more * 1000)) -le $((2 * writes * (took + 1000))) ] || return 1
	fail_from 0 && until_true 40 settled && sources_right && is null said_problem
}
# set_free: no memory for the one grace period behind a deletion, of which nobody hears but the status.
set_free()
{
	ctl apply "$work/before" && ctl add-group 239.3.3.3 --from in0 --to out3 &&
	    until_true 5 settled && fail_from 1 && ctl del-group 239.3.3.3 || return 1
	until_true 5 memory_wanting && seldom || return 1
	fail_from 0
	until_true 40 settled && is null said_problem
}

check "xmcastd starts" configure 'interface in0 --mode native'
check "apply" ctl apply "$work/before"
check "settled" until_true 5 settled
fail_at 0
check "apply of groups with sources" ctl apply "$work/sources"
check "settled" until_true 5 settled
writes=$(seen)
comment "$writes writes into maps"
check "all as it should be" sources_right
for n in $(seq "$writes"); do
	check "write $n of $writes fails" nth "$n"
	check "... and nobody changes anything" alone "$n"
done
for n in 1 $((writes / 2)) $((writes - 1)) "$writes"; do
	check "all from $n on" scarce "$n"
done
check "a group is deleted, and its entry cannot be set free: tried ever more seldom" set_free

# The program of an ingress cannot be exchanged when a trace ends: it goes on, and time makes it right.
fail_at 0
. "$tests/trace-lib.sh"
stop_daemon
export XMCAST_NOEXCHANGE="$work/noexchange"
check "xmcastd starts" configure 'group 239.1.1.1 --from in0 --to out0' 'interface in0 --mode native'
until_true 5 settled
trace 239.1.1.1 --count 10
same "a program that traces" "$(program)" xmcast_ingress_traced
: >"$XMCAST_NOEXCHANGE"
check "datagrams while none can be attached" deliver -n 10 239.1.1.1 all:r0
over
check "... are forwarded after the trace" deliver -n 100 239.1.1.1 all:r0
same "... by the same program" "$(program)" xmcast_ingress_traced
check "... status says so" sh -c "'$build/cli/xmcastctl' status | grep 'in0: not renewed'"
rm "$XMCAST_NOEXCHANGE"
check "with memory again, its own comes by itself" until_true 60 is xmcast_ingress program
check "... and status has no problem" until_true 5 is null said_problem
finish
