#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: doctor finds nothing on a healthy set-up; each planted fault by name; its command mends it (cases 1, 3, 6, 16, 19, 34, 36, 47).
. "$(dirname "$0")/lib.sh"
PATH=$build/cli:$PATH

# level CHECK [SUBJECT]: what doctor says of it; remedy CHECK [SUBJECT]: the command it proposes.
finding()
{
	ctl --json doctor | jq -r --arg c "$2" --arg s "${3:-}" \
	    "[.findings[] | select(.check == \$c and (.subject // \"\") == \$s) | .$1 // \"\"] | first // \"ok\""
}
level()
{
	finding level "$@"
}
mend()
{
	sh -c "$1" || return 1
	shift
	until_true 20 is ok level "$@"
}
# fault LEVEL CHECK [SUBJECT]: it is found, and what is proposed, when run, mends it.
fault()
{
	wanted=$1
	shift
	check "$*: a $wanted is found" until_true 20 is "$wanted" level "$@"
	command=$(finding remedy "$@")
	check "... and mended: $command" mend "$command" "$@"
}
conf=$work/xmcastd.conf

network 2
configure 'group 239.1.1.1 --from in0 --to out0,out1' 'group ff15::1 --from in0 --to out0' \
    'interface in0 --mode native'
until_true 5 settled
deliver -n 5 239.1.1.1 all:r0 all:r1 >"$work/out" && deliver -n 5 ff15::1 all:r0 >>"$work/out" ||
    not_ok "frames arrive" "$work/out"
rc=0
ctl doctor >"$work/healthy" || rc=$?
grep -v '^ok' "$work/healthy" | comment
same "a healthy set-up: nothing is found" "$rc $(grep -vc '^ok' "$work/healthy")" "0 0"
check "... after at least 20 checks" test "$(wc -l <"$work/healthy")" -ge 20
check "anybody may ask" setpriv --reuid 65534 --regid 65534 --clear-groups "$build/cli/xmcastctl" doctor

# Where copies leave.
ip link set out0 down
fault problem ready out0
ip -n r0 link set r0 down
fault problem ready out0
ns r0 ethtool -K r0 gro off
until_true 20 is problem level ready out0
same "the other namespace is named" "$(finding remedy ready out0)" \
    "nsenter --net=/run/netns/r0 ethtool -K r0 gro on"
ctl list-groups >"$work/out" 2>&1
check "list-groups says who prints it" grep -qF \
    "out0 is not ready (peer-no-napi): the veth's other end is in another network namespace: xmcastctl doctor out0 prints the line" \
    "$work/out"
fault problem ready out0
ip link set out0 mtu 1000
fault warning mtu out0
ip -n r1 link set r1 mtu 1200
fault warning mtu out1
# Where frames arrive.
ip link set in0 down
fault problem link in0
ip -n s link set s0 down
fault problem link in0
ip link set dev in0 allmulticast off
fault problem allmulticast in0
ns s ethtool -K s0 tx-vlan-hw-insert on
fault problem vlan-offload in0
ctl detach in0 >/dev/null
fault warning program in0
ctl detach in0 >/dev/null
ip link set in0 xdp obj "$tools/kernel.bpf.o" sec xdp
ctl attach in0 >/dev/null 2>&1
fault problem program in0

ip link add q0 type veth peer name q1 netns s numtxqueues 4
ns s ethtool -L q1 tx 4
ip link set q0 up
ip -n s link set q1 up
ctl add-group 239.6.6.6 --from q0 --to out0 >/dev/null
fault warning mode q0
ctl del-group 239.6.6.6 >/dev/null

# Loops, and sockets of this host.
ip link add la0 type veth peer name la1
ip link set la0 up
ip link set la1 up
ctl add-group 239.5.5.5 --from la0 --to 'la*,out0' >/dev/null 2>&1
fault problem loop la0
ctl del-group 239.5.5.5 >/dev/null
sysctl -qw net.ipv4.conf.la1.rp_filter=1
ctl add-group 239.5.5.6 --from in0 --to la0 >/dev/null 2>&1
fault warning rp-filter la0
ctl del-group 239.5.5.6 >/dev/null
ip addr add 10.9.0.1/24 dev in0
ctl add-group 239.1.1.7 --from in0 --to out0 >/dev/null
ctl add-group 239.1.1.7 --source 10.0.0.1 --from in0 --to out0 >/dev/null
same "two sources of one address are one finding" \
    "$(ctl --json doctor in0 | jq '[.findings[] | select(.check == "silent-groups")] | length')" 1
