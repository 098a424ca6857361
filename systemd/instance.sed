# SPDX-License-Identifier: GPL-2.0-or-later
# Makes xmcastd@.service, for the network namespace /run/netns/INSTANCE, of xmcastd.service:
# one list of restrictions for both.
s/^Description=.*/& in network namespace %i/
s/^ExecStart=.*/& --netns %i/
s/^ExecReload=.*xmcastctl/& --netns %i/
s/^RuntimeDirectory=.*/&\/%i/
# systemd enters the namespace, so that the daemon needs no CAP_SYS_ADMIN for it.
/^ExecStart=/i NetworkNamespacePath=/run/netns/%i
