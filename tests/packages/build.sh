#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: build.sh DIR: the Debian packages of this tree, built in DIR, and in DIR/next the same with a
# higher version, to upgrade to.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$1
rm -rf "$dir"
mkdir -p "$dir/source" "$dir/next"
tar -C "$top" --exclude='./build*' --exclude=./.git --exclude=./.cache -cf - . |
    tar -C "$dir/source" -xf -
cd "$dir/source"
DEB_BUILD_OPTIONS="parallel=2 ${XMCAST_LONG:-nocheck}" dpkg-buildpackage -b -us -uc
cd ..
for deb in *.deb; do
	case $deb in *-dbgsym_*) continue ;; esac
	dpkg-deb -R "$deb" unpacked
	sed -i '/^Version:\|^Depends:/s/\(0\.1\.0\)/\1+next/' unpacked/DEBIAN/control
	dpkg-deb --root-owner-group -b unpacked next
	rm -rf unpacked
done
