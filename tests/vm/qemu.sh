# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by run.sh, behind kernel.sh: which QEMU, and the NICs of its guest.

# nics MODEL: QEMU's options for the guest's NICs, whose drivers tests load when they want them; MODEL is
# what those have that forward. Hubs are their wires; tests/vm/nics.sh knows them by the last byte
# of their addresses.
#   1 virtio_net - hub 1 - 2 MODEL      3 MODEL - hub 2 - 4 virtio_net
#   5 vmxnet3    - hub 3 - 6 vmxnet3
nics() {
	_nic=0
	for _model in virtio-net-pci "$1" "$1" virtio-net-pci vmxnet3 vmxnet3; do
		_nic=$((_nic + 1))
		# Each igb keeps two slots free for virtual functions, the 16th and the 17th from its own.
		[ "$_model" != igb ] || _model=igb,addr=$(printf %x $((7 + 2 * _nic)))
		echo "-netdev hubport,id=nic$_nic,hubid=$(((_nic + 1) / 2))"
		echo "-device $_model,netdev=nic$_nic,mac=52:54:00:00:00:0$_nic"
	done
}

# has_device QEMU MODEL: asked of that one, for a list of all makes QEMU load every module it finds.
has_device() {
	"$1" -device "$2,help" 2>/dev/null | grep -q "^$2 options"
}

# qemu_with MODEL: prints the command of a QEMU that has it: the installed one, else Debian 13's, which is
# unpacked with its libraries beside the kernels.
qemu_with() {
	(
		flock 8 || exit 1
		if has_device qemu-system-x86_64 "$1"; then
			echo qemu-system-x86_64
			return
		fi
		[ -x "$cache/qemu/run" ] || fetch_qemu || return 1
		has_device "$cache/qemu/run" "$1" && echo "$cache/qemu/run"
	) 8>"$cache/lock"
}

fetch_qemu() {
	_archives=$cache/apt/trixie/cache/archives
	write_sources trixie
	rm -f "$_archives"/*.deb
	private_apt trixie apt-get update >&2 &&
		private_apt trixie apt-get install --download-only --no-install-recommends -y \
			qemu-system-x86 >&2 || return 1
	rm -rf "$cache/qemu" "$cache/qemu.new"
	for _deb in "$_archives"/*.deb; do
		dpkg -x "$_deb" "$cache/qemu.new" || return 1
	done
	rm -f "$_archives"/*.deb
	# Debian 13's libraries run on Debian 13's loader only.
	cat >"$cache/qemu.new/run" <<-'END' && chmod 755 "$cache/qemu.new/run"
		#!/bin/sh
		usr=$(dirname "$0")/usr
		exec "$usr/lib64/ld-linux-x86-64.so.2" --library-path "$usr/lib/x86_64-linux-gnu" \
			"$usr/bin/qemu-system-x86_64" -L "$usr/share/qemu" -L "$usr/share/seabios" "$@"
	END
	mv "$cache/qemu.new" "$cache/qemu"
}
