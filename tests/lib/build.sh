#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: build.sh DIR [MESON-OPTION...]: configures and compiles the tree into DIR.
set -eu
dir=$1
shift
cd "$(dirname "$0")/../.."
if [ -f "$dir/build.ninja" ]; then
	[ $# = 0 ] || meson configure "$dir" "$@"
else
	rm -rf "$dir"
	meson setup "$dir" "$@"
fi
ninja -j2 -C "$dir"
