# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests that trace, after lib.sh: tracing in the background, and which program in0 runs.

# trace OPTION...: begins to trace in the background, and waits until it has begun: no frame from then on is
# missed. The frames come to $work/trace. An emulated guest takes its time to verify the programs.
trace()
{
	: >"$work/trace.err"
	setpriv --pdeathsig KILL "$build/cli/xmcastctl" --json trace "$@" >"$work/trace" 2>"$work/trace.err" &
	tracer_pid=$!
	until_true 300 begun || {
		cat "$work/trace.err"
		not_ok "tracing begins: $*" "$work/until.out"
	}
}
begun()
{
	# A tracer that is gone will not begin.
	[ -d "/proc/$tracer_pid" ] || deadline=0
	grep -q '^tracing on' "$work/trace.err"
}
# over: the tracer has ended by itself.
over()
{
	until_true 100 test ! -d "/proc/$tracer_pid" && wait $tracer_pid
}

# program_id: the number of the ingress program that in0 runs: what is attached there or, where that is
# libxdp's dispatcher, what the dispatcher runs. program: its name; tag: of its instructions.
program_id()
{
	attached=$(ip -j link show in0 | jq -r '.[0].xdp.prog.id')
	[ "$(name_of "$attached")" != xdp_dispatcher ] || attached=$(xdp-loader status in0 |
	    awk '$1 == "=>" && $3 ~ /^xmcast_ingress/ { print $4 }')
	echo "$attached"
}
name_of()
{
	bpftool -j prog show id "$1" | jq -r .name
}
program()
{
	name_of "$(program_id)"
}
tag()
{
	bpftool -j prog show id "$(program_id)" | jq -r .tag
}
