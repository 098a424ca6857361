#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: hands off: modes, privileges of each method, paths that others could have laid, capabilities.
. "$(dirname "$0")/lib.sh"

network 1
umask 077 # as in the unit
check "xmcastd starts" configure 'interface in0 --mode native'
check "add-group" ctl add-group 239.1.1.1 --from in0 --to out0
mode()
{
	command stat -c '%A %U' "$1" # stat is a function of lib.sh
}
same "the runtime directory: all may look" 'drwxr-xr-x root' "$(mode "$work/run")"
same "the socket: all may connect" 'srw-rw-rw- root' "$(mode "$XMCAST_SOCKET")"
same "the state file" '-rw------- root' "$(mode "$work/run/state")"
same "the lock" '-rw------- root' "$(mode "$work/run/lock")"
same "the pins" 'drwx------ root' "$(mode /sys/fs/bpf/xmcast/*)"
check "... and all that is below" [ -z "$(find /sys/fs/bpf/xmcast -mindepth 1 -perm /077)" ]

# --- who may do what ---
check "each method asks who calls" python3 "$tests/hands.py" "$XMCAST_SOCKET" \
    "$top/daemon/control/io.xmcast.Control.varlink" \
    ListGroups ListInterfaces ListWishes Explain Doctor Stats Monitor Status
as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
check "a stranger may look" $as_nobody "$build/cli/xmcastctl" list-groups
check "... but not touch: exit code 4" refused 4 'root|xmcast' \
    $as_nobody "$build/cli/xmcastctl" del-group 239.1.1.1
check "... nor measure" refused 4 'root|xmcast' $as_nobody "$build/cli/xmcastctl" bench --quick

# --- capabilities ---
# 12 NET_ADMIN, 11 NET_BROADCAST, 21 SYS_ADMIN (only when started by hand), 38 PERFMON, 39 BPF
kept=$(printf '%016x' $((1 << 11 | 1 << 12 | 1 << 21 | 1 << 38 | 1 << 39)))
for set in CapEff CapPrm; do
	same "$set of every thread" "$kept" "$(sed -n "s/^$set:\t//p" "/proc/$daemon_pid"/task/*/status | sort -u)"
done
same "CapInh and CapAmb" 0000000000000000 \
    "$(sed -n 's/^Cap\(Inh\|Amb\):\t//p' "/proc/$daemon_pid"/task/*/status | sort -u)"
check "forwards with these" deliver 239.1.1.1 all:r0
named=$(sed -n 's/^CapabilityBoundingSet=//p' "$top/systemd/xmcastd.service")
same "the unit names the same, but for SYS_ADMIN" 'BPF NET_ADMIN NET_BROADCAST PERFMON' \
    "$(echo "$named" | sed 's/CAP_//g')"
if command -v systemd-analyze >/dev/null; then
	exposure=$(systemd-analyze security --offline=true "$top/systemd/xmcastd.service" |
	    sed -n 's/.*Overall exposure level.*: \([0-9.]*\).*/\1/p')
	comment "exposure $exposure"
	check "exposure of the unit is at most 2.0" awk "BEGIN { exit !(\"$exposure\" + 0 > 0 && $exposure <= 2) }"
else
	skip "exposure of the unit" "there is no systemd-analyze"
fi
stop_daemon

# --- what stands where the daemon wants to be ---
# starts DIR: it does.
starts()
{
	"$build/daemon/xmcastd" --config "$work/xmcastd.conf" --runtime-dir "$1" \
	    --bpffs /sys/fs/bpf/xmcast >"$work/other.log" 2>&1 &
	daemon_pid=$!
	XMCAST_SOCKET=$1/io.xmcast.Control until_true 20 daemon_answers || {
		cat "$work/other.log"
		return 1
	}
	stop_daemon
}
# refuses PATTERN DIR: it ends with one line.
refuses()
{
	refused 1 "$1" timeout 20 "$build/daemon/xmcastd" --config "$work/xmcastd.conf" \
	    --runtime-dir "$2" --bpffs /sys/fs/bpf/xmcast
}
victim=$work/victim
echo precious >"$victim"
place=$work/place
fresh()
{
	rm -rf "$place"
	mkdir -m 755 "$place" "$place/run"
}
fresh
check "a good place" starts "$place/run"
fresh
chmod 777 "$place/run"
check "a directory that others can write to" refuses "$place/run.*chmod go-w" "$place/run"
fresh
chmod 777 "$place"
check "... one above it" refuses "others can write to $place" "$place/run"
chmod 1777 "$place"
check "... unless it is sticky, as /tmp is" starts "$place/run"
fresh
chown 65534 "$place/run"
check "a directory of somebody else" refuses 'chown' "$place/run"
fresh
chown 65534 "$place"
check "... above it" refuses "others can write to $place" "$place/run"
fresh
mv "$place/run" "$place/there"
ln -s there "$place/run"
check "a link in place of the directory" refuses 'not a directory' "$place/run"
fresh
rmdir "$place/run"
echo file >"$place/run"
check "a file" refuses 'not a directory|Not a directory' "$place/run"
fresh
ln -s "$victim" "$place/run/lock"
check "a link in place of the lock" refuses "$place/run/lock" "$place/run"
fresh
ln -s "$victim" "$place/run/state"
check "a link in place of the state file is not followed" starts "$place/run"
check "... and told" grep -q "state $place/run/state" "$work/other.log"
fresh
mkfifo "$place/run/state"
check "a pipe in place of the state file does not hold it up" starts "$place/run"
fresh
ln -s "$victim" "$place/run/state.new"
check "a link in place of the new state file" starts "$place/run"
fresh
ln -s "$victim" "$place/run/io.xmcast.Control"
check "a link in place of the socket" refuses 'io.xmcast.Control' "$place/run"
fresh
cp "$victim" "$place/run/io.xmcast.Control"
check "a file in place of the socket" refuses 'io.xmcast.Control' "$place/run"
same "nothing was written through any of them" precious "$(cat "$victim")"
finish
