# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by inside.sh: from a fresh machine to multicast that flows, as the README tells it.

comment "Debian $(cat /etc/debian_version), $(systemctl --version | head -1), Linux $(uname -r)"
network 2

cd $packages || exit 1
show apt-get install -y -q --no-install-recommends ./xmcastd_*.deb ./xmcastctl_*.deb
cd /
show systemctl start xmcastd
show xmcastctl add-group 239.1.1.1 --from in0 --to out0,out1
before
check "10 datagrams to each of two receivers" deliver -n 10 239.1.1.1 all:r0 all:r1
show xmcastctl list-groups
show xmcastctl stats
check "... and the counters say the same" sums 10 20

# A program that comes while frames flow leaves no rate behind when they end (case 12).
check "detach" xmcastctl detach in0
rm -f $work/enough
streams_until_enough >/dev/null 2>&1 &
until_true 10 moving
check "attach while frames flow" xmcastctl attach in0
touch $work/enough
wait
quiet()
{
	last=$now
	now=$(ctl --json stats)
	[ "$now" = "$last" ]
}
now=
check "... afterwards the counters stand still" until_true 5 quiet
same "... and add up" "$(echo "$now" | jq '.received == .matched + ([.unmatched[]] | add // 0) and
    .copies == .transmitted + ([.dropped[]] | add // 0) and .unexplained == 0')" true

same "the group of those who may change things is there" \
    "$(getent group xmcast | cut -d: -f1)" xmcast
same "the service is enabled, what else there is is not" "$(systemctl is-enabled xmcastd.service \
    xmcastd.socket xmcast-bench.socket | paste -sd' ')" 'enabled disabled disabled'
check "a stranger may look" setpriv --reuid nobody --clear-groups xmcastctl list-groups
check "... and not change" refused 4 'xmcast' setpriv --reuid nobody --clear-groups \
    xmcastctl del-group 239.1.1.1
check "a member of the group may change" setpriv --reuid nobody --regid nogroup --groups xmcast \
    xmcastctl add-group 239.1.1.2 --from in0 --to out0
for page in xmcastd.8 xmcastd.conf.5 xmcastctl.1 xmcastctl-bench.1 io.xmcast.Control.7 \
    xmcast-troubleshooting.7 xmcast-containers.7; do
	check "$page is installed" [ -s "/usr/share/man/man${page##*.}/$page.gz" ]
done
for program in $(cat /var/lib/dpkg/info/xmcast*.list | grep -E '/s?bin/[^/]+$'); do
	check "$program has a page" ls /usr/share/man/man[18]/"$(basename "$program")".*.gz
done
