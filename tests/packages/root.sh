#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: root.sh DIR SUITE: a fresh, minimal Debian in DIR/root, with systemd and what this test looks at
# a machine with, from the mirrors that the system's own apt uses. One that is there is taken.
set -eu
dir=$1
suite=$2
[ ! -e "$dir/complete" ] || exit 0

. "$(dirname "$0")/../lib/mirrors.sh"

rm -rf "$dir"
mkdir -p "$dir"
{
	debian_sources "$suite"
	# and of this machine's own release, which the packages are built for
	debian_sources "$(. /etc/os-release && echo "$VERSION_CODENAME")"
} | sort -u >"$dir/sources.list"
[ -s "$dir/sources.list" ] || {
	echo "apt knows no mirror of Debian: run apt-get update"
	exit 1
}
mmdebstrap --mode=root --variant=minbase --format=directory \
    --include=systemd-sysv,dbus,iproute2,ethtool,jq,procps --skip=cleanup/apt \
    --aptopt='Acquire::Languages "none"' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$suite" "$dir/root" "$dir/sources.list"
# A library whose name changes with its version comes from the release that we were built for.
printf 'Package: libgsl*\nPin: release n=%s\nPin-Priority: 990\n' \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" >"$dir/root/etc/apt/preferences.d/built-for"
echo "$suite" >"$dir/complete"
