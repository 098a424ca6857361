#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: one daemon for each network namespace, wherever its directories are (case 33): a second one is
# refused with the first one's pid, and the first one forwards on.
. "$(dirname "$0")/lib.sh"

network 1
check "xmcastd starts" configure 'interface in0 --mode native'
check "a group" ctl add-group 239.1.1.1 --from in0 --to out0
check "... active" until_true 5 is active group 239.1.1.1 .state
program=$(iface in0 .program_id)
mkdir -p "$work/bpf" && mount -t bpf bpf "$work/bpf"
echo 'group 239.1.1.1 --from in0 --to out0' >"$work/other.conf"

# another OPTION...: a second daemon, with directories of its own.
another()
{
	timeout 20 "$build/daemon/xmcastd" --config "$work/other.conf" "$@"
}
check "the same runtime directory: refused, with the pid" refused 1 "pid $daemon_pid" \
    another --runtime-dir "$work/run" --bpffs /sys/fs/bpf/xmcast
for bpffs in none /sys/fs/bpf/xmcast /sys/fs/bpf/other "$work/bpf/xmcast"; do
	check "another runtime directory and --bpffs $bpffs: refused, with the pid" \
	    refused 1 "network namespace: pid $daemon_pid" \
	    another --runtime-dir "$work/other" --bpffs $bpffs
	check "... and --purge" refused 1 "network namespace: pid $daemon_pid" \
	    another --purge --runtime-dir "$work/other" --bpffs $bpffs
done
check "the first one's program is still there" is "$program" iface in0 .program_id
check "... and forwards" deliver 239.1.1.1 all:r0

# In another namespace, with the same directories but the runtime one: another daemon.
(
	unset XMCAST_SOCKET
	nsenter --net=/run/netns/r0 "$build/daemon/xmcastd" --config /dev/null \
	    --runtime-dir "$work/other" --bpffs /sys/fs/bpf/xmcast >"$work/other.log" 2>&1 &
	echo $! >"$work/other.pid"
)
check "another network namespace has its own" until_true 20 ctl \
    --socket "$work/other/io.xmcast.Control" status
kill "$(cat "$work/other.pid")"

stop_daemon KILL
check "the lock goes with the process" daemon
check "... the next one forwards" deliver 239.1.1.1 all:r0
stop_daemon

# Everybody may bind the name; who cannot run xmcastd does not keep it out.
setpriv --reuid 65534 --regid 65534 --clear-groups python3 -c '
import signal, socket
s = socket.socket(socket.AF_UNIX)
s.bind("\0xmcast/xmcastd")
s.listen()
print("bound", flush=True)
signal.pause()' >"$work/bound" 2>&1 &
squatter=$!
check "an ordinary user binds the name" until_true 5 grep -q bound "$work/bound"
check "xmcastd starts all the same" daemon
check "... and says so" grep -q 'of user 65534 holds the name' "$work/daemon.log"
kill $squatter
finish
