#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: trace shows the way of each frame and the fate of each copy, and leaves nothing behind (cases 2, 4, 8, 9).
. "$(dirname "$0")/lib.sh"
. "$tests/trace-lib.sh"

# fates IF: what became of the copies of the traced frames for that egress, each with its count.
fates()
{
	jq -r "select(.frame) | .frame.egress[] | select(.interface == \"$1\") | .reason // .outcome" \
	    "$work/trace" | sort | uniq -c | sed 's/^ *//' | paste -sd,
}
# of FILTER: the different values of that in the traced frames.
of()
{
	jq -r "select(.frame) | .frame | $1" "$work/trace" | sort -u | paste -sd,
}

network 4
ip link set out3 mtu 1000
ip -n r3 link set r3 mtu 1000
configure 'group 239.1.1.1 --from in0 --to out0,out1,out2' \
    'group 239.1.1.2 --from in0 --to out0,out3' 'group 239.1.1.3 --from in0 --to out1' \
    'interface in0 --mode native'
until_true 5 settled
normal=$(program_id)
normal_tag=$(tag)
ordinary=$(program) # xmcast_ingress, or with _fold behind a dispatcher of a newer kernel
# objects: how many BPF maps, programs and links the daemon holds.
objects()
{
	ls -l "/proc/$daemon_pid/fd" | grep -c 'anon_inode:bpf'
}
objects=$(objects)

before
trace 239.1.1.1 --count 20
same "tracing runs an instance of its own" "$(program)" "${ordinary}_traced"
check "while it traces, all frames are delivered" deliver -n 2000 239.1.1.1 all:r0 all:r1 all:r2
check "... and it ends by itself" over
same "... after so many frames" "$(jq -s '[.[] | select(.frame)] | length' "$work/trace")" 20
same "... each with its group and verdict" "$(of '.group.address + " " + .verdict + " " + .mode')" \
    "239.1.1.1 copied native"
same "... its source and ingress" "$(of '.source + " " + .from')" "10.9.0.2 in0"
for i in 0 1 2; do
	same "... and the fate of each copy: out$i" "$(fates out$i)" "20 transmitted"
done
check "all is counted, nothing twice" sums 2000 6000
same "the ordinary program is back" "$(program)" "$ordinary"
check "... another instance of the same" test "$(program_id)" != "$normal"
same "... with the same instructions" "$(tag)" "$normal_tag"
check "nothing of the trace is left in the daemon" until_true 100 is "$objects" objects
[ -z "${XM_CORE:-}" ] || {
	comment "left out: other fates, ends, generic mode, exclude maps (a load takes an emulated CPU half a minute)"
	finish
}

trace 239.1.1.2 --count 6
check "frames that are too big for one egress" deliver -n 6 -b 1200,1300 239.1.1.2 all:r0 none:r3
over
same "... are named there" "$(fates out3) $(fates out0)" "6 too-big 6 transmitted"

# A member that goes down: the kernel skips it without a word until the daemon has taken it out.
trace 239.1.1.3 --count 5
ip link set out1 down
until_true 5 is down egress_state 239.1.1.3 out1
check "no member is ready" deliver -n 5 239.1.1.3 none:r1
over
same "... dropped, with the reason" "$(of '.verdict + " " + .reason')" "dropped no-egress"
same "... and why the member is none" "$(fates out1)" "5 down"
ip link set out1 up

# Among them are the reports of hosts that join.
trace --unmatched --count 1000
check "frames without a group" deliver -n 3 239.9.9.9 none:r0
seen_all()
{
	[ "$(grep -c 239.9.9.9 "$work/trace")" = 3 ]
}
check "... are all seen" until_true 5 seen_all
kill $tracer_pid
wait $tracer_pid 2>/dev/null
until_true 100 is "$ordinary" program
same "... as passed, and why" \
    "$(of 'select(.address == "239.9.9.9") | .verdict + " " + .protocol + ": " + .detail')" \
    "passed ipv4: no group covers this address"

# Ends: hanging up, the daemon's end, its death.
trace 239.1.1.1 --count 1000
kill $tracer_pid
wait $tracer_pid 2>/dev/null
check "who hangs up ends it" until_true 100 is "$ordinary" program
trace 239.1.1.1 --count 1000
check "a second one is refused" refused 1 'one at a time' ctl trace 239.1.1.1
kill $tracer_pid
wait $tracer_pid 2>/dev/null
until_true 100 is "$ordinary" program
same "time ends it" "$(ctl --json trace 239.1.1.1 --seconds 1 | jq -r .ended)" "time is up"
check "only who may change may trace" refused 4 'group xmcast' setpriv --reuid 65534 --regid 65534 \
    --clear-groups "$build/cli/xmcastctl" trace 239.1.1.1
trace 239.1.1.1 --count 1000
stop_daemon
same "a daemon that stops restores the program first" "$(program)" "$ordinary"
daemon
trace 239.1.1.1 --count 1000
stop_daemon KILL 2>/dev/null
check "when it is killed, forwarding goes on" deliver -n 100 239.1.1.1 all:r0 all:r2
readies=$(grep -c ': ready: ' "$work/daemon.log")
daemon
check "... the next daemon gets ready" until_true 100 is $((readies + 1)) \
    grep -c ': ready: ' "$work/daemon.log"
same "... and has restored it" "$(program)" "$ordinary"

# Generic mode: the copies are made one after another.
configure 'group 239.1.1.1 --from in0 --to out0,out1,out2' 'interface in0 --mode generic'
until_true 5 settled
trace 239.1.1.1 --count 20
check "generic mode" deliver -n 100 239.1.1.1 all:r0 all:r1 all:r2
over
same "... has a fate for each copy, too" "$(of .mode): $(fates out0), $(fates out1), $(fates out2)" \
    "generic: 20 transmitted, 20 transmitted, 20 transmitted"

# --enforce lookup
configure 'daemon --enforce lookup' 'group 239.1.1.1 --from in0 --to out0,out1 --exclude out1' \
    'interface in0 --mode native'
until_true 5 settled
trace 239.1.1.1 --count 20
check "an exclude map" deliver -n 100 239.1.1.1 all:r0 none:r1
over
same "... is named" "$(fates out0), $(fates out1)" "20 transmitted, 20 excluded"

# What is wrong with the link of an ingress is said once, however often its program is exchanged. Nobody
# reaches the other end of q0, whose namespace has no name and no process.
: >"$work/unnamed"
check "a namespace that nobody is in" unshare --net="$work/unnamed" true
ip link add q0 type veth peer name q1
ip link set q1 netns "$work/unnamed"
ip link set q0 up
detail()
{
	ctl --json list-interfaces | jq -r '.interfaces[] | select(.interface == "q0") | .detail'
}
check "an ingress from there" ctl add-group 239.7.7.7 --from q0 --to out0
was=$(detail)
check "... has a warning" test "${was#*VLAN tags may be hidden}" != "$was"
for nth in first second; do
	same "the $nth trace there" "$(ctl --json trace 239.7.7.7 --from q0 --seconds 1 | jq -r .ended)" \
	    "time is up"
	same "... leaves the warning as it was" "$(detail)" "$was"
done
finish
