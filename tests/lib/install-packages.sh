#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: install-packages.sh [HEADING...]
# Installs the Debian packages of tests/packages.txt that are missing (under these headings only);
# asks nobody for anything when none is. Run as a program, from anywhere.
set -u
list=$(cd "$(dirname "$0")/.." && pwd)/packages.txt

# The packages that are not installed.
missing()
{
	awk -v headings="$*" '
		/^# / { wanted = !headings || index(" " headings " ", " " $2 " "); next }
		wanted' "$list" | while read -r package; do
		dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null |
		    grep -qx installed || echo "$package"
	done
}

want=$(missing "$@")
[ -n "$want" ] || exit 0
echo "installing" $want
if [ "$(id -u)" != 0 ]; then
	echo "missing packages need root: apt-get install" $want
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
# The lists may be too old or not there at all: fetch them only when installing fails.
apt-get install -y -q --no-install-recommends $want || {
	apt-get update -q && apt-get install -y -q --no-install-recommends $want
}
