# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by run.sh: Debian kernel packages, fetched with apt's own machinery but with private
# state, unpacked with dpkg -x. Nothing of the host's package system is read or changed.

. "$top/tests/lib/mirrors.sh"

# suite_of KERNEL: the Debian suite that a KERNEL argument means.
suite_of() {
	case $1 in
	11 | debian11 | bullseye) echo bullseye ;;
	12 | debian12 | bookworm) echo bookworm ;;
	13 | debian13 | trixie) echo trixie ;;
	newest | sid) echo sid ;;
	*) return 1 ;;
	esac
}

# private_apt SUITE COMMAND...: apt-get or apt-cache with state under $cache/apt/SUITE.
private_apt() {
	_state=$cache/apt/$1
	_command=$2
	shift 2
	"$_command" -q=2 -o Dir::State="$_state" -o Dir::State::lists="$_state/lists" \
		-o Dir::State::status=/dev/null -o Dir::Cache="$_state/cache" \
		-o Dir::Etc::sourcelist="$_state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o APT::Sandbox::User=root -o APT::Architecture=amd64 -o Acquire::Languages=none \
		-o Acquire::Retries=3 "$@"
}

# write_sources SUITE
write_sources() {
	_state=$cache/apt/$1
	mkdir -p "$_state/lists/partial" "$_state/cache/archives/partial"
	debian_sources "$1" '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]' \
		>"$_state/sources.list"
}

# package_of SUITE: the package that linux-image-amd64 stands for, e.g. linux-image-6.1.0-57-amd64.
package_of() {
	private_apt "$1" apt-cache show --no-all-versions linux-image-amd64 |
		sed -n 's/^Depends:.*\(linux-image-[0-9][^ ,]*\).*/\1/p'
}

# parts_of SUITE PACKAGE: it and the packages of the same kernel that it is split into since 7.x.
parts_of() {
	echo "$2"
	private_apt "$1" apt-cache show --no-all-versions "$2" |
		sed -n 's/^Depends: //p' | tr ',' '\n' |
		sed -n 's/^ *\(linux-\(binary\|modules\|base\)-[0-9][^ ]*\).*/\1/p'
}

# unpack DIRECTORY DEB...: modules with their index below lib/modules, the kernel as vmlinuz.
unpack() {
	_dir=$1
	shift
	rm -rf "$_dir" "$_dir.new"
	mkdir -p "$_dir.new"
	for _deb; do
		dpkg -x "$_deb" "$_dir.new" || return 1
	done
	[ -d "$_dir.new/lib/modules" ] || mv "$_dir.new/usr/lib" "$_dir.new/lib" || return 1
	rm -rf "$_dir.new/usr"
	_release=$(ls "$_dir.new/lib/modules") || return 1
	_image=$(find "$_dir.new" -type f -name 'vmlinuz*')
	mv "$_image" "$_dir.new/vmlinuz" || return 1
	(cd "$_dir.new" && busybox depmod -b "$_dir.new" "$_release") || return 1
	echo "$_release" >"$_dir.new/release"
	mv "$_dir.new" "$_dir"
}

# fetch_kernel SUITE: prints the directory of the unpacked kernel. A kernel that was fetched
# before serves when the archive cannot be reached, and for a day without asking it. One run at
# a time fetches into a cache.
fetch_kernel() {
	(
		flock 8 || exit 1
		fetch_kernel_alone "$1"
	) 8>"$cache/lock"
}

fetch_kernel_alone() {
	_current=$cache/current-$1
	if [ -n "$(find "$_current" -mmin -1440 2>/dev/null)" ] &&
		[ -f "$(cat "$_current")/release" ]; then
		cat "$_current"
		return 0
	fi
	write_sources "$1"
	if private_apt "$1" apt-get update >&2 && _package=$(package_of "$1") &&
		[ -n "$_package" ]; then
		_dir=$cache/$_package
		if [ ! -f "$_dir/release" ]; then
			rm -rf "$cache/download"
			mkdir -p "$cache/download"
			(cd "$cache/download" && parts_of "$1" "$_package" >parts &&
				private_apt "$1" apt-get download $(cat parts) >&2) || return 1
			unpack "$_dir" "$cache/download/"*.deb || return 1
			rm -rf "$cache/download"
		fi
		echo "$_dir" >"$_current"
	elif [ ! -f "$_current" ] || [ ! -f "$(cat "$_current")/release" ]; then
		echo "vm: no kernel of Debian $1: the mirrors that apt uses cannot be reached, or" \
			"apt has no lists: run apt-get update" >&2
		return 1
	fi
	cat "$_current"
}
