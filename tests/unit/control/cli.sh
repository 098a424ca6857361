#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: cli.sh FAKE-DAEMON XMCASTCTL VERSION: what xmcastctl prints and exits with, against a daemon
# without a kernel.
set -u

fake=$1
xmcastctl=$2
version=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
runs=0
last=

. "$(dirname "$0")/../../lib/fake-daemon.sh"
fake_daemon "$fake"

# run WORDS...: calls xmcastctl; $dir/out, $dir/err and $code are what came of it
run()
{
	what="$*"
	runs=$((runs + 1))
	timeout 60 "$xmcastctl" "$@" >"$dir/out" 2>"$dir/err"
	code=$?
}

fail()
{
	[ "$what" = "$last" ] || failed=$((failed + 1))
	last=$what
	echo "wrong: xmcastctl $what: $1"
	head -n 5 "$dir/out" | cut -c 1-200 | sed 's/^/    out: /'
	head -n 5 "$dir/err" | cut -c 1-200 | sed 's/^/    err: /'
}

# expect CODE [out|err TEXT]...: the exit code, and lines that hold TEXT
expect()
{
	[ "$code" = "$1" ] || fail "exit $code, not $1"
	shift
	while [ $# -ge 2 ]; do
		grep -qF -e "$2" "$dir/$1" || fail "no '$2' in std$1"
		shift 2
	done
}

# silent out|err: nothing was printed there
silent()
{
	[ ! -s "$dir/$1" ] || fail "something in std$1"
}

# help and usage
run --help
expect 0 out 'usage: xmcastctl' out 'Exit: 0 done'
silent err
[ "$(wc -l <"$dir/out")" -le 35 ] || fail 'more than 35 lines'
run --version
expect 0 out "xmcastctl $version"
for verb in add-group del-group add-egress del-egress add-exclude del-exclude list-groups \
	list-interfaces stats doctor explain trace top metrics monitor status apply save reload attach detach reattach; do
	run $verb --help
	expect 0 out "usage: xmcastctl $verb" out 'examples:'
	[ "$(grep -c '^  .*xmcastctl' "$dir/out")" -ge 2 ] || fail 'fewer than two examples'
done
run help
expect 0 out 'usage: xmcastctl' out 'Exit: 0 done'
run help add-group
expect 0 out 'usage: xmcastctl add-group'
run help frobnicate
expect 2 err 'frobnicate'
run
expect 2 err '--help'
run lst-groups
expect 2 err "did you mean 'list-groups'?"
run foo
expect 2 err "there is no verb 'foo': see xmcastctl --help"
run -V
expect 2 err "there is no option '-V'"
run zzzzzzzzzz
expect 2 err 'xmcastctl --help'
run add 239.1.1.1
expect 2 err 'add-group' err 'add-egress' err 'add-exclude'
run --socket
expect 2 err '--socket needs a value'
run --socket /x --netns y stats
expect 2 err 'exclude each other'
run stats more
expect 2 err 'more is one word too many'
[ "$(tail -n 1 "$dir/err")" = 'usage: xmcastctl stats' ] || fail 'not that usage line'

# reaching the daemon
run --socket "$dir/nobody" stats
expect 3 err "$dir/nobody" err 'systemctl start xmcastd'
run --netns nonesuch stats
expect 3 err '/run/xmcast/nonesuch/io.xmcast.Control'
printf x >"$dir/file"
run --socket "$dir/file" stats
expect 3 err "$dir/file"

# groups
run list-g
expect 0 out '/etc/xmcast/x.conf:7' out 'veth1,veth9(down)'
for filter in 'origin foo' 'state foo' 'state act' 'state active,'; do
	run list-groups --${filter% *} "${filter#* }"
	expect 2 err "${filter% *} '${filter#* }' is none of"
done
run list-groups --state active --origin config
expect 0 out '239.0.0.7'
run add-group 239.1.1.1 --from eth0 --to veth1,veth9
expect 0 out added err 'warning: veth9 is not ready'
run add-group 239.1.1.1 --from eth0 --to veth1,veth9
expect 0 out unchanged
run add-group 239.1.1.1 --from eth0 --to veth2
expect 1 err 239.1.1.1
silent out
run add-group 239.1.1.1 --from eth0 --to veth1 --vlan 5.7 --source 10.0.0.0/8
expect 0 out added
silent err
run add-group 10.1.1.1 --from eth0 --to veth1
expect 1 err multicast
run add-group nonsense --from eth0 --to veth1
expect 2 err nonsense err 'usage:'
run add-group 239.1.1.2 --to veth1
expect 2 err '--from'
run add-group 239.1.1.2 --from eth0 --to unknown7
expect 1 err unknown7
run add-group 239.1.1.2 --from eth0 --to unknown7 --pending
expect 0 out added
run add-group 239.1.1.2 --from eth0 --to veth1 --ttl 3
expect 2 err ttl
run del-group 239.1.1.1
expect 1 err '2 groups match' err '239.1.1.1 --source 0.0.0.0/0 --vlan 0 --from eth0' \
	err '239.1.1.1 --source 10.0.0.0/8 --vlan 5.7 --from eth0'
run add-egress 239.1.1.1 veth3 --source 0.0.0.0/0 --vlan 0 --from eth0
expect 0 out changed
run del-egress 239.1.1.1 veth3 --vlan 0
expect 0 out changed
run add-exclude 239.1.1.1 veth9 --vlan=0
expect 0 out changed
run del-exclude 239.1.1.1 veth9 --vlan 0
expect 0 out changed
run add-egress 239.1.1.1
expect 2 err 'interfaces'
run add-egress
expect 2 err 'address'
run add-egress 239.1.1.1 veth3 veth4
expect 2 err 'veth4'
run add-egress 239.1.1.1 veth3 --vlan 4095
expect 2 err 4095
run --json list-groups 239.1.1.1 --vlan 5.7
expect 0 out '{"groups":[{"address":"239.1.1.1","source":"10.0.0.0/8","vlan":"5.7","from":"eth0"'
run list-groups --json 239.250.0.0
expect 0 out '{"groups":[]}'
run add-group 239.1.1.3 --from eth0 --to 'veth*,eth1' --exclude veth9
expect 0 out added
run list-groups 239.1.1.3
expect 0 out ',veth*:[' out ' veth9 '
run del-egress 239.1.1.3 veth1
expect 1 err "'veth1' is meant by the pattern 'veth*' of group 239.1.1.3 from eth0" err 'add-exclude'
run del-egress 239.1.1.3 'veth*,eth1'
expect 1 err 'name one, or delete the group'
run del-group 239.1.1.3
expect 0 out deleted
run del-group 239.1.1.1 --vlan 5.7
expect 0 out deleted
run del-group 239.1.1.1 --vlan 5.7
expect 1 err '239.1.1.1 vlan 5.7'
run del-group 239.0.0.7
expect 1 err '/etc/xmcast/x.conf:7'

# everything else that is there
run list-interfaces
expect 0 out 'eth0' out 'veth9 cannot receive redirected frames'
run --json list-interfaces
expect 0 out '"xdp_features":["basic","redirect","ndo-xmit-sg"]'
run stats
expect 0 out '1800 copies due' out 'too-big'
run --json stats
expect 0 out '"unexplained":1,"not_ready":'
run doctor
expect 2 out 'ok       settled' out 'warning  mode eth0: generic mode; run: xmcastctl reattach eth0' \
	out 'problem  ready veth9: down: it gets no copies; run: ip link set veth9 up'
silent err
if grep -q "$(printf '\033')" "$dir/out"; then fail 'colours where there is no terminal'; fi
run doctor eth0 --json
expect 1 out '{"check":"mode","subject":"eth0","level":"warning","text":"generic mode","remedy":"xmcastctl reattach eth0"}'
run explain --from eth0 --group 239.1.1.1 --source 10.0.0.1 --vlan 5 --size 1500
expect 0 out '239.1.1.1 source 10.0.0.1 vlan 5 (1500 bytes): copied' out 'match    239.1.1.1 from eth0 (entry 3)' \
	out 'veth1    transmitted' out 'veth9    dropped: too-big (the frame is larger than the egress MTU)' \
	out 'what only its coming can tell: queue-full'
run --json explain --from eth0 --group 239.1.1.1
expect 0 out '"interface":"veth9","outcome":"dropped","reason":"too-big"'
run --json explain 239.1.1.1 --from eth0
expect 0 out '"interface":"veth9","outcome":"dropped","reason":"too-big"'
run explain 239.1.1.1 --from eth0 --group 239.1.1.1
expect 2 err 'one word too many'
run explain --from eth0
expect 2 err 'the group is missing'
run explain --group 239.1.1.1
expect 2 err '--from is missing'
run explain --from eth0 --group nonsense
expect 2 err nonsense
run explain --from nosuch --group 239.1.1.1
expect 1 err nosuch
run explain --from eth0 --group 239.1.1.1 --size 9999999
expect 2 err "xmcastctl: --size must be an integer"
for count in 0 -1 10001; do
	run trace 239.1.1.1 --count $count
	expect 2 err 'xmcastctl: --count must be an integer of'
done
run trace 239.1.1.1 --seconds 3601
expect 2 err 'xmcastctl: --seconds must be an integer of 1 to 3600'
# What every verb with options says of wrong ones.
for verb in list-groups del-group 'add-egress 239.1.1.1' explain trace top metrics save; do
	run $verb --nonsense
	expect 2 err '--nonsense: unknown option'
	run $verb one two three
	expect 2 err 'one word too many'
done
run status
expect 0 out 'process 4711' out 'eth0'
run reload
expect 0
silent err
run detach eth0
expect 0 out 'detached: eth0'
run attach
expect 0 out 'attached: eth0'
run attach
expect 0 out 'unchanged: not detached; xmcastctl reattach IF'
run detach eth9
expect 1 err eth9
run reattach
expect 2 err 'one interface'
run reattach eth0
expect 0 out 'eth0: '
silent err

# monitor goes on until its reader is gone
timeout 10 "$xmcastctl" --json monitor 2>"$dir/err" | head -n 1 >"$dir/out"
code=0 what=monitor
expect 0 out '{"event":"monitoring"}'

# save and apply: what was saved is applied as it was
run --json list-groups --origin runtime
cp "$dir/out" "$dir/before"
run detach eth0
run save studio --dir "$dir"
expect 0 out '5 groups in'
grep -q '^group 239.10.0.2 --from eth0 --to veth1,veth9$' "$dir/studio.conf" || fail 'wrong file'
grep -q '^interface eth0.* --detached$' "$dir/studio.conf" || fail 'no wish'
[ "$(stat -c %a "$dir/studio.conf")" = 644 ] || fail 'wrong mode'
run save ../x --dir "$dir"
expect 2 err NAME
run save x --dir "$dir/nowhere"
expect 1 err nowhere
[ -z "$(find "$dir" -name '.save*')" ] || fail 'left a temporary file'
run apply /dev/null
expect 0 out '0 groups'
run --json list-groups --origin runtime
expect 0 out '{"groups":[]}'
run apply "$dir/studio.conf"
expect 0 out '5 groups'
run --json list-groups --origin runtime
cmp -s "$dir/out" "$dir/before" || fail 'other groups than before'
run apply - <"$dir/studio.conf"
expect 0 out '5 groups'
cat >"$dir/bad.conf" <<-END
	group 239.7.0.1 --from eth0 --to veth1
	group nonsense --from eth0 --to veth1
	# a comment
	grupp 239.7.0.2
	limit groups 5
END
run apply "$dir/bad.conf"
expect 1 err "$dir/bad.conf:2:" err "$dir/bad.conf:4:" err "$dir/bad.conf:5:" err 'nothing was changed'
run apply - <"$dir/bad.conf"
expect 1 err '(standard input):2:' err '3 errors in (standard input): nothing was changed'
run apply "$dir/nonesuch"
expect 1 err nonesuch
run apply
expect 2 err FILE
printf 'group 239.0.0.7 --from eth0 --to veth1\n' >"$dir/conflict.conf"
run apply "$dir/conflict.conf"
expect 1 err '/etc/xmcast/x.conf:7'
printf 'group 239.7.0.1 --from eth0 --to veth1\n\ngroup 239.7.0.1 --from eth0 --to veth2\n' >"$dir/twice.conf"
run apply "$dir/twice.conf"
expect 1 err "$dir/twice.conf:3: group 239.7.0.1 from eth0: is defined otherwise in line 1"
run --json list-groups --origin runtime
cmp -s "$dir/out" "$dir/before" || fail 'a refused apply changed something'

# many groups pass through in pieces
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "group 239.%d.%d.%d --from eth0 --to veth%d,veth%d\n",
	10 + int(i / 65536), int(i / 256) % 256, i % 256, i % 8, 1 + i % 7 }' >"$dir/many.conf"
