#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: a program that was taken off is put back; a dispatcher of libxdp that lost what is behind it is named by
# whoever meets it, with the command that mends it, after which frames flow (cases 17, 19).
. "$(dirname "$0")/lib.sh"

group=239.1.1.1
orphan='held by an orphaned dispatcher of libxdp, id [0-9]*: .*/sys/fs/bpf/xdp'
object=$(ls /usr/lib/*/bpf/xdp-dispatcher.o | head -1) # not found by a walk: it takes minutes in a guest
# remedy: the command that doctor proposes for the program of in0.
remedy()
{
	ctl --json doctor | jq -r 'first(.findings[] | select(.check == "program" and .subject == "in0")).remedy // "none"'
}
attached()
{
	is 'null true' iface in0 '"\(.detail) \(.ready)"' && settled
}
unsettled()
{
	! settled
}
# mended: what doctor proposes is all that is needed.
mended()
{
	command=$(remedy)
	check "... doctor has a command: $command" test "${command#ip link set dev in0 xdp}" != "$command"
	check "... it mends it, and nothing is said any more" sh -c "$command"
	until_true 20 attached || not_ok "attached again" "$work/until.out"
	same "... doctor finds the program" "$(remedy)" none
	check "... and frames flow" deliver -n 100 $group all:r0 all:r1
}
# program_found: doctor names the orphan.
program_found()
{
	ctl doctor | tee "$work/doctor.out" | grep "^problem  program in0: $orphan"
}

network 2
for mode in native generic; do
	xdp=$(echo $mode | sed 's/native/xdpdrv/; s/generic/xdpgeneric/')
	configure ''
	check "$mode: a dispatcher without programs" ip link set dev in0 $xdp obj "$object" sec xdp
	ctl add-group $group --from in0 --to out0,out1 >"$work/add.out" 2>&1
	check "$mode: add-group says so" grep -q "in0 is $orphan.* xdp$(expr $xdp : 'xdp\(.*\)') off" "$work/add.out"
	check "... reattach, too" refused 1 "in0 is $orphan.*ip link set dev in0 $xdp off" ctl reattach in0
	check "... list-interfaces, too" sh -c "'$build/cli/xmcastctl' list-interfaces | grep '^in0: in0 is $orphan'"
	check "... and doctor" program_found
	check "... what is wanted is not what the kernel does" unsettled
	mended
done

# Taken off by somebody: it is put back, and nothing stays said.
configure "group $group --from in0 --to out0,out1" 'interface in0 --mode native'
until_true 20 settled
ip link set dev in0 xdpdrv off
check "ours was taken off: the log says so" until_true 20 grep -q 'taken-off interface in0$' "$work/daemon.log"
check "... it is attached again" until_true 20 attached
check "... and frames flow" deliver -n 100 $group all:r0 all:r1

# Ours was behind the dispatcher when that lost it.
if [ "$(iface in0 .attach)" = dispatcher ]; then
	rm -rf /sys/fs/bpf/xdp
	check "ours was lost: doctor finds out" program_found
	mended
else
	skip "ours was lost behind the dispatcher" "this kernel runs ours alone"
fi
finish
