#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: sanitized.sh BUILD REPORT TEST: runs a network test with the programs of BUILD, which has
# sanitizers. Their reports go to files REPORT.PID, and make the test fail. Senders and receivers are
# of the ordinary build ($XMCAST_TOOLS), which keeps pace. Tests see $XMCAST_SANITIZED: what limits the
# memory of the programs says nothing with a sanitizer's own beside it.
set -u
export XMCAST_BUILD="$1" XMCAST_LONG= XMCAST_SANITIZED=1
# A test may preload a library of its own.
export ASAN_OPTIONS="log_path=$2:verify_asan_link_order=0" UBSAN_OPTIONS="log_path=$2:print_stacktrace=1"
export TSAN_OPTIONS="log_path=$2:second_deadlock_stack=1"
# Without fixed addresses clang 14's thread sanitizer does not start on kernels of today.
setarch -R sh "$3"
rc=$?
for report in "$2".[0-9]*; do
	[ -s "$report" ] || continue
	rc=1
	echo "not ok - a sanitizer reports:"
	head -60 "$report" | sed 's/^/#   /'
done
exit $rc
