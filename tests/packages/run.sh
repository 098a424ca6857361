#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: run.sh [--long]: builds the Debian packages, lets lintian judge them, and puts them through an
# operator's life in a fresh Debian 12 whose process 1 is systemd (--long: and in Debian 13).
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$top/tests/packages
XMCAST_BUILD=${XMCAST_BUILD:-$top/build}
[ "${1:-}" != --long ] || XMCAST_LONG=1
export XMCAST_BUILD XMCAST_LONG
work=$XMCAST_BUILD/packages
mkdir -p "$work"
. "$top/tests/lib/tap.sh"

sh "$here/root.sh" "$work/12" bookworm >"$work/root.log" 2>&1 &
root=$!
check "the packages build" sh "$here/build.sh" "$work/packages" >"$work/build.log" 2>&1
check "lintian has nothing to say" [ -z "$(lintian --pedantic -EI "$work"/packages/*.changes 2>&1 |
    tee "$work/check.out")" ]
wait $root || {
	not_ok "a fresh Debian 12 can be made" "$work/root.log"
	finish
}
[ -z "$XMCAST_LONG" ] ||
    check "a fresh Debian 13 can be made" sh "$here/root.sh" "$work/13" trixie
for release in 12 ${XMCAST_LONG:+13}; do
	check "Debian $release has what the packages depend on" \
	    sh "$here/fetch.sh" "$work/$release/root" "$work"/packages/*.deb
	sh "$here/machine.sh" "$work/$release/root" "$work" \
	    sh /xmcast/tree/tests/packages/inside.sh >"$work/life-$release.log" 2>&1
	sed "s/^\(not \)\{0,1\}ok [0-9]* - /&Debian $release: /; /^1\.\.[0-9]*$/d" "$work/life-$release.log"
	number=$((number + $(grep -cE '^(not )?ok ' "$work/life-$release.log")))
	failures=$((failures + $(grep -c '^not ok ' "$work/life-$release.log")))
	check "Debian $release: all of it was run" grep -q '^1\.\.' "$work/life-$release.log"
done
finish
