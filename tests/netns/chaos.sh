#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: links come, go, move and change at random, ingresses, too, under load (cases 23 to 27).
. "$(dirname "$0")/lib.sh"

members=8 # out0 and out1 are left alone
network $members
ip netns add away
for i in 1 2; do # more ingresses: these are not left alone
	pair "in$i" "s$i" "s$i"
	ip -n "s$i" addr add "10.9.$i.2/24" dev "s$i"
	ip -n "s$i" route add 224.0.0.0/4 dev "s$i"
done
victims="in1:s1:s1 in2:s2:s2"
for i in $(seq 2 $((members - 1))); do
	victims="$victims out$i:r$i:r$i"
done
# They may end as they are; these may not.
for ns in s1 s2 $(seq -f 'r%g' 2 $((members - 1))); do
	ns "$ns" sysctl -q net.ipv6.conf.default.disable_ipv6=1
done

# load I: frames into in$I for as long as there is no file $work/stop, whatever becomes of it.
load()
{
	while [ ! -e "$work/stop" ]; do
		ip -n "s$1" addr replace "10.9.$1.2/24" dev "s$1" 2>/dev/null
		timeout 2 "$tools/send" --progress "$work/progress.none" --ns "s$1" --if "s$1" \
		    --group "239.2.0.$1" --count 5000 --window 5000 --rate 5000 --flow "9$1" \
		    >/dev/null 2>&1 || sleep 0.1
	done
}

# chaos OPERATIONS ROLE COMMAND...: runs it again and again beside the chaos, until that ends.
chaos()
{
	operations=$1
	shift
	rm -f "$work/stop"
	load 1 &
	load_1=$!
	load 2 &
	load_2=$!
	python3 "$tests/chaos.py" "$operations" "$seed" $victims >"$work/chaos" 2>&1 &
	chaos_pid=$!
	failed=0
	rounds=0
	: >"$work/rounds"
	while kill -0 $chaos_pid 2>/dev/null; do
		"$@" || {
			failed=$((failed + 1))
			cat "$work/send.d" "$work/recv.d"
		}
		cat "$work/recv.d" >>"$work/rounds"
		rounds=$((rounds + 1))
	done
	wait $chaos_pid || failed=$((failed + 1))
	cat "$work/chaos"
	: >"$work/stop"
	wait $load_1 $load_2
	[ $failed = 0 ]
}

# lossy: a round that may lose. Without a window, or one loss would hold it up.
lossy()
{
	deliver -n 20000 -r 20000 -w 0 -b 64,1000 239.1.1.1 some:r0 some:r1 || :
	sed -i '/^sent/d' "$work/recv.d"
}
# lost: what the one that lost most did, but for what its socket had no room for.
lost()
{
	sed -n 's/^some:\([^ ]*\) .* lost=\([0-9]*\) .* buffer-errors=\([0-9]*\) .*/\1 \2 \3/p' \
	    "$work/rounds" | awk '{ lost[$1] += $2 - $3; if (lost[$1] > most) most = lost[$1] }
	    END { if (!NR) exit 1; print most + 0 }'
}
# downs: how often a member went away, in whatever way.
downs()
{
	tail -1 "$work/chaos" | grep -oE '[0-9]+ (delete|flap|flap_peer|leave|rename)' |
	    awk '{ sum += $1 } END { print sum + 0 }'
}
# bounded: 50 ms of frames for each time a member went away.
bounded()
{
	[ "$(lost)" -le $(($(downs) * 20000 / 20)) ]
}

# picture: what must not depend on how it came about: everything but counts and times.
picture()
{
	ctl --json list-groups | jq -S '[.groups[] | {address, from, source, vlan, state, exclude,
	    to, egress: ([.egress[] | {interface, ready, reason}] | sort_by(.interface))}] |
	    sort_by(.address, .from)' &&
	    ctl --json list-interfaces | jq -S '[.interfaces[] | {interface, ifindex, ingress, egress,
	    mode, attach, ready, reason, mtu} | select(.ifindex != 0)] | sort_by(.interface)'
}
# links_told: the kernel tells of carriers up to a second later, unless somebody asks for one.
links_told()
{
	for name in $(ip -j link | jq -r '.[].ifname'); do
		ethtool "$name" 2>/dev/null | grep 'Link detected' >>"$work/links"
	done
	settled && settled # the daemon has read it before it is asked for the second time
}
# ready_ones: "all:r0 all:r1 none:r2 ...", as the daemon tells it of 239.1.1.1.
ready_ones()
{
	for i in $(seq 0 $((members - 1))); do
		[ -e "/run/netns/r$i" ] && ip -n "r$i" link show "r$i" >/dev/null 2>&1 || continue
		if [ "$(egress_state 239.1.1.1 "out$i")" = ready ]; then
			echo "all:r$i"
		else
			echo "none:r$i"
		fi
	done
}
# refresh: receivers that were made anew have no address yet.
refresh()
{
	for i in $(seq 2 $((members - 1))); do
		ip -n "r$i" link show "r$i" >/dev/null 2>&1 || continue
		ip -n "r$i" addr replace "10.100.$i.2/24" dev "r$i"
		ns "r$i" sh -c "echo 0 >/proc/sys/net/ipv4/conf/r$i/rp_filter"
	done
}

seed=${XMCAST_SEED:-$(($(date +%s) % 100000))}
operations=${long:+10000}
: "${operations:=300}"
for mode in native generic; do
	# What the chaos of the other mode left: whole again, before anything is counted.
	python3 "$tests/chaos.py" 0 1 >/dev/null
	for victim in $victims; do
		name=${victim%%:*}
		ip link show "$name" >/dev/null 2>&1 || pair "$name" "${victim##*:}" "${victim##*:}"
	done
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode" \
	    "interface in1 --mode $mode" 'interface in2 --mode generic' \
	    "group 239.1.1.1 --from in0 --to $(outs $members)" \
	    "group 239.1.1.2 --from in0 --to out* --exclude out3" \
	    'group 239.2.0.1 --from in1,in2 --to out*' \
	    'group 239.2.0.2 --from in2,in1 --to out0,out5,xout4'
	check "$mode: active" until_true 10 is active group 239.1.1.1 .state
	if [ $mode = native ]; then
		check "$mode: $operations operations: the members left alone lose nothing" \
		    chaos "$operations" deliver -n 20000 -r 20000 239.1.1.1 all:r0 all:r1
	else
		check "$mode: $operations operations" chaos "$operations" lossy
		comment "$(lost) of $((rounds * 20000)) lost, members went away $(downs) times"
		check "$mode: what the members left alone lose is bounded" bounded
		check "$mode: ... and nothing else happens to it" \
		    [ "$(grep -vc 'duplicate=0 reordered=0 damaged=0 foreign=0' "$work/rounds")" = 0 ]
	fi
	comment "$(tail -1 "$work/chaos"); $rounds rounds of 20,000 datagrams"
	refresh
	check "$mode: it comes to rest" until_true 20 links_told
	picture >"$work/after"
	check "$mode: forwards to exactly those that are ready" deliver -b 64,1000 239.1.1.1 $(ready_ones)
	check "$mode: a fresh start" configure "$(cat "$work/xmcastd.conf")"
	check "$mode: ... comes to rest" until_true 20 links_told
	picture >"$work/fresh"
	check "$mode: ... says the same" diff -u "$work/fresh" "$work/after"
	check "$mode: ... forwards the same" deliver -b 64,1000 239.1.1.1 $(ready_ones)
done
finish
