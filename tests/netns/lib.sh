# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by every network test, first thing. It starts the test anew in namespaces of its own
# (network, mounts, processes): whatever the test makes lives there only, so that nothing is
# left behind however it ends, and two can run beside each other.
#
#   ns `s`: the sender         the test's own ns: xmcastd        ns `r0`, `r1`, ...: receivers
#   s0 ------------------------ in0            out0 ------------------------ r0 (named r0, GRO on)
#   10.9.0.2 fd09::2                           out1 ------------------------ r1
#
# Prints TAP. Conditions are waited for, with a deadline. Keep the lines of tests short:
#   . "$(dirname "$0")/lib.sh"
#   network 2; daemon; ctl add-group 239.1.1.1 --from in0 --to out0,out1
#   check "both receivers get every datagram" deliver 239.1.1.1 all:r0 all:r1
#   finish

tests=$(cd "${tests:-$(dirname "$0")}" && pwd)
top=$(cd "$tests/../.." && pwd)
build=${XMCAST_BUILD:-$top/build}
[ -d "$build" ] || build=$top/build-tests/gcc # what run.sh built
PATH=/usr/sbin:/sbin:/usr/bin:/bin:$PATH
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

if [ -z "${XMCAST_INSIDE:-}" ]; then
	[ "$(id -u)" = 0 ] || {
		echo '1..0 # SKIP needs root'
		exit 0
	}
	for tool in "$build/tests/netns/recv" \
	    ${XMCAST_NO_DAEMON-"$build/daemon/xmcastd" "$build/cli/xmcastctl"}; do
		[ -x "$tool" ] || {
			echo "not ok - $tool is not built: run sh tests/lib/build.sh build"
			exit 1
		}
	done
	# The child is killed with unshare, and as init of its namespace it takes all with it.
	XMCAST_OUTSIDE=$$ XMCAST_INSIDE=1 exec unshare --net --mount --pid --fork --kill-child --mount-proc \
	    sh "$0" "$@"
fi
trap 'exit 143' TERM INT HUP

# A private /run, with everything that belongs to this run of the test.
mount -t tmpfs -o mode=755 xmcast-test /run
mkdir -p /run/netns /run/t
work=/run/t
mount -t sysfs sysfs /sys && mount -t bpf bpf /sys/fs/bpf
ip link set lo up

. "$top/tests/lib/tap.sh"
. "$tests/network.sh"
. "$tests/traffic.sh"
