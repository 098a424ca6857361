#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: a socket behind a veth leaves the UDP checksum to the hardware; the copies carry a finished
# one (case 46). Offloads as they are by default, and switched off, which must not differ.
. "$(dirname "$0")/lib.sh"

network 2

# finished: every copy captured at r0 has a right UDP checksum, or none (IPv4).
finished()
{
	rm -rf "$work/frames" "$work/progress.d"
	mkdir -p "$work/frames"
	"$tools/capture" --progress "$work/progress.d" --dir "$work/frames" \
	    --src 02:09:00:00:00:02 --count 500 all:r0:r0 >"$work/capture.out" 2>&1 &
	taker=$!
	"$tools/send" --progress "$work/progress.d" --ns s --if s0 --group "$1" --max 1452 --count 500 \
	    >/dev/null || kill $taker
	wait $taker
	cat "$work/capture.out"
	python3 "$tests/checksums.py" "$work/frames/r0.frames" 500
}

for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode"
	check "$mode: IPv4 group" ctl add-group 239.1.1.1 --from in0 --to out0,out1
	check "$mode: IPv6 group" ctl add-group ff15::1 --from in0 --to out0,out1
	check "$mode: settled" until_true 5 settled
	for tx in on off; do
		ns s ethtool -K s0 tx $tx >/dev/null
		check "$mode, tx offload $tx: IPv4" deliver -n 5000 239.1.1.1 all:r0 all:r1
		check "$mode, tx offload $tx: IPv6" deliver -n 5000 ff15::1 all:r0 all:r1
	done
	ns s ethtool -K s0 tx on >/dev/null
	if [ $mode = native ]; then
		check "native: the copies' checksums are finished, IPv4" finished 239.1.1.1
		check "native: the copies' checksums are finished, IPv6" finished ff15::1
	fi
	# Datagrams larger than the MTU travel in fragments, which must be left as they are.
	check "$mode: fragmented datagrams arrive, IPv4" deliver -b 2000,8000 -w 16 239.1.1.1 \
	    all:r0 all:r1
	check "$mode: fragmented datagrams arrive, IPv6" deliver -b 2000,8000 -w 16 ff15::1 \
	    all:r0 all:r1
done
finish
