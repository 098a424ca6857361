#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: shell.sh FAKE-DAEMON XMCASTCTL SOURCES: completions, metrics, top and colours, against a
# daemon without a kernel.
set -u

fake=$(realpath "$1")
xmcastctl=$(realpath "$2")
sources=$3
here=$sources/tests/unit/cli
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
ln -s "$xmcastctl" "$dir/bin/xmcastctl"
PATH=$dir/bin:$PATH
passed=0
failed=0
skipped=0

. "$(dirname "$0")/../../lib/fake-daemon.sh"
fake_daemon "$fake"

# same WHAT LEFT RIGHT
same()
{
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'wrong: %s\n    got:      %s\n    expected: %s\n' "$1" "$2" "$3"
	fi
}
# works WHAT COMMAND...
works()
{
	what=$1
	shift
	out=$("$@" 2>&1)
	same "$what: $out" "$?" 0
}

# --- completions: what xmcastctl offers, and what each shell makes of it ---
offers()
{
	xmcastctl --complete "$@" | paste -sd' '
}
same "verbs" "$(offers del-)" "del-group del-egress del-exclude"
same "groups" "$(offers del-group 239.10)" "239.10.0.0 239.10.0.1 239.10.0.2"
same "a group, then interfaces" "$(offers add-egress 239.10.0.1 lo)" ""
same "options of the verb" "$(offers explain --s)" "--source --size"
same "values" "$(offers list-groups --state a)" "active"
same "values behind options" "$(offers list-groups --origin runtime --state de)" "detached"
same "all values" "$(offers list-groups --state '')" \
    "active pending no-egress detached failed conflict"
same "behind global options" "$(offers --json --netns x list-g)" list-groups
same "the value of one" "$(offers --netns '')" ""
same "a shortened verb" "$(offers list-g --or)" "--origin"
same "help" "$(offers hel) $(offers help del-g)" "help del-group"
same "bench" "$(offers bench s) $(offers bench lpm-trie-l)" "show lpm-trie-lookup"
same "bench: options" "$(offers bench --f) $(offers bench compare --f) $(offers bench lpm-trie --nr)" \
    "--frame-size --fail-below --nr-entries"
same "bench: values" "$(offers bench --quick --source pa)" packet
page=$sources/cli/xmcastctl-bench.1.scd
for word in throughput lpm-trie show compare; do
	for option in $(xmcastctl --complete bench $word -- | grep -vE '^--(help|json)$'); do
		works "bench: $option is in the manual" grep -qF -e "*$option*" "$page"
	done
done
same "sources are anybody's" "$(offers list-groups --source '')" ""
same "no such verb" "$(offers nonsense x)" ""
same "global options" "$(offers --n)" "--netns"
name=$(ls /sys/class/net | grep -v '^lo$' | grep -E '^[a-z0-9]+$' | head -1)
if [ -n "$name" ]; then
	same "interfaces" "$(xmcastctl --complete detach "$name" | grep -cx "$name")" 1
	same "the last of a list" \
	    "$(xmcastctl --complete add-group 239.1.1.1 --from "a,$name" | grep -cx "a,$name")" 1
fi
same "without a daemon: silence" \
    "$(XMCAST_SOCKET=$dir/nobody xmcastctl --complete del-group 2 2>&1)" ""

# in_bash LINE: what bash would offer for it
in_bash()
{
	bash -c '. "$1"; COMP_LINE=$2; COMP_POINT=${#2}; COMPREPLY=(); _xmcastctl; echo "${COMPREPLY[*]}"' \
	    sh "$sources/cli/completion/xmcastctl.bash" "$1" 2>&1
}
same "bash: verbs" "$(in_bash 'xmcastctl del-g')" del-group
same "bash: groups" "$(in_bash 'xmcastctl del-group 239.10.0.2')" 239.10.0.2
same "bash: a new word" "$(in_bash 'xmcastctl list-groups --origin ')" "config runtime"
if command -v zsh >/dev/null; then
	works "zsh: parses" zsh -n "$sources/cli/completion/_xmcastctl"
	works "zsh: completes" python3 "$here/zsh.py" "$sources/cli/completion"
else
	skipped=$((skipped + 1))
	echo "ok - zsh # SKIP zsh is not installed"
fi
if command -v fish >/dev/null; then
	same "fish: groups" "$(HOME=$dir fish -c "source $sources/cli/completion/xmcastctl.fish
	    complete -C 'xmcastctl del-group 239.10.0.2'" 2>&1)" 239.10.0.2
	same "fish: verbs" "$(HOME=$dir fish -c "source $sources/cli/completion/xmcastctl.fish
	    complete -C 'xmcastctl del-g'" 2>&1)" del-group
