#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: the daemon killed at, or failed in, its system calls, one after another: the next one
# converges and nothing is left over (a sample; all of them with --long).
. "$(dirname "$0")/lib.sh"

network 1
sample=4
[ -z "$long" ] || sample=0
python3 "$tests/crash.py" "$build" "$work" "${XMCAST_CRASH_SAMPLE:-$sample}" \
    ${XMCAST_CRASH_SCENARIOS:-}
