#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: the table of NIC -> NIC, NIC -> veth and NIC -> NIC + veth on emulated drivers, with the kernel's
# pktgen as the sender. Emulation makes its speeds meaningless, but the counters must agree: what
# was sent, what the program saw, and what each egress got.
modules=pktgen
. "$(dirname "$0")/nics.sh"
nic 1 gen0 && nic 2 in0 && nic 3 out0 && nic 4 r0 r0 || {
	not_ok "the network of NICs"
	finish
}
# Not a frame of this host's own beside those that are counted.
for end in gen0 in0 out0; do
	echo 1 >/proc/sys/net/ipv6/conf/$end/disable_ipv6
done
ns r0 sysctl -q net.ipv6.conf.r0.disable_ipv6=1
check "its links" until_true 20 carriers
check "xmcastd starts" configure ''
result=$work/result.json
check "bench --in --out" ctl bench --in in0 --out out0 --pktgen-dev gen0 --pairs 2 --duration 0.05 --pps 2000 \
    --programs =redirect_map,=redirect_map_multi,=xmcast-fold,=xmcast-lookup-ex8 \
    --label emulated --output "$result"
[ -s "$result" ] || finish
ctl bench show "$result" 2>&1 | sed 's/^/# /'

# cells FILTER: "topology program" of the cells that it keeps.
cells()
{
	jq -r --arg mode "$mode" '.cells[] | select(.mode == $mode and .topology[0:1] == "A") |
	    select('"$1"') | "\(.topology) \(.program) \(.source): \(.reason)"' "$result"
}
for mode in native generic; do
	for row in 'A->B' 'A->veth' 'A->B+veth'; do
		check "$mode, $row: measured" at_least 1 sh -c "
		    jq '[.cells[] | select(.mode == \"$mode\" and .topology == \"$row\" and .state == \"ok\")] | length' $result"
	done
	same "$mode: no cell is invalid" '' "$(cells '.state == "invalid"')"
	same "$mode: sent = seen = received" '' "$(cells '.state == "ok" and
	    (.counters.sent as $n | $n == 0 or .counters.seen != $n or
		([.counters.received[]] | any(. != $n)))')"
	comment "$(cells '.state == "ok"' | sort | uniq -c)"
done
finish
