#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test: a broken environment gets one line that says what to do, and a non-zero exit code.
. "$(dirname "$0")/lib.sh"

network 1
pins=/sys/fs/bpf/xmcast
printf '%s\n' 'interface in0 --mode native' 'group 239.1.1.1 --from in0 --to out0' >"$work/good.conf"
# refuses WHAT PATTERN [PREFIX...]: xmcastd does not start, with that line.
refuses()
{
	what=$1
	pattern=$2
	shift 2
	check "$what" refused 1 "$pattern" "$@" timeout 30 "$build/daemon/xmcastd" \
	    --config "$work/good.conf" --runtime-dir "$work/run" --bpffs "$pins"
	same "... and nothing is attached" '' "$(ip -d link show in0 | grep -o 'prog/xdp.*')"
}

umount /sys/fs/bpf
refuses "no bpffs" 'not on a BPF file system.*mount -t bpf'
mount -t bpf -o ro bpf /sys/fs/bpf
refuses "a read-only bpffs" 'read-only.*mount -o remount,rw /sys/fs/bpf'
mount -o remount,rw /sys/fs/bpf
mount -t bpf bpf /sys/fs/bpf

bpftool map create "$pins" type array key 4 value 4 entries 1 name theirs
refuses "a foreign pin where the directory should be" "$pins .*not a directory.*--bpffs"
rm "$pins"
mkdir -m 700 "$pins"
"$build/daemon/xmcastd" --config "$work/good.conf" --runtime-dir "$work/run" --bpffs "$pins" \
    >"$work/daemon.log" 2>&1 &
daemon_pid=$!
until_true 20 daemon_answers >/dev/null
refuses_second()
{
	refused 1 "pid $daemon_pid" timeout 30 "$build/daemon/xmcastd" --config "$work/good.conf" \
	    --runtime-dir "$work/run$1" --bpffs "$pins"
}
check "a second instance" refuses_second ''
check "... in another directory" refuses_second 2
name=$(ls "$pins")
stop_daemon
check "--purge" "$build/daemon/xmcastd" --purge --runtime-dir "$work/run" --bpffs "$pins"
mkdir -m 700 "$pins"
bpftool map create "$pins/$name" type array key 4 value 4 entries 1 name theirs
refuses "a foreign pin where one of ours should be" "$pins/$name.*[Nn]ot a directory.*rm"
rm "$pins/$name"

chmod 777 "$pins"
refuses "pins that others can write" "$pins.*chmod go-w"
chmod 700 "$pins"
chown 65534 "$pins"
refuses "pins of somebody else" "$pins.*chown"
chown 0 "$pins"
mkdir -m 777 "$pins/$name"
refuses "a directory of pins that others can write" "$pins/$name.*chmod go-w"
rmdir "$pins/$name"

for capability in bpf perfmon net_admin; do
	refuses "without CAP_$capability" "CAP_$(echo $capability | tr a-z A-Z)" \
	    setpriv --bounding-set "-sys_admin,-$capability"
done
mount -t tmpfs none /sys/kernel/btf
refuses "a kernel without BTF" 'no BTF.*CONFIG_DEBUG_INFO_BTF'
umount /sys/kernel/btf

# The first socket of netlink, as a filter of system calls would have it.
xmcastd="traced -f -o $work/calls -e trace=socket $build/daemon/xmcastd"
check "xmcastd starts, traced" configure ''
kill "$(ctl --json status | jq .pid)"
wait "$daemon_pid"
daemon_pid=
xmcastd=
first=$(grep -n 'AF_NETLINK.*NETLINK_ROUTE' "$work/calls" | head -1 | cut -d: -f1)
refuses "netlink blocked" 'netlink.*RestrictAddressFamilies' traced -f -o /dev/null \
    -e "inject=socket:error=EAFNOSUPPORT:when=$first+"
if [ -n "${XMCAST_SANITIZED:-}" ]; then
	skip "a limit of memory" "the sanitizer needs more"
else
	echo 'limit groups 1000000' >>"$work/good.conf"
	refuses "a limit of memory" 'memory.*limit (entries|groups)' prlimit --as=100000000
	sed -i '/^limit/d' "$work/good.conf"
fi

# problem PATTERN: what status says could not be done.
problem()
{
	ctl --json status | jq -r '.problem // ""' | tee /dev/stderr | grep -qE "$1"
}
# What is broken on one interface does not stop the others: the verb says it.
check "xmcastd starts" configure 'interface br0 --mode native' 'interface in0 --mode native'
ip link add br0 type bridge
ip link set br0 up
check "native unsupported" refused 1 'br0.*native.*--mode generic' \
    ctl add-group 239.1.1.1 --from br0 --to out0
ip link set in0 xdp obj "$tools/kernel.bpf.o" sec xdp
check "a foreign XDP program" refused 1 'in0 is held by another XDP program.*ip link set dev in0 xdp' \
    ctl add-group 239.1.1.2 --from in0 --to out0
check "... which status goes on to say" problem '^br0: .*native'
ctl del-group 239.1.1.1
check "... of each that lasts" problem '^in0: .*held by another XDP program'
ip link set in0 xdp off
check "... and no longer than it does" until_true 5 problem '^$'
ctl del-group 239.1.1.2
ip -n s link set s0 mtu 9000
ip link set in0 mtu 9000
check "an MTU too large for native" refused 1 'in0.*native.*(MTU|mtu).*--mode generic' \
    ctl add-group 239.1.1.3 --from in0 --to out0
finish