run apply "$dir/many.conf"
expect 0 out '20000 groups'
run --json list-groups
expect 0
[ "$(grep -o '"address"' "$dir/out" | wc -l)" = 20001 ] || fail 'groups were lost'

# another user may look, not touch; the tree itself may be out of its reach
as_nobody()
{
	what="as nobody: $*"
	runs=$((runs + 1))
	setpriv --reuid 65534 --regid 65534 --clear-groups "$dir/xmcastctl" "$@" \
		>"$dir/out" 2>"$dir/err"
	code=$?
}

if [ "$(id -u)" = 0 ]; then
	chmod 755 "$dir"
	cp "$xmcastctl" "$dir/xmcastctl"
	as_nobody stats
	expect 0 out '1800 copies due'
	as_nobody reload
	expect 4 err 'group xmcast'
	as_nobody add-group 239.1.1.1 --from eth0 --to veth1
	expect 4 err 'group xmcast'
	as_nobody trace 239.1.1.1
	expect 4 err 'Trace needs root or a member of the group xmcast'
	as_nobody bench
	grep -q 'group xmcast' "$dir/err" && fail 'the group may not'
	expect 4 err 'Bench needs root'
fi

exec 7>&-
wait
echo "$((runs - failed)) passed, $failed failed, 0 skipped"
[ $failed = 0 ]
