# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by inside.sh: what a service manager does with the units.

# wait_replaced OLD-PID [UNIT]
wait_replaced()
{
	until_true 30 replaced "$@"
}

same "it tells when it is ready" "$(property xmcastd.service Type)" notify
check "... and how it is" sh -c 'systemctl show --value -p StatusText xmcastd | grep groups'

# A host that drops the copies at its own end of a veth: that stands in /proc/sys.
rp_filter_found()
{
	ip link add loc0 type veth peer name loc1
	ip link set loc0 up
	ip link set loc1 up
	sysctl -q net.ipv4.conf.loc1.rp_filter=1 net.ipv4.conf.all.rp_filter=1
	xmcastctl add-group 239.6.6.6 --from in0 --to loc0
	xmcastctl doctor loc0 | grep 'warning *rp-filter loc0:.*run: sysctl'
	found=$?
	xmcastctl del-group 239.6.6.6
	sysctl -q net.ipv4.conf.all.rp_filter=0
	ip link del loc0
	return $found
}
exposure()
{
	systemd-analyze security --no-pager "$1" 2>/dev/null |
	    sed -n 's/.*Overall exposure level[^:]*: \([0-9.]*\) .*/\1/p'
}
# The benchmark makes namespaces and runs before others, for which it needs SYS_ADMIN and SYS_NICE.
for unit in xmcastd.service=2.0 xmcastd@blue.service=2.0 xmcast-exporter@.service=1.0 \
    xmcast-bench@.service=3.5; do
	level=$(exposure ${unit%=*})
	check "${unit%=*} is exposed at most ${unit#*=}: $level" \
	    awk "BEGIN { exit !(\"$level\" != \"\" && $level <= ${unit#*=}) }"
done
check "the benchmark's socket" systemctl start xmcast-bench.socket
check "... throughput" xmcastctl bench --receivers 1 --pairs 2 --duration 0.01 \
    --programs =redirect_map_multi,=xmcast-fold --output $work/bench.json
same "... of every cell" "$(jq -r '[.cells[] | select(.receivers == 1) | .state] | unique | join(",")' \
    $work/bench.json)" ok
check "... and lpm-trie, to the freeing" sh -c "xmcastctl bench lpm-trie-free --nr-entries 100 \
    --duration 0.05 --warmup 0 | grep 'lpm-trie-free .*us'"
systemctl stop xmcast-bench.socket
check "doctor reads what it needs" rp_filter_found

# reload
cat >/etc/xmcast/conf.d/studio.conf <<-END
	group 239.7.7.7 --from in0 --to out1
END
check "reload" systemctl reload xmcastd
same "... has happened when it returns" "$(group 239.7.7.7 .state)" active
echo 'group nonsense' >>/etc/xmcast/conf.d/studio.conf
check "a reload that is refused fails" sh -c '! systemctl reload xmcastd'
check "... the journal says where" sh -c \
    'journalctl --sync; journalctl -q -u xmcastd | grep studio.conf:2'
same "... and all is as before" "$(group 239.7.7.7 .state)/$(property xmcastd ActiveState)" \
    active/active
sed -i 2d /etc/xmcast/conf.d/studio.conf

# kill
killed()
{
	old=$(main_pid)
	kill -KILL "$old" && wait_replaced "$old"
}
under_load "a daemon that is killed is started again" killed
same "... and still has its groups" "$(group 239.1.1.1 .state)" active

# watchdog
mkdir -p /run/systemd/system/xmcastd.service.d
check "the watchdog is on" [ "$(property xmcastd.service WatchdogUSec)" != 0 ]
printf '[Service]\nWatchdogSec=2\n' >/run/systemd/system/xmcastd.service.d/watchdog.conf
systemctl daemon-reload
systemctl restart xmcastd
hang()
{
	old=$(main_pid)
	kill -STOP "$old" && wait_replaced "$old"
}
under_load "a daemon that hangs is replaced" hang
check "... by the watchdog" sh -c \
    'journalctl --sync; journalctl -q -u xmcastd | grep -i "watchdog timeout"'
rm -r /run/systemd/system/xmcastd.service.d
systemctl daemon-reload

# restart, stop
restarts()
{
	for i in 1 2 3 ${long:+4 5 6 7 8 9}; do
		systemctl reset-failed xmcastd
		systemctl restart xmcastd || return 1
	done
}
under_load "restarted three times" restarts
before
under_load "stop" systemctl stop xmcastd
check "forwarding goes on while it is stopped" deliver 239.1.1.1 all:r0 all:r1
check "a call says how to start it" refused 3 'xmcastd' xmcastctl status

# socket activation
check "socket activation" systemctl start xmcastd.socket
same "... the daemon is not running" "$(property xmcastd.service ActiveState)" inactive
check "... the first call starts it" xmcastctl status
check "it counted while it was away" sums $((streams * batch + 1000)) $((2 * (streams * batch + 1000)))
calls_wait()
{
	systemctl restart --no-block xmcastd
	for i in $(seq 30); do
		xmcastctl status || return 1
	done
}
check "calls wait while it is restarted" calls_wait
systemctl stop xmcastd.socket xmcastd.service
check "without its socket it makes its own" sh -c 'systemctl start xmcastd && xmcastctl status'

# one instance for each network namespace
ip netns add blue
for veth in bin bout; do
	ip link add $veth netns blue type veth peer name p$veth
	ip -n blue link set $veth up
	ip link set p$veth up
done
mkdir -p /etc/xmcast/blue
echo 'group 239.8.8.8 --from bin --to bout' >/etc/xmcast/blue/xmcastd.conf
check "an instance for a network namespace" systemctl start xmcastd@blue
same "... reads its own configuration" "$(ctl --netns blue --json list-groups |
    jq -r '.groups[] | "\(.address) \(.state)"')" '239.8.8.8 active'
check "... and attached there" sh -c 'ip -n blue -d link show bin | grep -q xdp'
check "... without the right to enter namespaces" sh -c \
    '! grep -q CapabilityBoundingSet=.*SYS_ADMIN /lib/systemd/system/xmcastd@.service'
echo 'group 239.8.8.9 --from bin --to bout' >>/etc/xmcast/blue/xmcastd.conf
check "... reload" systemctl reload xmcastd@blue
same "... reached it, not the other" "$(ctl --netns blue --json list-groups | jq '.groups | length')$(
    group 239.8.8.9 .state)" 2null
check "... save" sh -c 'xmcastctl --netns blue add-group 239.8.8.1 --from bin --to bout &&
    xmcastctl --netns blue save && grep 239.8.8.1 /etc/xmcast/blue/conf.d/saved.conf'
