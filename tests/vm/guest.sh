#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest, as process 1: runs each line of out/tests (NAME, seconds, command; by tabs), leaves
# NAME.log and NAME.rc beside it, then `done`, and powers off.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
HOME=/root
XM_IN_VM=1
CMOCKA_MESSAGE_OUTPUT=TAP
export PATH HOME XM_IN_VM CMOCKA_MESSAGE_OUTPUT
out=/run/vm/out
set -a
. $out/environment
set +a
busybox=/run/vm/busybox

mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t bpf bpf /sys/fs/bpf
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
ip link set lo up
ulimit -l unlimited
ulimit -H -n 524288 # as systemd has it
uname -r >$out/release

if [ -e $out/shell ]; then
	echo "The tree is $(cat $out/tree); nothing written here reaches the host. exit ends."
	cd "$(cat $out/tree)" && $busybox setsid $busybox cttyhack /bin/bash --norc
else
	while IFS='	' read -r name seconds command; do
		echo "vm: $name"
		cd "$(cat $out/tree)" || break
		began=$($busybox date +%s)
		$busybox timeout -k 5 "$seconds" sh -c "$command" >"$out/$name.log" 2>&1 </dev/null
		echo $? >"$out/$name.rc"
		echo $(($($busybox date +%s) - began)) >"$out/$name.seconds"
	done <$out/tests
fi
# pktgen says so when the device that it sends on goes: tests/bench/pktgen.py kills who set it up.
dmesg | grep -E 'BUG:|Oops|WARNING: |general protection|rcu.*stall' |
	grep -v 'pktgen: WARNING: trying to remove a running interface' >$out/kernel-complaints
echo >$out/done
sync
$busybox poweroff -f
