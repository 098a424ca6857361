# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by inside.sh where there is a varlinkctl: a client that is not ours agrees with the daemon.
socket=/run/xmcast/io.xmcast.Control
interface=io.xmcast.Control

# call METHOD [PARAMETERS [OPTION...]]
call()
{
	called=$1
	given=${2:-'{}'}
	[ $# -lt 2 ] || shift
	shift
	varlinkctl --json=short "$@" call "$socket" "$interface.$called" "$given"
}

comment "$(varlinkctl --version | head -1)"
check "varlinkctl info" sh -c "varlinkctl info $socket | tee /dev/stderr | grep $interface"
check "varlinkctl list-interfaces" sh -c "varlinkctl list-interfaces $socket | grep -x $interface"
check "varlinkctl introspect reads every type, method and error" sh -c \
    "varlinkctl introspect $socket $interface >$work/introspected"
# words FILE: what is declared, however it is laid out.
words()
{
	sed 's/#.*//; s/\x1b\[[0-9;]*m//g' "$1" | grep -oE '^ *(type|method|error) [A-Za-z]+' |
	    awk '{ print $1, $2 }' | sort
}
same "... and shows them all" "$(words $work/introspected)" \
    "$(words $top/daemon/control/io.xmcast.Control.varlink)"
same "varlinkctl call" "$(call Status | jq .pid)" "$(main_pid)"
same "... with parameters" "$(call ListGroups '{"address":"239.1.1.1"}' |
    jq -r '.groups[].address')" 239.1.1.1
same "varlinkctl call --more" "$(call ListGroups '{}' --more | tr -d '\036' | jq -s 'map(.groups) | add | length')" \
    "$(ctl --json list-groups | jq '.groups | length')"
check "... events" sh -c "timeout 10 varlinkctl --json=short --more call $socket $interface.Monitor '{}' |
    head -1 | grep '\"event\":\"monitoring\"'"
check "a change" call AddGroup '{"address":"239.3.3.3","from":["in0"],"to":["out0"]}'
same "... is there" "$(group 239.3.3.3 .state)" active
check "an error has its name" sh -c "! varlinkctl call $socket $interface.DelGroup \
    '{\"address\":\"239.3.3.4\"}' 2>$work/error && cat $work/error && grep NotFound $work/error"
