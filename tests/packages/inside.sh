#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a fresh Debian with systemd as process 1: an operator's life with the packages, from installing to
# purging them, with multicast that flows through all of it. Started by run.sh; prints TAP and what was
# typed.
export HOME=/root
top=/xmcast/tree
build=/xmcast/build
work=/xmcast/work/inside
packages=/xmcast/work/packages
long=${XMCAST_LONG:-}
mkdir -p $work
. $top/tests/lib/tap.sh
. $top/tests/netns/network.sh
. $top/tests/netns/traffic.sh
unset XMCAST_SOCKET
ctl()
{
	xmcastctl "$@"
}

# show COMMAND...: ok when it succeeds; the transcript tells what was typed and answered.
show()
{
	echo "# \$ $*"
	"$@" >$work/show.out 2>&1
	rc=$?
	tail -12 $work/show.out | cut -c1-120 | sed 's/^/#   /'
	check "$*" [ $rc = 0 ]
}

# under_load WHAT COMMAND...: a paced stream runs; the command comes while it does, and no datagram is
# lost, doubled or out of order.
under_load()
{
	load=$1
	shift
	deliver -n "${datagrams:-6000}" -r 2000 239.1.1.1 all:r0 all:r1 >$work/load.out 2>&1 &
	stream=$!
	until_true 5 moving || true
	check "$load" "$@"
	until_true 0 kill -0 $stream && comment "the stream was on when it was done"
	wait $stream
	rc=$?
	cp $work/load.out $work/check.out
	check "... and no datagram is lost, doubled or out of order" [ $rc = 0 ]
}
# The stream has arrived at a receiver.
moving()
{
	[ -s "$work/progress.d" ]
}

property()
{
	systemctl show --value --property "$2" "$1"
}
main_pid()
{
	property "${1:-xmcastd.service}" MainPID
}
# replaced OLD-PID [UNIT]: another process serves.
replaced()
{
	[ "$(property "${2:-xmcastd.service}" ActiveState)" = active ] && ctl status >/dev/null &&
	    [ "$(main_pid "${2:-xmcastd.service}")" != "$1" ]
}
attached()
{
	ip -d link show "$1" | grep -q 'prog/xdp'
}

. $top/tests/packages/install.sh
. $top/tests/packages/systemd.sh
. $top/tests/packages/remove.sh
finish
