#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs tests under Debian's own kernels, in QEMU without KVM.
#
#   tests/vm/run.sh [KERNEL...] [--only TEST] [--suite NAME[,NAME]] [--shell] [--build DIR]
#                   [--timeout SECONDS]
#
# KERNEL: 11, 12, 13 or newest; default: 12 13 newest, of which three run at a time. NAME: bpf, vm, vm-long,
# vm-bench (default: these), vm-old, or vm-igb, whose guest has igb NICs, from a QEMU that has them.
# TEST: a name or shell pattern. Prints TAP and a line of sums for each kernel; ends with
# "N passed, N failed, N skipped"; exit status 1 on a failure.
# The tree and the host's root are seen read-only through 9p below a tmpfs: nothing on the host
# changes; what tests use all the time lies in the guest's memory. Kernels are fetched from Debian's
# archive and kept in BUILD/vm (XM_VM_CACHE). Without --only, tests that have a short form run that.
# It ends whatever the guest does: after a panic at once, after SECONDS (3600) when it hangs.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$top/tests/vm
. "$here/kernel.sh"
. "$here/qemu.sh"
. "$here/initramfs.sh"
. "$here/module.sh"

usage() {
	sed -n '3,16s/^# \{0,1\}//p' "$0"
}

misused() {
	usage >&2
	exit 2
}

kernels='' only='*' suites=bpf,vm,vm-long,vm-bench shell='' build=$top/build timeout=3600
while [ $# -gt 0 ]; do
	case $1 in
	--shell) shell=yes ;;
	--only | --suite | --build | --timeout)
		[ $# -ge 2 ] || misused
		case $1 in
		--only) only=$2 ;;
		--suite) suites=$2 ;;
		--build) build=$(cd "$2" && pwd) || exit 2 ;;
		--timeout) timeout=$2 ;;
		esac
		shift
		;;
	--help) usage && exit ;;
	-*) misused ;;
	*)
		suite_of "$1" >/dev/null || misused
		kernels="$kernels $1"
		;;
	esac
	shift
done
[ -n "$kernels" ] || kernels=${shell:+ 12}
: "${kernels:= 12 13 newest}"
cache=${XM_VM_CACHE:-$build/vm}

for tool in qemu-system-x86_64 busybox python3 dpkg apt-get cpio setpriv; do
	command -v $tool >/dev/null || {
		echo "vm: $tool is missing: install the packages of tests/packages.txt" >&2
		exit 2
	}
done
[ -d "$build" ] || build=$top/build-tests/gcc # what tests/run.sh built
[ -x "$build/daemon/xmcastd" ] || {
	echo "vm: nothing is built in $build: run sh tests/lib/build.sh $build" >&2
	exit 2
}
mkdir -p "$cache" || exit 2
cache=$(cd "$cache" && pwd)
find "$cache" -maxdepth 1 -name 'run.*' -mmin +600 -exec rm -rf {} + # left by a killed run
work=$(mktemp -d "$cache/run.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# boot KERNEL-DIRECTORY OUT: runs until the guest powers off, panics or the time is over. QEMU dies
# with this script, whatever kills it.
boot() {
	set -- "$1" "$2" setpriv --pdeathsig KILL $qemu \
		-nodefaults -no-user-config -no-reboot -display none \
		-machine q35 -accel tcg,thread=multi -cpu max -smp 2 -m 2048 \
		-kernel "$1/vmlinuz" -initrd "$work/initrd" \
		-append "console=ttyS0 panic=-1 loglevel=4 mitigations=off nowatchdog rcupdate.rcu_expedited=1" \
		-fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=host,mount_tag=host \
		-fsdev "local,id=out,path=$2,security_model=none" \
		-device virtio-9p-pci,fsdev=out,mount_tag=out \
		$(nics "$model")
	_out=$2
	shift 2
	if [ -n "$shell" ]; then
		"$@" -serial mon:stdio
		return
	fi
	setpriv --pdeathsig TERM timeout -k 5 "$timeout" \
		"$@" -serial "file:$_out/console" -monitor none 2>"$_out/qemu" &
	_qemu=$!
	trap 'kill "$_qemu" 2>/dev/null; exit 130' INT TERM HUP
	wait "$_qemu"
	_status=$?
	trap 'exit 130' INT TERM HUP
	grep -v 'hub .* is not connected to host network' "$_out/qemu" >&2 # nor shall it be
	[ "$_status" != 124 ] || echo "vm: the guest was stopped after $timeout seconds" >&2
}

# several KERNEL...: three guests at a time, each by this script on its own: much of what they do is wait.
several() {
	printf '%s\n' "$@" >"$work/kernels"
	setpriv --pdeathsig TERM xargs -a "$work/kernels" -P 3 -I '{}' setpriv --pdeathsig TERM \
		sh -c 'kernel=$1 out=$2 && shift 2 && exec sh "$0" "$kernel" "$@" >"$out/$kernel"' \
		"$here/run.sh" '{}' "$work" --only "$only" --suite "$suites" --build "$build" \
		--timeout "$timeout" &
	_guests=$!
	trap 'kill "$_guests"; exit 130' INT TERM HUP
	wait "$_guests"
	trap 'exit 130' INT TERM HUP
	passed=0 failed=0 skipped=0
	for kernel; do
		sed '$d' "$work/$kernel"
		read -r p _ f _ s _ <<-END
			$(tail -n 1 "$work/$kernel")
		END
		case $p$f$s in
		'' | *[!0-9]*) p=0 f=1 s=0 && echo "Debian $kernel: no result" ;;
		esac
		passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	done
}

# alone KERNEL: boots it and reports.
alone() {
	out=$work/out
	mkdir "$out"
	echo "$top" >"$out/tree"
	# What passes to the tests. Emulation is slow: a fiftieth of the random frames, and where a test
	# has a core (XM_CORE) no more than that, unless it is asked for by name.
	core=
	[ "$only" != '*' ] || core=XM_CORE=1
	cat >"$out/environment" <<-END
		$core
		XM_SEED=${XM_SEED:-}
		XM_FRAMES=${XM_FRAMES:-20000}
		XMCAST_BUILD=$build
	END
	[ -z "$shell" ] || : >"$out/shell"
	python3 "$here/choose.py" "$build" "$suites" "$only" "$out/left-out" \
		>"$out/tests" || exit 2
	[ -s "$out/tests" ] || [ -n "$shell" ] || {
		echo "vm: no test of suite $suites is called $only" >&2
		exit 2
	}
	qemu=qemu-system-x86_64 model=virtio-net-pci
	case $suites in
	vm-igb) model=igb && qemu=$(qemu_with igb) || exit 2 ;;
	*vm-igb*) echo "vm: vm-igb has a guest of its own: run it by itself" >&2 && exit 2 ;;
	esac
	if directory=$(fetch_kernel "$(suite_of "$1")") &&
		{ build_module "$(suite_of "$1")" "$directory" ||
			echo "vm: no module that makes functions of the kernel fail" >&2; } &&
		make_initramfs "$directory" "$work/initrd"; then
		boot "$directory" "$out"
	fi
	[ -z "$shell" ] || exit 0
	passed=0 failed=1 skipped=0 # unless it says otherwise
	python3 "$here/report.py" "$out" "Debian $1"
	[ ! -s "$out/sums" ] || read -r passed failed skipped <"$out/sums"
}

case "$kernels$shell" in
*' '*' '*yes) echo "vm: --shell takes one kernel" >&2 && exit 2 ;;
*' '*' '*) several $kernels ;;
*) alone $kernels ;;
esac
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
