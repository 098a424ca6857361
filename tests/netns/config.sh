#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: configuration files, ownership, apply, reload, save, restart, exit codes (cases 28, 29, 32).
. "$(dirname "$0")/lib.sh"

network 3
conf=$work/xmcastd.conf

check "xmcastd starts" configure '# a comment' 'group 239.1.1.1 --from in0 --to out0 # and one more' \
    'interface in0 --mode native'
check "the configured group forwards" until_true 5 is active group 239.1.1.1 .state
check "... its origin is told" is "config" group 239.1.1.1 .origin
check "a verb does not change it: exit 1, its file and line" \
    refused 1 "xmcastd.conf:2" ctl del-group 239.1.1.1
check "... nor add-egress" refused 1 "xmcastd.conf:2" ctl add-egress 239.1.1.1 out1
check "... nor add-group of the same key" refused 1 "xmcastd.conf:2" \
    ctl add-group 239.1.1.1 --from in0 --to out1

check "a runtime group" ctl add-group 239.1.1.2 --from in0 --to out1
check "the same key with other content is refused" refused 1 '239.1.1.2' \
    ctl add-group 239.1.1.2 --from in0 --to out2
before
check "traffic for both" deliver -n 500 239.1.1.1 all:r0 none:r1
check "... " deliver -n 500 239.1.1.2 all:r1 none:r0
echo 'group 239.1.1.3 --from in0 --to out2' >>"$conf"
reload_under_load()
{
	deliver -n 20000 -r 20000 239.1.1.1 all:r0 none:r1 >"$work/deliver.out" 2>&1 &
	traffic=$!
	for i in $(seq 10); do
		ctl reload || return 1
		sed -i "s/^group 239.1.1.3 .*/group 239.1.1.3 --from in0 --to out$((i % 3))/" "$conf"
	done
	wait $traffic
	rc=$?
	cat "$work/deliver.out"
	return $rc
}
check "reload changes nothing for what did not change" reload_under_load
check "... not even its counts" until_true 3 is 20500 group 239.1.1.1 .frames
check "... nor those of runtime groups" is 500 group 239.1.1.2 .frames
check "the new group is there" is config group 239.1.1.3 .origin
cp "$conf" "$work/good.conf"
{
	echo 'group 10.1.1.1 --from in0 --to out0'
	echo 'group 239.1.1.9 --from in0'
	echo 'nonsense'
} >>"$conf"
lines=3
check "a bad file: reload is refused, with each error" refused 1 'xmcastd.conf:5' ctl reload
lines=1
check "... and changes nothing" is config group 239.1.1.3 .origin
"$build/daemon/xmcastd" --check --config "$conf" >"$work/check.out2" 2>&1
same "--check: exit 1" 1 $?
for line in 5 6 7; do
	check "--check names line $line" grep -q "xmcastd.conf:$line: " "$work/check.out2"
done
cp "$work/good.conf" "$conf"
check "--check of a good file" "$build/daemon/xmcastd" --check --config "$conf"

cat >"$work/apply" <<END
group 239.2.0.0/16 --from in0 --to out0,out1
group 239.2.2.2 --from in0 --to out2 --source 10.9.0.3
END
check "apply" ctl apply "$work/apply"
check "... replaced all runtime groups" is null group 239.1.1.2 .address
check "... forwards" deliver 239.2.9.9 all:r0 all:r1 none:r2
check "... by source" deliver -s 10.9.0.3 239.2.2.2 none:r0 none:r1 all:r2
echo 'group 239.1.1.1 --from in0 --to out0' >>"$work/apply"
check "apply with one bad line is refused" refused 1 'xmcastd.conf' ctl apply "$work/apply"
check "... all or nothing" deliver 239.2.9.9 all:r0 all:r1 none:r2
check "apply from standard input" sh -c "echo 'group 239.2.0.0/16 --from in0 --to out0,out1' |
    '$build/cli/xmcastctl' apply -"
check "... replaced" is null group 239.2.2.2 .address

stop_daemon KILL
check "restart after a kill" daemon
check "runtime groups survive" is runtime group 239.2.0.0/16 .origin
stop_daemon
echo damage >>"$work/run/state"
check "a damaged state file does not stop it" daemon
check "... is kept beside" test -e "$work/run/state.damaged"
check "... and said" grep -qi 'state' "$work/daemon.log"

check "a group to save" ctl add-group 239.5.5.5 --from in0 --to out0
mkdir "$work/conf.d"
check "save" ctl save kept --dir "$work/conf.d"
check "... wrote conf.d" grep -q 'group 239.5.5.5' "$work/conf.d/kept.conf"

check "usage: exit 2" refused 2 '.' ctl add-group
check "an unknown verb: exit 2" refused 2 'frobnicate' ctl frobnicate
check "no daemon: exit 3, and the path tried" refused 3 "$work/nowhere" \
    ctl --socket "$work/nowhere" status
check "not permitted: exit 4" refused 4 '.' setpriv --reuid 65534 --regid 65534 --clear-groups \
    env XMCAST_SOCKET="$XMCAST_SOCKET" "$build/cli/xmcastctl" add-group 239.6.6.6 \
    --from in0 --to out0
check "reading is permitted to all" setpriv --reuid 65534 --regid 65534 --clear-groups \
    env XMCAST_SOCKET="$XMCAST_SOCKET" "$build/cli/xmcastctl" list-groups
check "several groups match: exit 1, and all are listed" sh -c "
    '$build/cli/xmcastctl' add-group 239.5.5.5 --from in0 --to out0 --source 10.9.0.3
    '$build/cli/xmcastctl' del-group 239.5.5.5 >'$work/several' 2>&1
    [ \$? = 1 ] && grep -q 10.9.0.3 '$work/several'"
finish
