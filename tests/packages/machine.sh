#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: machine.sh ROOT WORK COMMAND...: a machine whose first process is the systemd of ROOT, in
# namespaces of its own: COMMAND runs in it when it has booted, and it ends with COMMAND, or with this
# script, whatever ends that. ROOT is seen through an overlay and stays as it is. In the machine the
# tree is /xmcast/tree, what was built /xmcast/build, WORK /xmcast/scratch.
set -eu

# mount_api ROOT: what a container's systemd wants to find; the kernel's settings are read-only but
# for those of the machine's own network.
mount_api()
{
	mount -t proc proc "$1/proc"
	for path in /proc/sys /proc/sys/net; do
		mount --bind "$1$path" "$1$path"
	done
	mount -o remount,bind,ro "$1/proc/sys"
	[ ! -e "$1/proc/sysrq-trigger" ] ||
	    mount --bind -o ro "$1/proc/sysrq-trigger" "$1/proc/sysrq-trigger"
	mount -t sysfs sysfs "$1/sys"
	mount -t bpf -o mode=700 bpf "$1/sys/fs/bpf"
	mount -t cgroup2 cgroup "$1/sys/fs/cgroup"
	mount -o remount,ro "$1/sys"
	mount -t tmpfs -o mode=755 dev "$1/dev"
	mkdir "$1/dev/pts" "$1/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/dev/pts"
	ln -s pts/ptmx "$1/dev/ptmx"
	ln -s /proc/self/fd "$1/dev/fd"
	for device in null,3 zero,5 full,7 random,8 urandom,9; do
		mknod -m 666 "$1/dev/${device%,*}" c 1 "${device#*,}"
	done
	mknod -m 666 "$1/dev/console" c 1 3
	mount -t tmpfs -o mode=755 run "$1/run"
}

# The first process: lays the machine's root, and becomes systemd.
first()
{
	mount --make-rprivate /
	mount -t tmpfs machine "$work/machine"
	cd "$work/machine"
	mkdir upper scratch root
	mount -t overlay -o "lowerdir=$root,upperdir=upper,workdir=scratch" overlay root
	mount_api "$PWD/root"
	mkdir -p root/xmcast/tree root/xmcast/build root/xmcast/scratch root/.old
	mount --bind -o ro "$top" root/xmcast/tree
	mount --bind -o ro "$build" root/xmcast/build
	mount --bind "$work" root/xmcast/scratch
	od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >root/etc/machine-id
	echo >>root/etc/machine-id
	ln -sf /dev/null root/etc/systemd/system/console-getty.service
	cd root
	pivot_root . .old
	# As container managers do: nobody there loads modules or sets the clock.
	exec env -i container=xmcast PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	    setpriv --bounding-set -sys_module,-sys_time,-sys_rawio \
	    sh -c 'umount -l /.old && rmdir /.old && exec /lib/systemd/systemd --log-target=journal' \
	    >/dev/null 2>&1 </dev/null
}

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${XMCAST_BUILD:-$top/build}
if [ "${1:-}" = --first ]; then
	root=$2 work=$3
	first
fi

root=$1 work=$2
shift 2
mkdir -p "$work/machine" "$work/cgroups"
if [ -z "${XMCAST_MACHINE:-}" ]; then
	XMCAST_MACHINE=1 exec unshare --mount --propagation private sh "$0" "$root" "$work" "$@"
fi
mount -t cgroup2 cgroup "$work/cgroups"
cgroup=$work/cgroups/xmcast-machine-$$

# Whatever was killed in a machine leaves its empty groups.
clear_groups()
{
	for group in "$work"/cgroups/xmcast-machine-*; do
		[ -e "/proc/${group##*-}" ] && [ "$group" != "$cgroup" ] ||
		    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
	done
}
# end: kills the machine, and waits until the kernel has buried all of it.
end()
{
	kill -KILL "$outer" 2>/dev/null
	wait "$outer" 2>/dev/null
	deadline=$(($(date +%s) + 10))
	while [ -d "$cgroup" ] && [ "$(date +%s)" -lt "$deadline" ]; do
		clear_groups
	done
}
clear_groups
mkdir "$cgroup"
echo 0 >"$cgroup/cgroup.procs"
setpriv --pdeathsig KILL \
    unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child \
    sh "$0" --first "$root" "$work" &
outer=$!
echo 0 >"$work/cgroups/cgroup.procs"
trap end EXIT
trap 'exit 143' TERM INT HUP

# in_machine COMMAND...
in_machine()
{
	nsenter --target "$init" --mount --pid --net --uts --ipc --cgroup --root --wdns=/ \
	    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
	    ${XMCAST_LONG:+XMCAST_LONG=1} "$@"
}
deadline=$(($(date +%s) + 240))
state=
until [ "$state" = running ]; do
	[ "$(date +%s)" -lt "$deadline" ] && [ -e "/proc/$outer" ] && [ "$state" != degraded ] || {
		echo "not ok - systemd comes up as process 1 (it says: ${state:-nothing})"
		in_machine systemctl --failed --no-legend | sed 's/^/#   /'
		exit 1
	}
	sleep 0.1
	init=$(pgrep -P "$outer") && state=$(in_machine systemctl is-system-running 2>/dev/null) || true
done
in_machine "$@"
