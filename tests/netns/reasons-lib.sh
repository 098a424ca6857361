# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests of reasons, after lib.sh: that stats, trace and explain name one.
. "$tests/trace-lib.sh"

# in_trace REASON [IF]: a traced frame, or its copy for that interface, has the reason.
in_trace()
{
	jq -e -s --arg r "$1" --arg i "${2:-}" 'any(.[].frame // {};
	    .reason == $r or any(.egress[]?; .interface == $i and
	    (.reason == $r or ((.detail // "") | contains($r)))))' "$work/trace" || {
		cat "$work/trace"
		return 1
	}
}
# in_explain REASON GROUP [OPTION...]: explain names it: as what will be; or as what nobody can know
# of a frame that has not come, and how often it was met so far.
in_explain()
{
	reason=$1
	shift
	ctl --json explain --from in0 --group "$@" | tee /dev/stderr | jq -n -e --arg r "$reason" 'input.frame |
	    ([., .egress[]] | any(.reason == $r)) or (.unforeseen | index($r)) and
	    ([., .egress[]] | any((.detail // "") | test("so far: .*\\b[1-9][0-9]* " + $r)))'
}
in_stats()
{
	[ "$(dropped "$1")" -gt 0 ] && ctl stats | grep -q "dropped $1: "
}
# named REASON IF GROUP [OPTION...]: by all three.
named()
{
	reason=$1
	interface=$2
	shift 2
	check "$reason: named by stats" until_true 10 in_stats "$reason"
	check "... by trace" in_trace "$reason" "$interface"
	check "... by explain" until_true 10 in_explain "$reason" "$@"
}
# not_ready REASON IF GROUP: the same of a member that gets no copies, or an ingress that makes none.
in_not_ready()
{
	[ "$(stat ".not_ready[\"$1\"] // 0")" != 0 ] && ctl stats | grep -q "not ready, $1: "
}
not_ready()
{
	check "$1: named by stats" until_true 10 in_not_ready "$1"
	check "... by trace" in_trace "$1" "$2"
	check "... by explain" in_explain "$1" "$3"
}
# no_copies SECONDS GROUP REASON:IF...: members that get none of GROUP (after so long at most), which
# others get; all say why.
no_copies()
{
	patience=$1
	without_copies=$2
	shift 2
	for case; do
		check "${case#*:} gets no copies: ${case%:*}" until_true "$patience" \
		    is "${case%:*}" egress_state "$without_copies" "${case#*:}"
	done
	trace "$without_copies" --count 3
	deliver -n 3 "$without_copies" all:r0 >"$work/out" || not_ok "frames arrive" "$work/out"
	over
	for case; do
		not_ready "${case%:*}" "${case#*:}" "$without_copies"
	done
}
