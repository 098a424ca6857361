#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: fetch.sh ROOT DEB...: what these packages depend on, into the cache of ROOT's apt, so that a
# machine without a network can install them.
set -eu
root=$1
shift
exec apt-get install -y -q --download-only --no-install-recommends \
    -o Dir::State="$root/var/lib/apt" -o Dir::State::status="$root/var/lib/dpkg/status" \
    -o Dir::Cache="$root/var/cache/apt" -o Dir::Etc::sourcelist=/dev/null \
    -o Dir::Etc::sourceparts="$root/etc/apt/sources.list.d" \
    -o Dir::Etc::preferencesparts="$root/etc/apt/preferences.d" \
    -o APT::Sandbox::User=root "$@"
