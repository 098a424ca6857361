#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: the daemon with what its unit leaves it, and no more, can do all it must (case 31).
. "$(dirname "$0")/lib.sh"
. "$tests/trace-lib.sh"

network 2
unit=$top/systemd/xmcastd.service
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr 'A-Z ' 'a-z\n' |
    sed 's/^cap_/+/' | paste -sd,)
comment "capabilities: $capabilities"

# As in the unit: UMask=, ProcSubset=, ProtectProc=; and systemd's soft limit of descriptors.
cat >"$work/xmcastd" <<END
umask 077
ulimit -Sn 1024
mount -t proc -o subset=pid,hidepid=invisible proc /proc
exec setpriv --no-new-privs --bounding-set=-all,$capabilities --inh-caps=-all \
    \$tracer "$build/daemon/xmcastd" "\$@"
END
xmcastd="unshare --mount sh $work/xmcastd"

# members SET: the system calls of one of systemd's sets.
members()
{
	systemd-analyze syscall-filter "$1" | sed '1d; s/#.*//' | tr -s ' ' '\n' | grep . |
	    while read -r name; do
		case $name in
		@*) members "$name" ;;
		*) echo "$name" ;;
		esac
	done
}
# allowed: what the unit's SystemCallFilter= lines leave, in their order.
allowed()
{
	members @default >"$work/calls"
	sed -n 's/^SystemCallFilter=//p' "$unit" | while read -r line; do
		for name in ${line#\~}; do
			case $name in @*) members "$name" ;; *) echo "$name" ;; esac
		done | sort -u >"$work/line"
		case $line in
		\~*) grep -vxFf "$work/line" "$work/calls" >"$work/calls.new" ;;
		*) sort -u "$work/calls" "$work/line" >"$work/calls.new" ;;
		esac
		mv "$work/calls.new" "$work/calls"
	done
	cat "$work/calls"
}
# used: the system calls that were traced, after execve(2) of the daemon itself.
used()
{
	cat "$work"/strace* | sed -n 's/^[0-9]* *\([a-z_0-9]*\)(.*/\1/p' | sort -u
}
tracer=
why="strace or systemd-analyze is not there"
[ -z "${XMCAST_SANITIZED:-}" ] || why="a sanitizer makes calls of its own"
if [ -z "${XMCAST_SANITIZED:-}" ] && command -v strace >/dev/null && command -v systemd-analyze >/dev/null; then
	tracer="strace -D -f -qq -o $work/strace"
fi
export tracer

for mode in native generic; do
	check "$mode: xmcastd starts" configure "interface in0 --mode $mode" \
	    'group 239.9.9.9 --from in0 --to out0,out1'
	check "$mode: add-group" ctl add-group 239.1.1.1 --from in0 --to out0,out1
	check "$mode: active" until_true 5 is active group 239.1.1.1 .state
	# libxdp's dispatcher wants CAP_SYS_ADMIN, to find programs by their numbers.
	check "$mode: alone, and why" eval 'iface in0 ".attach + \": \" + .why_single" |
	    grep "^single: .*dispatcher.*not permitted"'
	before
	check "$mode: forwards" deliver 239.1.1.1 all:r0 all:r1
	check "$mode: counts" sums 1000 2000
	check "$mode: its maps are pinned" is true eval 'ctl --json status | jq .pinned'
	ip link set out1 down
	check "$mode: follows links" until_true 5 is down egress_state 239.1.1.1 out1
	ip link set out1 up
	check "$mode: ... back" until_true 5 is ready egress_state 239.1.1.1 out1
	check "$mode: reload" ctl reload
	check "$mode: a change is saved" ctl add-group 239.1.1.2 --from in0 --to out0
	trace 239.1.1.1 --count 5
	check "$mode: traces" deliver -n 5 239.1.1.1 all:r0 all:r1
	check "$mode: ... to the end" over
	same "$mode: ... what it was asked for" "$(tail -1 "$work/trace")" '{"frames":5,"ended":"all were seen"}'
	same "$mode: ... and doctor finds no problem" "$(ctl doctor in0 | grep '^problem')" ''
	stop_daemon KILL
	check "$mode: adopts what it finds" daemon
	check "$mode: forwards" deliver 239.1.1.1 all:r0 all:r1
	check "$mode: counts on" sums 2005 4010
	check "$mode: detach" ctl detach in0
	check "$mode: ... no program" until_true 5 sh -c '! ip link show in0 | grep -q xdp'
	check "$mode: attach" ctl attach in0
	check "$mode: forwards" deliver 239.1.1.1 all:r0 all:r1
	[ -z "$tracer" ] || tracer="strace -D -f -qq -o $work/strace.$mode"
done
# Without CAP_SYS_ADMIN the kernel tells the daemon nothing of others' programs but the number.
configure 'interface in0 --mode native'
ip link set in0 xdpdrv obj "$tools/kernel.bpf.o" sec xdp
check "a foreign program: who names it, and what takes it off" refused 1 \
    'another XDP program, id [0-9]* .`bpftool prog show id [0-9]*` names it.*ip link set dev in0 xdpdrv off' \
    ctl add-group 239.1.1.1 --from in0 --to out0
ip link set in0 xdpdrv off
if [ -n "$tracer" ]; then
	stop_daemon
	used >"$work/used"
	allowed >"$work/allowed"
	comment "$(wc -l <"$work/used") system calls are used, $(wc -l <"$work/allowed") allowed"
	check "system calls were seen" grep -qx bpf "$work/used"
	same "the unit's filter lets all of them pass" '' "$(grep -vxFf "$work/allowed" "$work/used")"
else
	skip "the unit's filter of system calls" "$why"
fi
finish
