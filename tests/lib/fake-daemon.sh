# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the unit tests of xmcastctl: a daemon without a kernel.

# fake_daemon PROGRAM: starts it at $dir/socket, which becomes XMCAST_SOCKET, and waits until it is ready. It
# ends with its standard input, which the caller holds: `exec 7>&-`, or with the caller.
fake_daemon()
{
	export XMCAST_SOCKET=$dir/socket
	mkfifo "$dir/input"
	"$1" "$XMCAST_SOCKET" 3 <"$dir/input" >"$dir/ready" &
	exec 7>"$dir/input"
	tries=0
	until grep -q ready "$dir/ready"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || {
			echo "fake-daemon did not start"
			exit 1
		}
		sleep 0.05
	done
}
