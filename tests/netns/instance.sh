#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: a daemon for another network namespace: doctor's commands work from here (cases 33, 40).
. "$(dirname "$0")/lib.sh"
PATH=$build/cli:$PATH
unset XMCAST_SOCKET

host blue
pair pin s2 in1
pair pout r9 out1
for veth in pin pout; do
	ip link set $veth netns blue
	ip -n blue link set $veth up
done
ns r9 ethtool -K out1 gro on
cat >"$work/blue.conf" <<-END
	group 239.1.1.1 --from pin --to pout
	interface pin --mode native
END
blue()
{
	xmcastctl --netns blue "$@"
}
check "without a daemon: how to start that one" refused 3 'systemctl start xmcastd@blue' \
    xmcastctl --netns blue status
check "... doctor, too" sh -c 'xmcastctl --netns blue doctor 2>&1 |
    grep "problem .*xmcastd does not answer; run: systemctl start xmcastd@blue$"'
"$build/daemon/xmcastd" --netns blue --config "$work/blue.conf" --bpffs /sys/fs/bpf/xmcast >"$work/daemon.log" 2>&1 &
until_true 20 blue status || not_ok "the daemon starts" "$work/daemon.log"

finding()
{
	blue --json doctor | jq -r --arg c "$2" --arg s "$3" \
	    "first(.findings[] | select(.check == \$c and .subject == \$s)) | .$1 // \"ok\""
}
# mended CHECK SUBJECT: the command, typed here, mends it.
mended()
{
	until_true 20 is "${level:-problem}" finding level "$1" "$2" || return 1
	remedy=$(finding remedy "$1" "$2")
	echo "remedy: $remedy"
	sh -c "$remedy" && until_true 20 is ok finding level "$1" "$2"
}
ip -n blue link set pout down
check "an egress that is down" mended ready pout
blue detach pin >/dev/null
level=warning
check "an ingress that is detached" mended program pin
blue add-group 239.1.1.2 --from pin --to pout >/dev/null
level=problem
ip -n blue link add br0 type bridge
ip -n blue link set br0 up
blue add-group 239.1.1.3 --from pin --to br0 >/dev/null 2>&1
check "a command with quotes in it" mended ready br0
until_true 10 is generic sh -c "xmcastctl --netns blue --json list-interfaces | jq -r '.interfaces[] |
    select(.interface == \"pin\").mode'" || not_ok "it did what it says" "$work/until.out"
finish
