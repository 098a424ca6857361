#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: changes of an ingress's mode while groups use it: one that is refused leaves the former in place,
# one that is none touches nothing, and how long the gap of one that works is.
. "$(dirname "$0")/lib.sh"

network 2
wish()
{
	echo 'group 239.1.1.1 --from in0 --to out0,out1'
	echo "interface in0 $*"
}
mode()
{
	iface in0 .mode
}
# apply_mode MODE: its last line is what xmcastctl said.
apply_mode()
{
	wish --mode "$1" >"$work/apply"
	ctl apply "$work/apply"
}
forwards()
{
	until_true 5 is active group 239.1.1.1 .state && deliver -n 300 -b 64,1200 239.1.1.1 all:r0 all:r1
}

check "xmcastd starts" configure ''
check "generic" apply_mode generic
check "... forwards" forwards
program=$(iface in0 .program_id)

# The driver refuses native XDP to a veth whose peer has so large an MTU.
ns s ip link set s0 mtu 9000
for attempt in 1 2; do
	check "native is refused, and why is said" refused 1 \
	    'cannot attach to in0 in native mode' apply_mode native
	check "... it stays generic" until_true 5 is generic mode
	check "... and says so" sh -c \
	    "'$build/cli/xmcastctl' list-interfaces | grep '^in0: stays generic: .*native'"
	same "... what is wanted is shown, too" native "$(iface in0 .wanted)"
	check "... it forwards on" forwards
	program=$(iface in0 .program_id)
	# Other changes do not try again: that would be a gap each time.
	check "... another change" ctl add-group 239.1.1.2 --from in0 --to out0
	check "... leaves the program" is "$program" iface in0 .program_id
	check "... reattach tries again" refused 1 'native' ctl reattach in0
	check "... and goes back again" forwards
	check "generic again" apply_mode generic
done
program=$(iface in0 .program_id)
check "reattach of the same mode" ctl reattach in0
check "... leaves the program" is "$program" iface in0 .program_id

# changed MODE: what flows meanwhile is lost for the time of the gap only.
changed()
{
	deliver_beside -n 30000 -r 20000 -b 64,1200 239.1.1.1 some:r0 some:r1
	until_true 5 flowing || return 1
	apply_mode "$1" || return 1
	wait $traffic
	rc=$?
	cat "$work/deliver.out"
	return $rc
}
flowing()
{
	[ "$(stat .matched)" -gt $((matched + 2000)) ]
}
ns s ip link set s0 mtu 1500
for mode in native generic; do
	matched=$(stat .matched)
	check "$mode while frames flow" changed $mode
	check "... it is" until_true 5 is $mode mode
	comment "$mode: lost $(sed -n 's/^some:r0.* lost=\([0-9]*\) .*/\1/p' "$work/deliver.out") of 30000 at 20000 a second"
	check "... forwards" forwards
	same "... nothing is unexplained" 0 "$(stat .unexplained)"
done

# off_and_on: whatever is on its way when a program goes is counted, too.
off_and_on()
{
	deliver_beside -n 60000 -r 20000 239.1.1.1 some:r0 some:r1
	until_true 5 flowing || return 1
	for time in $(seq "$1"); do
		ctl detach in0 && ctl attach in0 || return 1
	done
	wait $traffic
}
for mode in native generic; do
	check "$mode" apply_mode $mode
	matched=$(stat .matched)
	check "... its program goes and comes 30 times while frames flow" off_and_on 30
	check "... forwards" forwards
	same "... nothing is unexplained" 0 "$(stat .unexplained)"
done
finish
