#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: 100,000 groups with 100 distinct egress sets: applied in under 2 s, at most 64 MiB of the
# daemon, a link flap answered in under 50 ms, no CPU used when idle.
. "$(dirname "$0")/lib.sh"

network 16
groups=100000

# statements: 100,000 groups. With k = i mod 100, a = k mod 15: {out a, out (a + 1 + k / 15), out15},
# numbers modulo 15. The distance is 1 to 7, at most half of 15, so all 100 sets differ.
statements()
{
	awk -v groups=$groups 'BEGIN {
		for (i = 0; i < groups; i++) {
			k = i % 100
			a = k % 15
			b = (a + 1 + int(k / 15)) % 15
			printf "group 239.%d.%d.%d --from in0 --to out%d,out%d,out15\n",
			    1 + int(i / 65536), int(i / 256) % 256, i % 256, a, b
		}
	}'
}
milliseconds()
{
	date +%s%3N
}
# hwm: the daemon's peak memory in KiB (VmHWM of proc(5)).
hwm()
{
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$daemon_pid/status"
}
# ticks: CPU time that it has used, in clock ticks (fields 14 and 15 of proc(5) stat).
ticks()
{
	awk '{ print $14 + $15 }' "/proc/$daemon_pid/stat"
}
# below WHAT LIMIT VALUE
below()
{
	comment "$1: $3 (limit $2)"
	check "$1" [ "${3%.*}" -lt "$2" ]
}

# in_time WHAT LIMIT MS: the ordinary run may share its machine with others: five times as much
# passes there, and the figure is reported; --long holds the limit itself.
in_time()
{
	comment "$1: $3 (limit $2)"
	limit=$2
	[ -n "${XMCAST_LONG:-}" ] || limit=$(($2 * 5))
	check "$1" [ "${3%.*}" -lt "$limit" ]
}

check "xmcastd starts" configure 'interface in0 --mode native' "limit groups 101000" \
    "limit entries 101000"
statements >"$work/apply"
same "the sets are 100 different ones" 100 "$(cut -d' ' -f6 "$work/apply" | sort -u | wc -l)"
# The best of three: what else the machine does can only make it slower.
best=1000000
: >"$work/empty"
for attempt in 1 2 3; do
	check "apply of nothing" ctl apply "$work/empty"
	check "settled" until_true 10 settled
	began=$(milliseconds)
	check "apply of 100,000 groups" ctl apply "$work/apply"
	took=$(($(milliseconds) - began))
	[ $took -ge $best ] || best=$took
	[ $best -ge 2000 ] || break
done
in_time "... takes less than 2000 ms" 2000 $best
check "settled" until_true 10 settled
[ -n "${XMCAST_SANITIZED:-}" ] ||
    below "... with less than 65536 KiB of memory at the peak" 65536 "$(hwm)"
same "all are there" $groups "$(ctl --json status | jq .groups)"
same "... in 100 sets" 100 "$(ctl --json status | jq .sets)"
# Group number 54321: k is 21, its members are out6, out8 and out15.
check "one of them forwards" deliver -n 2000 239.1.212.49 all:r6 all:r8 all:r15 none:r0 none:r7

check "the flap tool runs" "$tools/flap" "$XMCAST_SOCKET" out6 5
in_time "a link event is answered in less than 50 ms" 50 "$(tail -1 "$work/check.out")"
check "ready again" until_true 5 is ready egress_state 239.1.212.49 out6
flap_under_load()
{
	deliver_beside -n 60000 -r 30000 239.1.212.49 some:r6 all:r8 all:r15
	"$tools/flap" "$XMCAST_SOCKET" out6 10 >"$work/flap.out" || return 1
	wait $traffic
	rc=$?
	cat "$work/deliver.out"
	return $rc
}
check "the others lose nothing while it flaps" flap_under_load
in_time "... answered in less than 50 ms under load, too" 50 "$(tail -1 "$work/flap.out")"

before=$(ticks)
# A span of time is what is measured here, not what is waited for.
sleep 3
below "an idle daemon uses no CPU (ticks of 10 ms in 3 s)" 2 $(($(ticks) - before))

# The same again changes nothing; another 1000 are exchanged, all or nothing.
before
check "apply of the same" ctl apply "$work/apply"
check "counts stay" is 2000 group 239.1.212.49 '.frames | if . >= 2000 then 2000 else . end'
sed -i '1,1000s/,out15$/,out14/' "$work/apply"
check "apply of 1000 changes" ctl apply "$work/apply"
check "settled" until_true 10 settled

finish
