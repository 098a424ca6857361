#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a fresh Debian with systemd as process 1: an operator's life with the packages, from installing to
# purging them, with multicast that flows through all of it. Started by run.sh; prints TAP and what was
# typed.
export HOME=/root
top=/xmcast/tree
build=/xmcast/build
work=/xmcast/scratch/inside
packages=/xmcast/scratch/packages
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

# under_load WHAT COMMAND...: the command comes while streams of $batch datagrams follow each other, at
# 2000 a second; none is lost, doubled or out of order. $streams: how many there were.
batch=2000
under_load()
{
	load=$1
	shift
	rm -f $work/enough $work/received
	streams_until_enough >$work/load.out 2>&1 &
	running=$!
	until_true 10 moving
	check "$load" "$@"
	touch $work/enough
	wait $running
	rc=$?
	streams=$(grep -c '^stream$' $work/load.out)
	cp $work/load.out $work/check.out
	check "... and of $((streams * batch)) datagrams none is lost, doubled or out of order" [ $rc = 0 ]
}
streams_until_enough()
{
	cat /sys/class/net/in0/statistics/rx_packets >$work/received
	until [ -e $work/enough ]; do
		echo "stream"
		deliver -n $batch -r 2000 239.1.1.1 all:r0 all:r1 || return 1
	done
}
# The first stream flows.
moving()
{
	[ -s $work/received ] && [ "$(cat /sys/class/net/in0/statistics/rx_packets)" -gt \
	    $(($(cat $work/received) + 10)) ]
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
[ ! -e /lib/systemd/system/xmcast-exporter.socket ] || . $top/tests/packages/exporter.sh
[ ! -x /usr/bin/varlinkctl ] || . $top/tests/packages/varlink.sh
. $top/tests/packages/remove.sh
finish
