#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual names every verb, reason, protocol, limit and option that there is.
. "$(dirname "$0")/common.sh"

# names FILE MACRO: the quoted second words of a list such as XM_COUNTED_REASONS.
names()
{
	sed -n "/define $2(X)/,/^\$/p" "$1" | sed -n 's/.*X([A-Z0-9_]*, "\([a-z0-9-]*\)".*/\1/p'
}
# unnamed PAGE NAME...: those that the page does not set in bold.
unnamed()
{
	page=$1
	shift
	for name; do
		grep -q -- "\*$name\*" "$page" || echo "$page does not name $name"
	done
}

ctl=cli/xmcastctl.1.scd
conf=daemon/xmcastd.conf.5.scd
check "every counted reason is explained" "$(unnamed $ctl $(names bpf/lists.h XM_COUNTED_REASONS))"
check "every reason of a member is explained" \
    "$(unnamed $ctl $(names bpf/lists.h XM_MEMBER_REASONS))"
check "every protocol is explained" "$(unnamed $ctl $(names bpf/lists.h XM_PROTOCOLS_LIST))"
check "the lists were found" "$(
	[ "$(names bpf/lists.h XM_MEMBER_REASONS | wc -l)" -ge 10 ] || echo 'no reasons found')"
check "every verb is explained" "$(unnamed $ctl \
    $(sed -n 's/^    {"\([a-z-]*\)",$/\1/p' cli/verbs.c))"
check "every limit is explained" "$(unnamed $conf \
    $(sed -n '/^struct limits {/,/^};/s/.*unsigned int \([a-z]*\);.*/\1/p' daemon/model/model.h))"
check "every statement is explained" "$(unnamed $conf group interface limit daemon)"

# number FILE MACRO: its value; 64u << 10 is 64.
number()
{
	sed -n "s/^#define $2[[:space:]]*(*\([0-9]*\).*/\1/p" "$1"
}
# unnumbered: limits of the control socket whose number the page does not have.
unnumbered()
{
	limits=$(sed -n '/^# LIMITS OF A PEER/,/^# SYSTEMD/p' daemon/xmcastd.8.scd)
	for limit in control.c:PEERS_MAX control.c:PEERS_PER_UID_MAX control.c:PEERS_FOR_ROOT \
	    codec.h:CODEC_MESSAGE_MAX codec.h:CODEC_MESSAGE_SMALL codec.h:CODEC_GROUPS_MAX \
	    codec.h:CODEC_DEPTH_MAX codec.h:CODEC_CONTAINERS_MAX codec.h:CODEC_VALUES_MAX \
	    session.c:OUT_LOW monitor.c:MONITOR_UNREAD warnings.h:WARNINGS_MAX select.c:LISTED_MAX; do
		number=$(number "daemon/control/${limit%:*}" "${limit#*:}")
		echo "$limits" | grep -qw "${number:-none}" || echo "$limit is $number"
	done
}
check "every limit of a peer is told with its number" "$(unnumbered)"

# unlisted: methods that need no privilege and are not in the list of those that anybody may call.
unlisted()
{
	may=$(sed -n '/^# WHO MAY CALL/,/ All$/p' daemon/control/io.xmcast.Control.7.scd)
	for method in $(sed -n 's/^    {"\([A-Za-z]*\)", PRIVILEGE_READ, [^I]*, [a-z]*, method_.*/\1/p' \
	    daemon/control/method.c); do
		echo "$may" | grep -q "_${method}_" || echo "$method"
	done
}
check "every method that anybody may call is listed" "$(unlisted)"

done_checks