fault warning silent-groups in0
ip addr del 239.1.1.7/32 dev in0
ctl del-group 239.1.1.7 --source 10.0.0.1 >/dev/null
ctl del-group 239.1.1.7 >/dev/null
ctl add-group 239.1.1.8 --from in0 --to out0 >/dev/null
python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(0, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("239.1.1.8") + socket.inet_aton("10.9.0.1"))
time.sleep(600)' &
socket=$!
fault warning local-sockets in0
kill $socket
sysctl -qw net.ipv4.igmp_max_memberships=1
ctl add-group 239.1.1.2 --from in0 --to out0 >/dev/null
fault warning memberships
ctl del-group 239.1.1.2 >/dev/null

# The machine. The setting is the whole machine's, so the test has one of its own.
mkdir "$work/core"
echo 0 >"$work/core/bpf_jit_enable"
mount --bind "$work/core" /proc/sys/net/core
fault warning jit
umount /proc/sys/net/core
mount -t tmpfs none /sys/fs/bpf
fault warning bpffs
umount /sys/fs/bpf
umount /sys/fs/bpf

# An egress that works with a generic ingress only.
ip link add mv0 link out0 type macvlan
ip link set mv0 up
ctl add-egress 239.1.1.1 mv0 >/dev/null 2>&1
ctl add-group 239.1.1.3 --from in0 --to mv0 >/dev/null 2>&1
fault problem ready mv0
ip link add br0 type bridge
ip link set br0 up
ctl add-group 239.1.1.4 --from in0 --to br0 >/dev/null 2>&1
fault warning bridge br0
ethtool -K in0 rx-gro-list on
fault warning merging in0

# Generic for the sake of one egress, or of an MTU.
ns r0 ethtool -K r0 gro off
ns r1 ethtool -K r1 gro off
configure 'group 239.1.1.1 --from in0 --to out0,out1'
check "all that force generic mode are named" until_true 5 is "2 2" sh -c "'$build/cli/xmcastctl' --json doctor |
    jq -r '.findings[] | select(.check == \"mode\") |
        \"\\(.text | [scan(\"peer-no-napi\")] | length) \\(.remedy | [scan(\"gro on\")] | length)\"'"
check "reattach tells the mode and why" sh -c "'$build/cli/xmcastctl' reattach in0 |
    grep '^in0: generic: egress out0 cannot receive redirected frames (peer-no-napi)'"
check "... the log, too" grep -q 'attached interface in0: generic: egress out0 cannot' "$work/daemon.log"
fault warning mode in0
check "... reattach now" sh -c "'$build/cli/xmcastctl' reattach in0 | grep '^in0: native$'"
ctl detach in0 >/dev/null
ip -n s link set s0 mtu 9000
ctl attach in0 >/dev/null
fault warning native-mtu in0
same "all is well again" "$(ctl --json doctor in0 out0 out1 | jq -r \
    '[.findings[] | select(.level != "ok") | .check] - ["silent-groups"] | join(",")')" ""
same "only those that were named are looked at" \
    "$(ctl --json doctor out1 | jq -r '[.findings[].subject | select(.)] | unique | join(",")')" out1

rc=0
ip link set out1 down
until_true 10 is problem level ready out1
check "the log has it" grep -q 'not-ready interface out1: down' "$work/daemon.log"
check "an interface that is not there is a problem" refused 2 '"subject":"nosuch","level":"problem","text":"no such interface' \
    ctl --json doctor nosuch
ip link add in1 type veth
check "one that no group uses is a warning" refused 1 '"subject":"in1","level":"warning","text":"no group uses it' \
    ctl --json doctor in1
ctl doctor out1 >"$work/out" || rc=$?
same "problems: exit 2" "$rc" 2
stop_daemon
rc=0
ctl doctor >"$work/out" 2>&1 || rc=$?
same "no daemon: exit 2" "$rc" 2
check "... and how to start it" grep -q 'daemon: xmcastd does not answer; run: systemctl start xmcastd' "$work/out"
finish
