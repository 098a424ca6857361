# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by inside.sh: a new version, and the end.

version()
{
	ctl --json status | jq -r .pid
}
upgrade()
{
	apt-get install -y -q $packages/next/xmcastd_*.deb $packages/next/xmcastctl_*.deb
}
old=$(main_pid)
old_blue=$(main_pid xmcastd@blue)
under_load "upgrade" upgrade
same "... to the next version" "$(dpkg-query -W -f '${Version}' xmcastd)" 0.1.0+next
check "... whose daemon runs" wait_replaced "$old"
check "... in the namespace, too" wait_replaced "$old_blue" xmcastd@blue.service
same "... with the groups that there were" "$(group 239.1.1.1 .state) $(group 239.7.7.7 .state)" \
    'active active'

check "before it is removed the program is there" attached in0
check "remove" apt-get remove -y -q xmcastd
check "... ends forwarding" sh -c '! ip -d link show in0 | grep -q xdp'
check "... also in the namespace" sh -c '! ip -n blue -d link show bin | grep -q xdp'
same "... no pin is left" "$(ls /sys/fs/bpf/xmcast 2>/dev/null)" ''
same "... no process" "$(pgrep -x xmcastd)" ''
check "... the configuration stays" [ -e /etc/xmcast/conf.d/studio.conf ]
check "and installed again" apt-get install -y -q $packages/next/xmcastd_*.deb
check "... forwards what the configuration says" until_true 10 is active group 239.7.7.7 .state
systemctl start xmcastd@blue
check "purge" apt-get purge -y -q xmcastd xmcastctl
check "... ends forwarding" sh -c '! ip -d link show in0 | grep -q xdp'
same "... leaves no file" "$(find / -xdev \( -path /xmcast -o -path /proc -o -path /usr/share/bash-completion \
    -o -path /var/cache/apt \) -prune -o -name '*xmcast*' -print)" ''
same "... in /run and in the BPF file system neither" "$(ls -d /run/xmcast* /sys/fs/bpf/xmcast \
    2>/dev/null)" ''
check "... nor the group" sh -c '! getent group xmcast'
check "no unit has failed" sh -c '! systemctl --failed --no-legend | grep .'
