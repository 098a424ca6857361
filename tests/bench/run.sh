#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of the benchmark; with --long also those that take many runs, and the datapath's cost.
set -u
dir=$(cd "$(dirname "$0")" && pwd) || exit 1
XMCAST_BUILD=${XMCAST_BUILD:-$(cd "$dir/../.." && pwd)/build}
export XMCAST_BUILD
failed=0

# one NAME COMMAND...
one()
{
	name=$1
	shift
	if "$@"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		failed=1
	fi
}

one harness python3 "$dir/harness.py"
one words python3 "$dir/words.py"
one lpm "$XMCAST_BUILD/tests/bench/bench-lpm"
one daemon sh "$dir/daemon.sh"
if [ "${1:-}" = --long ]; then
	one table python3 "$dir/table.py"
	one same python3 "$dir/same.py"
	one slower python3 "$dir/slower.py"
	one cost "$XMCAST_BUILD/tests/bench/bench-cost"
fi
exit $failed
