#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: configuration files, ownership, apply, reload, save, restart, exit codes (cases 28, 29, 32).
. "$(dirname "$0")/lib.sh"

network 4
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
	deliver_beside -n 20000 -r 20000 239.1.1.1 all:r0 none:r1
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
# What has no end or makes the reader wait: told at once, and the daemon goes on.
mkdir "$work/conf.d"
odd="$work/conf.d/odd.conf"
for kind in fifo zero huge; do
	case $kind in
	fifo) mkfifo "$odd" ;;
	zero) ln -sf /dev/zero "$odd" ;;
	huge) rm -f "$odd" && truncate -s 2G "$odd" ;;
	esac
	check "$kind in conf.d: reload names it" timeout 5 sh -c "
	    '$build/cli/xmcastctl' reload 2>&1 | grep 'odd.conf: cannot be read: it '"
	check "... status answers" timeout 5 "$build/cli/xmcastctl" status
	[ $kind = fifo ] || check "... apply refuses it" timeout 5 sh -c "
	    '$build/cli/xmcastctl' apply '$odd' 2>&1 | grep 'cannot read .*odd.conf: it '"
	[ $kind != fifo ] || check "... --config refuses it" timeout 5 sh -c "
	    '$build/daemon/xmcastd' --check --config '$odd' 2>&1 | grep 'cannot be read: it '"
	rm -f "$odd"
done
[ -z "$long" ] || check "standard input without an end" sh -c "
    '$build/cli/xmcastctl' apply - </dev/zero 2>&1 | grep 'more than 1 GiB'"
rm -r "$work/conf.d"
check "--check of a good file" "$build/daemon/xmcastd" --check --config "$conf"
check "--check of a missing file names it, and no line" refused 1 \
    "^xmcastd: $work/nothing.conf: cannot be read: No such file" \
    "$build/daemon/xmcastd" --check --config "$work/nothing.conf"

# More errors than one answer holds: whole lines, and how many more there are.
for i in $(seq 40); do
	echo "group 239.1.1.$i --from in0 --to out0 --vlan 5000"
done >"$work/conf.errors"
cat "$work/conf.errors" >>"$conf"
ctl reload >"$work/errors" 2>&1
told=$(grep -c 'xmcastd.conf:[0-9]*: ' "$work/errors")
check "many errors: those told are whole lines" sh -c "! sed -n '/conf:[0-9]*: /p' '$work/errors' |
    grep -v '5000.*4094'"
check "... the last line says how many more" grep -q "^$((40 - told)) more: " "$work/errors"
cp "$work/good.conf" "$conf"

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
check "an ingress to save" ctl detach in0
check "... says why it is not ready" is detached iface in0 .reason
check "... and what to type" is 'detached; run: xmcastctl attach in0' iface in0 .detail
check "... so does its group" is 'detached; run: xmcastctl attach in0' group 239.5.5.5 .detail
check "save" ctl save kept --dir "$work/conf.d"
check "... wrote conf.d" grep -q 'group 239.5.5.5' "$work/conf.d/kept.conf"
check "... and what is wished of interfaces" \
    grep -q '^interface in0 --mode native --detached' "$work/conf.d/kept.conf"
check "reload takes it over" ctl reload
check "... who detached it is told" is \
    "detached by $work/conf.d/kept.conf:2; run: xmcastctl attach in0" iface in0 .detail
check "... attach puts it back all the same" ctl attach in0
check "... in force" until_true 5 is null iface in0 .reason
check "save makes the directory beside the configuration" sh -c "
    mv $work/conf.d $work/moved && '$build/cli/xmcastctl' save && ls $work/conf.d/saved.conf
    made=\$?; rm -rf $work/conf.d; mv $work/moved $work/conf.d; exit \$made"

check "del-exclude warns of who is not ready and is to get copies" sh -c "
    '$build/cli/xmcastctl' add-group 239.7.7.7 --from in0 --to out0,out1 --exclude out1 &&
    ip link set out1 down && '$build/cli/xmcastctl' del-exclude 239.7.7.7 out1 2>&1 |
    grep 'out1 is not ready: down'"
check "add-exclude of an interface that is not there is refused" refused 1 'nope9' \
    ctl add-exclude 239.7.7.7 nope9
check "... unless it may come" ctl add-exclude 239.7.7.7 nope9 --pending
check "... then others are added without that" ctl add-exclude 239.7.7.7 out2
check "... and removed" ctl del-exclude 239.7.7.7 nope9
ip link set out1 up

