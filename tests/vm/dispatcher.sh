#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: beside xdp-filter (xdp-tools) behind libxdp's dispatcher: both work; our daemon is killed and
# started, the other is loaded and unloaded, and no frame is lost (cases 17, 18, 19).
tests=$(dirname "$0")/../netns
. "$tests/lib.sh"

network 2
filter()
{
	xdp-filter "$@" 2>&1
}
# hits: what the other dropped of the port that it was told to block.
hits()
{
	filter status | awk '$1 == 5555 { print $NF }'
}
# under_load TIMES COMMAND: while datagrams flow, as fast as an emulated guest has time for both.
under_load()
{
	during "$1" "$2" -n 1500 -r 300 239.1.1.1 all:r0 all:r1
}
reload_other()
{
	filter load -m "$mode" -p allow -f udp in0 && filter unload in0
}
restart_daemon()
{
	stop_daemon KILL && daemon && until_true 20 settled
}

for mode in native skb; do
	our=$(echo $mode | sed 's/skb/generic/')
	check "$our: xmcastd starts" configure "interface in0 --mode $our"
	check "$our: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1
	check "$our: active" until_true 5 is active group 239.1.1.1 .state
	same "$our: behind the dispatcher" dispatcher "$(iface in0 .attach)"
	check "$our: the other is loaded beside ours" filter load -m $mode -p allow -f udp in0
	check "$our: the other is told to block a port" filter port 5555 -p udp -m dst
	check "$our: what it lets through is forwarded" deliver -n 2000 239.1.1.1 all:r0 all:r1
	before
	check "$our: what it blocks is not" deliver -n 100 -w 0 -d 3 -p 5555 239.1.1.1 none:r0 none:r1
	same "$our: ... it says" 100 "$(hits)"
	# Not .received: the hosts' own chatter gets through.
	same "$our: ... ours never saw them" 0 "$(($(stat .matched) - $(jq .matched "$work/before.json")))"
	check "$our: xmcastd is killed and started beside the other, twice, under load" under_load 2 restart_daemon
	comment "$sent datagrams to each receiver"
	check "$our: the other is unloaded" filter unload in0
	check "$our: the other is loaded and unloaded twice under load" under_load 2 reload_other
	comment "$sent datagrams to each receiver"
done

# Excludes by lookup in native mode want a program that changes a frame's metadata, which since 6.12.y
# the kernel runs behind no dispatcher that libxdp has.
enforce()
{
	printf '%s\n' "daemon --enforce $1" 'interface in0 --mode native' >"$work/xmcastd.conf"
	ctl reload
}
check "excludes: xmcastd starts" configure 'interface in0 --mode native'
check "excludes: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1 --exclude out1
check "excludes: the other is loaded beside ours" filter load -m native -p allow -f udp in0
check "excludes, fold" deliver -n 500 239.1.1.1 all:r0 none:r1
before
if enforce lookup >"$work/reload" 2>&1; then
	comment "this kernel runs it"
	check "excludes, lookup" deliver -n 500 239.1.1.1 all:r0 none:r1
	check "excludes, lookup: by the map" until_true 5 is 500 dropped excluded
else
	comment "$(cat "$work/reload")"
	check "excludes, lookup: refused, with what to do" \
	    grep "in0 runs behind libxdp's dispatcher.*--enforce fold.*--mode generic" "$work/reload"
	check "excludes, lookup: nothing has changed" deliver -n 500 239.1.1.1 all:r0 none:r1
	check "excludes, lookup: killed and started with it" stop_daemon KILL
	check "... says what to do" daemon
	check "... in status" until_true 20 sh -c "'$build/cli/xmcastctl' status |
	    grep 'in0: not renewed: .*Extension program changes packet data.*--enforce fold'"
	check "... nobody gets what is excluded" deliver -n 500 -d 3 239.1.1.1 none:r0 none:r1
	check "... with the reason" until_true 5 is 500 dropped no-metadata
fi
check "excludes: back to fold" enforce fold
check "excludes: settled" until_true 20 settled
check "excludes: fold again" deliver -n 500 239.1.1.1 all:r0 none:r1
same "excludes: still behind the dispatcher" dispatcher "$(iface in0 .attach)"
check "excludes: the other is still there" filter unload in0

check "lookup: xmcastd starts" configure 'daemon --enforce lookup' 'interface in0 --mode native'
check "lookup: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1 --exclude out1
check "lookup: active" until_true 20 is active group 239.1.1.1 .state
check "lookup: excluded" deliver -n 500 239.1.1.1 all:r0 none:r1
if [ "$(iface in0 .attach)" = dispatcher ]; then
	comment "lookup: behind the dispatcher"
else
	check "lookup: alone, and why" eval "iface in0 .why_single | grep 'Extension program changes packet data'"
	check "lookup: another program is refused, not displaced" sh -c "
	    ! xdp-filter load -m native in0 && xdp-loader status in0 | grep -q xmcast_ingress"
	check "lookup: forwarding goes on" deliver -n 500 239.1.1.1 all:r0 none:r1
fi
finish
