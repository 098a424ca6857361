#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What xmcastd says on a kernel that is too old: one line, which names what is missing. Runs on
# Debian 11's kernel: tests/vm/run.sh 11 --suite vm-old
tests=$(dirname "$0")/../netns
. "$tests/lib.sh"

sender
: >"$work/xmcastd.conf"
lines=1 check "refused, and says why" refused 1 'BPF_F_BROADCAST.*Linux 6\.1' \
    "$build/daemon/xmcastd" --config "$work/xmcastd.conf" --runtime-dir "$work/run" \
    --bpffs /sys/fs/bpf/xmcast
cat "$work/check.out" | sed 's/^/# /'
same "nothing is left" '' "$(ls /sys/fs/bpf)"
same "nothing is attached" 0 "$(ip -d -j link show in0 | jq '[.[0].xdp.prog.id // empty] | length')"
finish
