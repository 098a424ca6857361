#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's first process, from the initramfs: the host's root over 9p, read-only, below what of it
# is in memory, below a tmpfs, so that tests may write anywhere and nothing of it reaches the host.
# Then guest.sh. The initramfs stays (no switch_root, which empties it): it is one of the layers.
/bin/busybox --install -s /bin
export PATH=/bin

die() {
	echo "vm: $*"
	poweroff -f
}

mkdir -p /proc /sys /dev /lower /upper /root /out
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do
	insmod "/modules/$module" || die "cannot load $module"
done </modules/order

nine="trans=virtio,version=9p2000.L,msize=524288"
mount -t 9p -o "$nine,ro,cache=loose" host /lower || die "cannot mount the host's root"
mount -t tmpfs -o size=75% tmpfs /upper
mkdir /upper/data /upper/work
mount -t overlay -o lowerdir=/fast:/lower,upperdir=/upper/data,workdir=/upper/work overlay /root ||
	die "cannot lay a tmpfs over the host's root"

# What the host has mounted there shows through 9p as it is on disk: cover it with our own.
for directory in proc sys dev run tmp lib/modules; do
	mkdir -p "/root/$directory"
done
mount -t tmpfs -o mode=755 run /root/run
mkdir -p /root/run/vm /root/run/vm/out /root/run/lock
cp /bin/busybox /root/run/vm/busybox
ln -s busybox /root/run/vm/modprobe
mount -t 9p -o "$nine,rw" out /root/run/vm/out || die "cannot mount the results directory"
mkdir -p "/root/lib/modules/$(uname -r)"
mount --bind "/lower$(cat /kernel-directory)/lib/modules/$(uname -r)" \
	"/root/lib/modules/$(uname -r)" || die "no modules of $(uname -r)"
mount --move /proc /root/proc
mount --move /sys /root/sys
mount --move /dev /root/dev
echo /run/vm/modprobe >/root/proc/sys/kernel/modprobe
cp /guest.sh /root/run/vm/guest.sh
cd /root && mount --move . / && exec chroot . /bin/sh /run/vm/guest.sh
