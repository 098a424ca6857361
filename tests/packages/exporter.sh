# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by inside.sh: metrics over HTTP, which are off until asked for.

# http PATH: what a scraper gets.
http()
{
	bash -c 'exec 3<>/dev/tcp/127.0.0.1/9943 && printf "GET %s HTTP/1.0\r\n\r\n" "$1" >&3 && cat <&3' sh "$1"
}
same "the exporter is off" "$(systemctl is-enabled xmcast-exporter.socket)/$(
    property xmcast-exporter.socket ActiveState)" disabled/inactive
check "it is switched on" systemctl enable --now xmcast-exporter.socket
http /metrics >$work/metrics
check "... and answers" grep -q '^HTTP/1.[01] 200' $work/metrics
check "... with metrics to their end" sh -c "tr -d '\r' <$work/metrics | tail -1 | grep -x '# EOF'"
check "... as a user of its own" grep -qx DynamicUser=yes /lib/systemd/system/xmcast-exporter@.service
