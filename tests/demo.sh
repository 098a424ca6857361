#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The main job, end to end, for people to watch: sudo sh tests/demo.sh [RECEIVERS]
# Installs what is missing, builds, makes a small network of namespaces, starts xmcastd, adds a
# group with xmcastctl, sends real UDP multicast and shows what every receiver's socket got.
set -u
here=$(cd "$(dirname "$0")" && pwd)
XMCAST_BUILD=${XMCAST_BUILD:-$here/../build-tests/gcc}
export XMCAST_BUILD

if [ -z "${XMCAST_INSIDE:-}" ]; then
	[ "$(id -u)" = 0 ] || {
		echo "the demonstration makes network namespaces, for which it must be root: sudo sh $0"
		exit 1
	}
	mkdir -p "$XMCAST_BUILD"
	log=$(dirname "$XMCAST_BUILD")/demo.log
	echo "installing what is missing, and building, which takes some minutes (details in $log)..."
	{
		sh "$here/lib/install-packages.sh" build demo &&
		    CC=${CC:-gcc} sh "$here/lib/build.sh" "$XMCAST_BUILD"
	} >"$log" 2>&1 || {
		tail -20 "$log"
		exit 1
	}
fi
tests=$here/netns
. "$tests/lib.sh"
set +u

hosts=${1:-3}
datagrams=10000

# show COMMAND...: prints it as it would be typed, and runs it.
show()
{
	echo "\$ $*"
	case $1 in
	xmcastctl)
		shift
		ctl "$@"
		;;
	*) "$@" ;;
	esac
	rc=$?
	echo
	return $rc
}
die()
{
	echo "$*"
	[ ! -s "$work/daemon.log" ] || tail "$work/daemon.log"
	exit 1
}

network "$hosts"
cat <<END

A sender, $hosts receivers, each in a network namespace of its own:

  sender s0 10.9.0.2 ----> in0 [ xmcastd ] out0 ----> r0 10.100.0.2
END
for i in $(seq 1 $((hosts - 1))); do
	echo "                                       out$i ----> r$i 10.100.$i.2"
done
echo

echo "\$ xmcastd &"
daemon || die "xmcastd did not start:"
echo
show xmcastctl add-group 239.1.1.1 --from in0 --to "$(outs "$hosts")" || die "refused"
until_true 10 is active group 239.1.1.1 .state || die "the group did not become active"

echo "The sender sends $datagrams datagrams of 64 to 1472 bytes to 239.1.1.1, through its socket:"
before
deliver -n $datagrams 239.1.1.1 $(all_of "$hosts") >"$work/demo.out"
rc=$?
sed 's/^/  /' "$work/demo.out"
echo
show xmcastctl list-groups
show xmcastctl stats
[ $rc = 0 ] || die "FAILED: not every receiver got every datagram once"
sums $datagrams $((datagrams * hosts)) >"$work/sums.out" 2>&1 || {
	cat "$work/sums.out"
	die "FAILED: the daemon counted something else"
}
echo "Every receiver got every one of $datagrams datagrams once, in order and intact,"
echo "and the daemon's counters say the same. Nothing is left behind."
