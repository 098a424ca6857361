# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests of kinds of interfaces.

# made NAME IP-LINK-ARGUMENTS...: true when the kernel can make it.
made()
{
	name=$1
	shift
	ip link add "$name" "$@" 2>"$work/made.out" && ip link set "$name" up
}
unmade()
{
	skip "$1" "this kernel has none ($(head -1 "$work/made.out"))"
}

# as_egress MODE IF GROUP: ready, or the reason why not.
as_egress()
{
	ctl add-group "$3" --from in0 --to "out0,$2" >/dev/null 2>&1
	until_true 3 settled >/dev/null
	egress_state "$3" "$2"
}
# no_harm GROUP: the member beside it gets all.
no_harm()
{
	deliver "$1" all:r0 && ctl del-group "$1"
}