else
	skipped=$((skipped + 1))
	echo "ok - fish # SKIP fish is not installed"
fi

# --- metrics ---
metrics()
{
	xmcastctl metrics "$@" >"$dir/metrics"
}
lint()
{
	python3 "$here/openmetrics.py" "$@" <"$dir/metrics"
}
works "metrics" metrics
works "... by the rules" lint xmcast_up xmcast_received_frames xmcast_dropped xmcast_build
same "... without series of groups" "$(grep -c xmcast_group_ "$dir/metrics")" 0
same "... the numbers" "$(grep -E '^xmcast_(up|received_frames_total|due_copies_total) ' "$dir/metrics" | paste -sd' ')" \
    "xmcast_up 1 xmcast_received_frames_total 1000 xmcast_due_copies_total 1800"
works "metrics of groups" metrics --groups
works "... by the rules, and all that the dashboard asks for" lint xmcast_group_frames \
    "$sources/systemd/xmcast-grafana.json"
same "... a series of a group" \
    "$(grep -c '^xmcast_group_frames_total{address="239.10.0.1",source="",vlan="",from="eth0"} 10$' "$dir/metrics")" 1
XMCAST_SOCKET=$dir/nobody xmcastctl metrics >"$dir/metrics" 2>/dev/null
same "no daemon: exit code 3, and xmcast_up 0" "$? $(grep '^xmcast_up' "$dir/metrics")" "3 xmcast_up 0"
works "... by the rules" lint xmcast_up
# the rules find what is wrong
for wrong in 's/^# EOF//' 's/_total//' 's/^# HELP xmcast_up .*//' 's/ 1000$/ x/' 's/xmcast_received/xmcast_Received/'; do
	metrics
	sed -i "$wrong" "$dir/metrics"
	lint >/dev/null
	same "the rules see $wrong" "$?" 1
done

# http REQUEST...: the answer of the exporter to it
http()
{
	printf '%b' "$1" | timeout 20 xmcastctl metrics --http | tr -d '\r'
}
http 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n' >"$dir/answer"
same "HTTP: the status" "$(head -1 "$dir/answer")" "HTTP/1.1 200 OK"
same "HTTP: the type" "$(sed -n 's/^Content-Type: //p' "$dir/answer")" \
    "application/openmetrics-text; version=1.0.0; charset=utf-8"
sed '1,/^$/d' "$dir/answer" >"$dir/metrics"
works "HTTP: the body" lint xmcast_up
same "HTTP: its length" "$(sed -n 's/^Content-Length: //p' "$dir/answer")" "$(wc -c <"$dir/metrics")"
same "HTTP: another path" "$(http 'GET / HTTP/1.0\r\n\r\n' | head -1)" "HTTP/1.1 404 Not Found"
same "HTTP: another method" "$(http 'POST /metrics HTTP/1.0\r\n\r\n' | head -1)" \
    "HTTP/1.1 405 Method Not Allowed"
same "HTTP: silence" "$(http '')" ""

# --- top ---
xmcastctl top --interval 0.1 >"$dir/top"
same "top: exit" "$?" 0
same "top, no terminal: plain text of at most 80 columns" \
    "$(grep -c "$(printf '\033')" "$dir/top") $(awk 'length > 80' "$dir/top" | wc -l)" "0 0"
same "top: groups and interfaces" "$(grep -cE '^(GROUP|INTERFACE|239.10.0.1 from eth0|eth0 )' "$dir/top")" 4
same "top: as often as asked" "$(xmcastctl top --interval 0.1 --count 3 | grep -c ^GROUP)" 3
xmcastctl --json top >"$dir/out" 2>&1
same "top has no JSON" "$? $(cat "$dir/out")" \
    "2 xmcastctl: top has no --json: see xmcastctl --json list-groups and list-interfaces"
xmcastctl --json metrics >"$dir/out" 2>&1
same "metrics has no JSON" "$? $(cat "$dir/out")" \
    "2 xmcastctl: metrics has no --json: see xmcastctl --json stats"
xmcastctl top --sort nonsense 2>"$dir/err"
same "top: usage" "$? $(grep -c 'frames, copies' "$dir/err")" "2 1"
works "terminal: top in place, keys, colours and NO_COLOR" python3 "$here/terminal.py"

exec 7>&-
wait
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
