# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by lib.sh: sends through sockets, checks what every receiver got and that the
# daemon's statistics say the same.

tools=${XMCAST_TOOLS:-$build/tests/netns} # senders and receivers

# spec ROLE:NS[:IF]: with the interface, which for a receiver has its namespace's name.
spec()
{
	case $1 in
	*:*:*) echo "$1" ;;
	*) echo "$1:${1#*:}" ;;
	esac
}

# all_of N: "all:r0 all:r1 ..." of N receivers.
all_of()
{
	seq -s' ' -f 'all:r%g' 0 $(($1 - 1))
}

# deliver [OPTION...] GROUP ROLE:NS...: sends numbered datagrams from `s` to GROUP and checks every
# receiver (roles: see recv.c). Options:
#   -n COUNT      datagrams (1000)         -s ADDRESS  source to send from, and to be seen
#   -b MIN,MAX    payload bytes (default: from 64 to what fits an MTU of 1500)
#   -w WINDOW     most that are under way (128)
#   -r PPS        paced by time, too       -d SECONDS  of silence, then receivers give up (60)
#   -S ADDRESS    source to be seen only     -i IF       of `s` (s0)
#   -p PORT -f FLOW                        -j GROUP    joined instead of GROUP (repeat)
# Several may run at once with ports, flows and a -k KEY of their own.
deliver()
{
	key=d
	count=1000
	send_options=
	recv_options=
	joins=
	deadline_recv=60
	window=128
	send_if=s0
	OPTIND=1
	while getopts n:s:S:b:w:r:d:p:f:i:j:k: option; do
		case $option in
		n) count=$OPTARG ;;
		s)
			send_options="$send_options --source $OPTARG"
			recv_options="$recv_options --source $OPTARG"
			;;
		S) recv_options="$recv_options --source $OPTARG" ;;
		b) send_options="$send_options --min ${OPTARG%,*} --max ${OPTARG#*,}" ;;
		w) window=$OPTARG ;;
		i) send_if=$OPTARG ;;
		r) send_options="$send_options --rate $OPTARG" ;;
		d)
			deadline_recv=$OPTARG
			send_options="$send_options --patience $OPTARG"
			;;
		p | f)
			case $option in p) OPTARG="--port $OPTARG" ;; f) OPTARG="--flow $OPTARG" ;; esac
			send_options="$send_options $OPTARG"
			recv_options="$recv_options $OPTARG"
			;;
		j) joins="$joins --group $OPTARG" ;;
		k) key=$OPTARG ;;
		*) return 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	destination=$1
	shift
	# An IPv6 header is 20 bytes longer than one of IPv4, and must not lead to fragments.
	case $destination in *:*) send_options="--max 1452 $send_options" ;; esac
	specs=
	for receiver; do
		specs="$specs $(spec "$receiver")"
	done
	: "${joins:=--group $destination}"
	rm -f "$work/progress.$key"
	"$tools/recv" --progress "$work/progress.$key" $joins --count "$count" \
	    --deadline "$deadline_recv" $recv_options $specs >"$work/recv.$key" 2>&1 &
	receivers_pid=$!
	"$tools/send" --progress "$work/progress.$key" --ns s --if "$send_if" --group "$destination" \
	    --count "$count" --window "$window" $send_options >"$work/send.$key" 2>&1
	sender_rc=$?
	# A sender that gave up will not send what the receivers wait for.
	[ "$sender_rc" = 0 ] || until_true 2 test ! -d "/proc/$receivers_pid" ||
	    kill "$receivers_pid" 2>/dev/null
	wait "$receivers_pid"
	receivers_rc=$?
	cat "$work/send.$key" "$work/recv.$key"
	[ "$sender_rc" = 0 ] && [ "$receivers_rc" = 0 ]
}

# deliver_beside [deliver's OPTION...] GROUP ROLE:NS...: the same in the background ($traffic, and its words in
# $work/deliver.out); its receivers, or it, have begun.
deliver_beside()
{
	rm -f "$work/progress.d"
	beside "$work/deliver.out" deliver "$@"
	traffic=$!
	until_true 5 test -e "$work/progress.d"
}

# during TIMES COMMAND [deliver's OPTION...]: `COMMAND 1`, `COMMAND 2`, ... while datagrams flow, in as
# many deliveries one after another as that takes. Ends at the first thing that fails. $sent: how
# many datagrams that were in all.
during()
{
	times=$1
	command=$2
	shift 2
	happened=0
	sent=0
	while [ "$happened" -lt "$times" ]; do
		deliver_beside "$@"
		rc=0
		while [ $rc = 0 ] && [ "$happened" -lt "$times" ] && kill -0 $traffic 2>/dev/null; do
			happened=$((happened + 1))
			$command $happened || rc=1
		done
		wait $traffic || rc=1
		[ $rc = 0 ] || {
			cat "$work/deliver.out"
			echo "at the time number $happened"
			return 1
		}
		sent=$((sent + $(sed -n 's/^sent=\([0-9]*\) .*/\1/p' "$work/send.d")))
	done
}

