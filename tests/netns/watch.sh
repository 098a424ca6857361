#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: what systemd and the journal are told: READY, STATUS, the watchdog, fields.
. "$(dirname "$0")/lib.sh"

network 2
told=$work/told
python3 "$tests/notified.py" /run/notify /run/systemd/journal/socket "$told" &
until_true 10 test -S /run/systemd/journal/socket
mute=$work/mute

# run COMMAND...: as systemd would: with its socket, a watchdog of 2 s, and the journal as stderr.
: >"$work/daemon.log"
NOTIFY_SOCKET=/run/notify
WATCHDOG_USEC=2000000
JOURNAL_STREAM=$(command stat -c %d:%i "$work/daemon.log")
MUTE=$mute
export NOTIFY_SOCKET WATCHDOG_USEC JOURNAL_STREAM MUTE
xmcastd="env LD_PRELOAD=$tools/mute.so $build/daemon/xmcastd --verbose"

# said WORDS...: such a line is there.
said()
{
	grep -qE -- "$*" "$told" || {
		tail -20 "$told"
		return 1
	}
}
watchdogs()
{
	grep -c 'notify WATCHDOG=1' "$told"
}
# more N: N more than $watched since it was taken.
more()
{
	[ "$(watchdogs)" -ge $((watched + $1)) ]
}
status()
{
	sed -n 's/.*notify STATUS=//p' "$told" | tail -1
}

check "xmcastd starts" configure 'interface in0 --mode native' \
    'group 239.1.1.1 --from in0 --to out0,out1'
check "READY" until_true 10 said 'notify READY=1'
check "... when its groups were in force" said ' attached'
check "STATUS" until_true 5 is '1 groups; ingresses: 1 of 1 attached; egresses: 2 of 2 ready' status
ip link set out1 down
check "... follows links" until_true 5 \
    is '1 groups; ingresses: 1 of 1 attached; egresses: 1 of 2 ready' status
check "journal: an interface and its reason" until_true 5 \
    said 'journal .*"XMCAST_INTERFACE": "out1", "XMCAST_REASON": "down"'
check "journal: priority and name" said 'journal .*"PRIORITY": "[0-7]".*"SYSLOG_IDENTIFIER": "xmcastd"'
ip link set out1 up
check "a change" ctl add-group 239.1.1.2 --from in0 --to out0
check "journal: the group" until_true 5 said 'journal .*"XMCAST_GROUP": "239.1.1.2 from in0"'
check "... in STATUS" until_true 5 \
    is '2 groups; ingresses: 1 of 1 attached; egresses: 2 of 2 ready' status
same "stderr is not written to beside the journal" 0 "$(wc -c <"$work/daemon.log")"

watched=$(watchdogs)
check "the watchdog is fed" until_true 10 more 4

# deaf FAMILY: within 3 s of that the watchdog hears no more for longer than it waits.
deaf()
{
	echo "$1" >"$mute.new"
	mv "$mute.new" "$mute"
	until_true 20 silence
}
# silence: the last word of the daemon to the watchdog is older than 2.5 s.
silence()
{
	last=$(grep 'notify WATCHDOG=1' "$told" | tail -1 | cut -d' ' -f1)
	uptime=$(awk '{ print $1 }' /proc/uptime)
	awk -v last="$last" -v now="$uptime" -v began="$began" \
	    'BEGIN { exit !(now - began - last > 2.5) }'
}
# The listener counts from its start: the moment of its first line, by the clock of this machine.
began=$(awk '{ print $1 }' /proc/uptime)
watched=$(watchdogs)
until_true 10 more 1
began=$(awk -v last="$(grep 'notify WATCHDOG=1' "$told" | tail -1 | cut -d' ' -f1)" \
    '{ print $1 - last }' /proc/uptime)

check "no answer of the kernel (16, AF_NETLINK): the watchdog is not fed" deaf 16
rm "$mute"
watched=$(watchdogs)
check "... it answers: fed again" until_true 10 more 2
kill -STOP "$daemon_pid"
check "stopped: not fed" until_true 10 silence
kill -CONT "$daemon_pid"
watched=$(watchdogs)
check "... it goes on: fed again" until_true 10 more 2
check "no answer of the control room (1, AF_UNIX): not fed" deaf 1
rm "$mute"
stop_daemon
check "STOPPING" until_true 5 said 'notify STOPPING=1'

# An interface that cannot be attached is no reason to start over and over: READY, and it is told.
check "xmcastd starts with an ingress that is not there" configure \
    'interface in0 --mode native' 'group 239.1.1.1 --from nowhere --to out0'
check "READY all the same" until_true 10 is 2 grep -c 'notify READY=1' "$told"
check "... STATUS says so" until_true 5 \
    is '1 groups; ingresses: 0 of 1 attached; egresses: 0 of 0 ready' status
finish
