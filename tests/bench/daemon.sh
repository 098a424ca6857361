#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The benchmark through the daemon: who may, one at a time, and whoever of the three is killed,
# nothing is left and a group that is forwarded beside it loses nothing.
tests=$(dirname "$0")/../netns
. "$tests/lib.sh"

words='--native --programs redirect_map_multi --receivers 2'
for_long='--pairs 10000 --duration 300'

workers()
{
	pgrep -cx xmcast-bench
}
# hold: notes the programs and maps that the worker has. Those that are attached to its interfaces
# live as long as these do, and so as its namespaces.
hold()
{
	grep -hoE '^(prog|map)_id:.*' /proc/"$(pgrep -x xmcast-bench)"/fdinfo/* |
	    tr '\t' ' ' | sort -u >"$work/held"
}
is_working()
{
	[ "$(workers)" = 1 ] && hold && [ "$(grep -c prog "$work/held")" -gt 8 ]
}
nothing_left()
{
	[ "$(workers)" = 0 ] || return 1
	for kind in prog map; do
		bpftool "$kind" show | sed -n "s/^\([0-9]*\): .*/${kind}_id: \1/p"
	done >"$work/there"
	! grep -xFf "$work/held" "$work/there"
}
# start: a long run in the background.
start()
{
	# a shell has SIGINT ignored in what it starts in the background
	env --default-signal=INT "$build/cli/xmcastctl" --socket "$work/run/io.xmcast.Control" \
	    bench $words $for_long --output "$work/long.json" >"$work/bench.out" 2>"$work/bench.err" &
	cli=$!
	until_true 20 is_working
}
# interrupted: Ctrl-C: what is known is printed, and what was cut short is not held against it.
interrupted()
{
	kill -INT $cli
	wait $cli
	until_true 10 nothing_left && grep '^PARTIAL' "$work/bench.out" &&
	    is true jq '.partial and all(.cells[]; .state != "invalid")' "$work/long.json"
}
kill_worker()
{
	kill -KILL "$(pgrep -x xmcast-bench)"
}
kill_cli()
{
	kill -KILL "$cli"
}
kill_daemon()
{
	kill -KILL "$daemon_pid"
}
# killed WHO: in mid-run, while a group is forwarded beside, which loses no datagram.
killed()
{
	start || return 1
	[ "$1" = daemon ] || before
	during 1 "kill_$1" -n 5000 239.1.1.1 all:r0 all:r1 || return 1
	[ "$1" = daemon ] || sums 5000 10000 || return 1
	until_true 10 nothing_left
}

network 2
check "xmcastd starts" daemon
check "a group is forwarded" ctl add-group 239.1.1.1 --from in0 --to out0,out1
check "... it is active" until_true 5 is active group 239.1.1.1 .state

check "a benchmark runs" ctl bench $words --pairs 2 --duration 0.02 --output "$work/result.json"
same "... its cells are ok" "$(jq -r '[.cells[] | select(.state != "empty") | .state] | unique |
    join(",")' "$work/result.json")" ok
check "... with medians" jq -e '[.cells[] | select(.state == "ok") | .mpps.median > 0] | all' \
    "$work/result.json"
check "... and is shown again" sh -c "'$build/cli/xmcastctl' bench show '$work/result.json' |
    grep -q 'redirect_map_multi *x2'"
check "what it refuses is said" refused 2 'bogus' ctl bench --bogus
check "others may not" refused 4 'root' setpriv --reuid 65534 --regid 65534 --clear-groups \
    "$build/cli/xmcastctl" --socket "$work/run/io.xmcast.Control" bench

check "an interface of a group is refused" refused 1 'in0 is an interface of group 239.1.1.1' \
    ctl bench --in in0 --out out9
check "... as egress, too" refused 1 'out1 is an interface of group 239.1.1.1' \
    ctl bench --in=s0 --out=out9,out1
check "... one that is not there is named" refused 1 'there is no such interface' \
    ctl bench --in nothing0 --out nothing1

check "one runs" start
check "... a second is refused" refused 1 'running already' ctl bench $words
check "Ctrl-C ends it: what is known is printed" interrupted
check "the CLI killed: nothing is left, nothing is lost" killed cli
check "the worker killed: nothing is left, nothing is lost" killed worker
check "... the CLI says so" until_true 5 grep 'without a result: signal 9' "$work/bench.err"
check "... the daemon goes on" ctl status

# As under systemd, where the worker has a unit of its own.
if command -v systemd-socket-activate >/dev/null; then
	stop_daemon
	socket=/run/xmcast-bench.socket
	systemd-socket-activate --accept --inetd -l $socket \
	    "$build/daemon/bench/xmcast-bench" --stdin >"$work/unit.log" 2>&1 &
	check "a unit listens" until_true 10 test -S $socket
	check "xmcastd starts again" daemon
	check "the unit measures" ctl bench $words --pairs 2 --duration 0.02
	check "... what it refuses is said" refused 2 'bogus' ctl bench --bogus
	check "... one runs" start
	check "... a second is refused" refused 1 'running already' ctl bench $words
	check "... Ctrl-C ends it: what is known is printed" interrupted
	check "... the CLI killed: nothing is left, nothing is lost" killed cli
	check "... the worker killed: nothing is left, nothing is lost" killed worker
	check "... the CLI says so" until_true 5 grep 'without a result' "$work/bench.err"
fi

check "the daemon killed: nothing is left, nothing is lost" killed daemon
check "... the group is forwarded all the same" deliver 239.1.1.1 all:r0 all:r1
finish
