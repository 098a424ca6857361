#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: the daemon killed at, or failed in, its system calls, one after another: the next one
# converges and nothing is left over (a sample; all of them with XMCAST_LONG=1).
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" != --worker ]; then
	sample=4
	[ -z "$long" ] || sample=0
	python3 "$tests/crash.py" "${XMCAST_CRASH_SAMPLE:-$sample}" "sh $tests/crash.sh --worker" \
	    ${XMCAST_CRASH_SCENARIOS:-}
	exit
fi
# A worker, in namespaces of its own: crash.sh --worker LIMIT
network 1
exec python3 "$tests/crashpoint.py" "$build" "$work" "$2"