# What is not ready is a warning, whoever it is.
check "an ingress that will come is a warning" sh -c "'$build/cli/xmcastctl' add-group 239.7.7.8 \
    --from nope9 --to out0 --pending 2>&1 | grep 'warning: ingress nope9 does not exist yet'"
ip link set out0 down
ip link set out1 down
check "... so is a pattern none of whose interfaces is ready" sh -c "'$build/cli/xmcastctl' \
    add-group 239.7.7.9 --from in0 --to 'out[01]' 2>&1 |
    grep 'warning: no interface that matches out\[01\] is ready: out.: down'"
ip link set out1 up
until_true 5 is ready egress_state 239.7.7.9 out1
check "... but one that is suffices" refused 0 '^added$' ctl add-group 239.7.7.10 --from in0 --to 'out[01]'
check "... and is shown" sh -c "'$build/cli/xmcastctl' list-groups 239.7.7.10 2>/dev/null |
    grep 'out\[01\]:\[out0(down),out1\]'"
ip link set out0 up
for i in 8 9 10; do
	ctl del-group 239.7.7.$i
done >/dev/null

# An egress that leaves all groups and comes back counts on.
check "an egress" ctl add-group 239.8.8.8 --from in0 --to out3
before
check "... gets copies" deliver -n 700 239.8.8.8 all:r3
check "... which are counted" sums 700 700
counted=$(iface out3 .transmitted)
check "... at least those" [ "$counted" -ge 700 ]
check "it leaves all groups" ctl del-group 239.8.8.8
check "... and the list" until_true 5 is '' iface out3 .transmitted
check "it comes back" ctl add-group 239.8.8.8 --from in0 --to out3
check "... and counts on" is "$counted" iface out3 .transmitted
check "... with the next copies" deliver -n 300 239.8.8.8 all:r3
check "... all of them" until_true 5 is $((counted + 300)) iface out3 .transmitted
ctl del-group 239.8.8.8
stop_daemon KILL
check "also after a restart" daemon
check "... it comes back" ctl add-group 239.8.8.8 --from in0 --to out3
check "... and counts on" is $((counted + 300)) iface out3 .transmitted

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

# The default place, where nobody made xmcastd.conf: what save writes there is there after a reboot.
cp -a /etc/passwd /etc/group "$work/"
mkdir "$work/etc" && mv "$work/passwd" "$work/group" "$work/etc/"
mount --bind "$work/etc" /etc
default_daemon()
{
	"$build/daemon/xmcastd" --runtime-dir "$work/run" --bpffs /sys/fs/bpf/xmcast \
	    >>"$work/daemon.log" 2>&1 &
	daemon_pid=$!
	until_true 20 daemon_answers
}
stop_daemon
rm "$work/run/state"
check "without a configuration" default_daemon
check "... a group" ctl add-group 239.9.9.9 --from in0 --to out0
check "... may not be saved by everybody, and what to do" refused 4 "/etc/xmcast: .*sudo" \
    setpriv --reuid 65534 --regid 65534 --clear-groups \
    env XMCAST_SOCKET="$XMCAST_SOCKET" "$build/cli/xmcastctl" save
check "... is saved" ctl save
: >"$work/daemon.log"
check "... reload takes it over" ctl reload
check "... and counts what the files have" grep -q 'configuration reloaded: groups of it: 1' "$work/daemon.log"
check "... as the file's" is /etc/xmcast/conf.d/saved.conf group 239.9.9.9 .file
stop_daemon
check "... which tells that it ends" grep -q 'stopping: what is attached forwards on' "$work/daemon.log"
rm "$work/run/state"
check "... and after a reboot" default_daemon
check "... it is there" is /etc/xmcast/conf.d/saved.conf group 239.9.9.9 .file
check "... status tells what was read" sh -c "'$build/cli/xmcastctl' status |
    grep '/etc/xmcast/xmcastd.conf (is not there), files of conf.d: 1'"
check "... and so does --check" sh -c "'$build/daemon/xmcastd' --check |
    grep '/etc/xmcast/xmcastd.conf (is not there), files of conf.d: 1, groups: 1, no errors'"
check "runtime groups" ctl add-group 239.9.9.8 --from in0 --to out0
stop_daemon
check "... that --purge forgets are told" sh -c "'$build/daemon/xmcastd' --purge \
    --runtime-dir '$work/run' --bpffs /sys/fs/bpf/xmcast | grep 'runtime groups: 1'"
check "... without them" default_daemon
check "... the others are there" is '["239.9.9.9"]' \
    sh -c "'$build/cli/xmcastctl' --json list-groups | jq -c '[.groups[].address]'"
finish
