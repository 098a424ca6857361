# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by run.sh: inject.ko, for the kernel that this machine's compiler has made, too. It lies beside
# that kernel's modules, where the guest finds it.

# build_module SUITE KERNEL-DIRECTORY
build_module() {
	[ "$1" = "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" ] || return 0
	(
		flock 8 || exit 1
		build_module_alone "$@"
	) 8>"$cache/lock"
}

build_module_alone() {
	_release=$(cat "$2/release")
	_module=$2/lib/modules/$_release/inject.ko
	[ ! "$_module" -nt "$here/inject.c" ] || return 0
	_headers=$2/headers
	if [ ! -e "$_headers/complete" ]; then
		rm -rf "$_headers"
		mkdir -p "$_headers"
		(cd "$_headers" && private_apt "$1" apt-get download "linux-headers-$_release" \
			"linux-headers-${_release%-amd64}-common" \
			"linux-kbuild-$(echo "$_release" | cut -d. -f1-2)" >&2) || return 1
		for _deb in "$_headers"/*.deb; do
			dpkg -x "$_deb" "$_headers" || return 1
		done
		rm "$_headers"/*.deb
		# They name each other by where they are installed.
		sed -i "s,/usr/src/,$_headers/usr/src/," "$_headers/usr/src/linux-headers-$_release/Makefile"
		: >"$_headers/complete"
	fi
	mkdir -p "$work/module"
	cp "$here/inject.c" "$work/module/"
	echo 'obj-m := inject.o' >"$work/module/Makefile"
	make -s -C "$_headers/usr/src/linux-headers-$_release" M="$work/module" modules \
		>"$work/module.log" 2>&1 || {
		cat "$work/module.log" >&2
		return 1
	}
	cp "$work/module/inject.ko" "$_module"
}