# counted ADDRESS: all statistics, and the counts of that group, one name and number a line.
counted()
{
	{
		ctl --json stats
		ctl --json list-groups | jq --arg a "$1" \
		    '.groups[] | select(.address == $a) | {group: {frames, bytes, copies}}'
	} | jq -r 'del(.unexplained, .not_ready) | paths(scalars) as $p | "\($p | join(".")) \(getpath($p))"'
}
# not_back ADDRESS: no counter is lower than at the last call.
not_back()
{
	counted "$1" | sort >"$work/count.now"
	[ -s "$work/count.now" ] || return 1
	[ ! -e "$work/count.was" ] || join "$work/count.was" "$work/count.now" |
	    awk '$3 < $2 { print "went back:", $0; rc = 1 } END { exit rc }' || return 1
	mv "$work/count.now" "$work/count.was"
}

# before: remembers the statistics; the sums below count from here.
before()
{
	ctl --json stats >"$work/before.json"
}

# sums MATCHED COPIES [TRANSMITTED]: since `before`, exactly so many frames matched, were due and
# left, all sums add up and nothing is unexplained. Waits a little: the last frame may
# arrive before its flush has been counted.
sums()
{
	until_true 5 sums_now "$1" "$2" "${3:-$2}"
}
sums_now()
{
	ctl --json stats >"$work/after.json" || return 1
	jq -n -e --argjson matched "$1" --argjson copies "$2" --argjson transmitted "$3" \
	    --slurpfile a "$work/before.json" --slurpfile b "$work/after.json" '
	def total: add // 0;
	def of_frame: ["no-egress", "no-metadata"];
	def minus($x; $y): [$x | to_entries[] | {key, value: (.value - ($y[.key] // 0))}] |
	    from_entries;
	$a[0] as $a | $b[0] as $b |
	{
		received: ($b.received - $a.received), matched: ($b.matched - $a.matched),
		copies: ($b.copies - $a.copies), transmitted: ($b.transmitted - $a.transmitted),
		unmatched: minus($b.unmatched; $a.unmatched),
		dropped: minus($b.dropped; $a.dropped), unexplained: ($b.unexplained - $a.unexplained)
	} |
	. + {
		frame_reasons: ([.dropped | to_entries[] |
		    select(.key as $k | of_frame | index($k)) | .value] | total),
		copy_reasons: ([.dropped | to_entries[] |
		    select(.key as $k | of_frame | index($k) | not) | .value] | total)
	} | debug |
	.received == .matched + (.unmatched | [.[]] | total) + .frame_reasons and
	.copies == .transmitted + .copy_reasons + .unexplained and
	.unexplained == 0 and .matched == $matched and .copies == $copies and
	.transmitted == $transmitted'
}

# dropped REASON: how many since `before`.
dropped()
{
	ctl --json stats | jq --arg r "$1" --slurpfile a "$work/before.json" \
	    '(.dropped[$r] // 0) - ($a[0].dropped[$r] // 0)'
}
# unmatched PROTOCOL: how many since `before`.
unmatched()
{
	ctl --json stats | jq --arg p "$1" --slurpfile a "$work/before.json" \
	    '(.unmatched[$p] // 0) - ($a[0].unmatched[$p] // 0)'
}

# captured FRAMES-OPTION... -- ROLE:NS...: sends frames (options: see frames.c) and compares what
# was captured at each receiver, byte by byte, with what was sent. The captures stay in
# $work/frames.
captured()
{
	frame_options=
	while [ "$1" != -- ]; do
		frame_options="$frame_options $1"
		shift
	done
	shift
	specs=
	for receiver; do
		specs="$specs $(spec "$receiver")"
	done
	rm -rf "$work/frames" "$work/progress.c"
	mkdir "$work/frames"
	"$tools/capture" --progress "$work/progress.c" --dir "$work/frames" $specs \
	    --src 02:09:00:00:00:77 --count 500 &
	receivers_pid=$!
	"$tools/frames" --progress "$work/progress.c" --ns s --if s0 --src 02:09:00:00:00:77 \
	    --count 500 --record "$work/frames/sent" $frame_options || kill $receivers_pid
	wait $receivers_pid || return 1
	for receiver; do
		case $receiver in
		all:*) cmp "$work/frames/sent" "$work/frames/${receiver#*:}.frames" || return 1 ;;
		esac
	done
}

# tag_sender, tag_receiver I: puts them into VLAN 100, see kernel.bpf.c.
tag_sender()
{
	ns s tc qdisc add dev s0 clsact
	ns s tc filter add dev s0 egress bpf direct-action obj "$tools/kernel.bpf.o" sec push
}
tag_receiver()
{
	ns "r$1" tc qdisc add dev "r$1" clsact
	ns "r$1" tc filter add dev "r$1" ingress bpf direct-action obj "$tools/kernel.bpf.o" sec pop
}
