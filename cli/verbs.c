/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What xmcastctl can do, in the order of its help. */
#include "cli/verb.h"

#define WHICH "[--source ADDR[/LEN]] [--vlan V] [--from IF[,IF]]"
#define WHICH_DETAILS                                                                              \
	"The words must mean one group, or one for each interface of --from; when several "        \
	"match,\n"                                                                                 \
	"nothing is changed and they are listed. --source 0.0.0.0/0 means the group for any "      \
	"source,\n"                                                                                \
	"--vlan 0 the untagged one.\n"

const struct verb verbs[] = {
    {"add-group",
     "ADDR[/LEN] --from IF[,IF] --to IF[,IF] [--source ADDR[/LEN]] [--vlan V] [--exclude IF[,IF]] "
     "[--pending]",
     "copy what is sent to ADDR from an interface to others",
     "--to and --exclude also take shell patterns ('veth*'). V is a VLAN, or OUTER.INNER for two\n"
     "tags; without it untagged frames match. --pending allows interfaces that do not exist yet.\n",
     {"xmcastctl add-group 239.1.1.1 --from eth0 --to eth1,eth2",
      "xmcastctl add-group ff3e::/32 --from eth0 --to 'veth*' --exclude veth9"},
     cmd_add_group},
    {"del-group",
     "ADDR[/LEN] " WHICH,
     "stop copying a group",
     WHICH_DETAILS,
     {"xmcastctl del-group 239.1.1.1",
      "xmcastctl del-group 239.1.1.1 --source 10.0.0.1 --from eth0"},
     cmd_del_group},
    {"add-egress",
     "ADDR[/LEN] IF[,IF] " WHICH " [--pending]",
     "copy a group to more interfaces",
     WHICH_DETAILS,
     {"xmcastctl add-egress 239.1.1.1 eth3", "xmcastctl add-egress 239.1.1.1 'veth*' --vlan 5"},
     cmd_add_egress},
    {"del-egress",
     "ADDR[/LEN] IF[,IF] " WHICH,
     "copy a group to fewer interfaces",
     WHICH_DETAILS,
     {"xmcastctl del-egress 239.1.1.1 eth3", "xmcastctl del-egress 239.1.1.1 eth2,eth3 --vlan 5"},
     cmd_del_egress},
    {"add-exclude",
     "ADDR[/LEN] IF[,IF] " WHICH " [--pending]",
     "never copy a group to these interfaces",
     WHICH_DETAILS,
     {"xmcastctl add-exclude 239.1.1.1 veth9",
      "xmcastctl add-exclude 239.1.1.1 'tap*' --from eth0"},
     cmd_add_exclude},
    {"del-exclude",
     "ADDR[/LEN] IF[,IF] " WHICH,
     "copy a group to these interfaces again",
     WHICH_DETAILS,
     {"xmcastctl del-exclude 239.1.1.1 veth9",
      "xmcastctl del-exclude 239.1.1.1 'tap*' --from eth0"},
     cmd_del_exclude},
    {"list-groups",
     "[ADDR[/LEN]] [--source ADDR[/LEN]] [--vlan V] [--from IF] [--to IF] [--origin ORIGIN] "
     "[--state STATE]",
     "show groups, their counters, and who receives them or why not",
     "Shows groups that overlap ADDR. ORIGIN: config, runtime. STATE: active, pending, no-egress,\n"
     "detached, failed, conflict.\n",
     {"xmcastctl list-groups 239.1.0.0/16", "xmcastctl --json list-groups --state no-egress"},
     cmd_list_groups},
    {"list-interfaces",
     "",
     "show interfaces: mode, program, readiness, counters",
     0,
     {"xmcastctl list-interfaces", "xmcastctl --json list-interfaces"},
     cmd_list_interfaces},
    {"stats",
     "",
     "show sums of all frames: matched, copied, dropped and why",
     0,
     {"xmcastctl stats", "xmcastctl --json stats"},
     cmd_stats},
    {"doctor",
     "[IF]...",
     "look for everything that is known to go wrong, and how to mend it",
     "One line for each check: ok, warning or problem, the cause, and the command that mends it.\n"
     "Exit: 0 nothing found, 1 warnings, 2 problems, 3 and 4 as ever.\n",
     {"xmcastctl doctor", "xmcastctl --json doctor eth0 veth1"},
     cmd_doctor},
    {"explain",
     "ADDR --from IF [--source ADDR] [--vlan V] [--size N]",
     "tell what would become of a frame, and why",
     "Reads the maps in the kernel as the program does. N is the frame's size in bytes (60).\n"
     "--group ADDR is the same as ADDR.\n",
     {"xmcastctl explain 239.1.1.1 --from eth0 --source 10.0.0.1",
      "xmcastctl explain 239.1.1.1 --from eth0 --vlan 5 --size 1514"},
     cmd_explain},
    {"trace",
     "[ADDR[/LEN]] [--unmatched] [--from IF] [--count N] [--seconds S]",
     "show the way of the next frames, and what became of each copy",
     "Of N (10) frames to ADDR, or that no group matches; at most S (60) seconds. One trace at a "
     "time.\n",
     {"xmcastctl trace 239.1.1.1 --count 3", "xmcastctl trace --unmatched --from eth0"},
     cmd_trace},
    {"top",
     "[--sort KEY] [--interval S] [--count N]",
     "show groups and interfaces with their rates, refreshed in place",
     "KEY: frames, copies, bytes, dropped, name; on a terminal its first letter sorts, q quits. "
     "Every S (2)\n"
     "seconds; N views, elsewhere than on a terminal one as plain text.\n",
     {"xmcastctl top --sort copies", "xmcastctl top --interval 1 --count 10 >rates.txt"},
     cmd_top},
    {"metrics",
     "[--groups]",
     "print all counters as OpenMetrics text, for Prometheus",
     "--groups adds three series for each group. Over HTTP: systemctl enable --now "
     "xmcast-exporter.socket\n",
     {"xmcastctl metrics", "xmcastctl metrics --groups >/var/lib/node-exporter/xmcast.prom"},
     cmd_metrics},
    {"monitor",
     "",
     "show events as they happen, until interrupted",
     0,
     {"xmcastctl monitor", "xmcastctl --json monitor"},
     cmd_monitor},
    {"status",
     "",
     "show the daemon: version, limits, memory, modes, what went wrong",
     0,
     {"xmcastctl status", "xmcastctl --netns blue status"},
     cmd_status},
    {"apply",
     "FILE|-",
     "replace all runtime groups by those in FILE, all or nothing",
     "FILE holds statements as in xmcastd.conf(5): `group ADDR --from IF --to IF ..` and\n"
     "`interface IF ..`. Groups that stay the same lose no frame and no count.\n",
     {"xmcastctl apply groups.conf", "generate-groups | xmcastctl apply -"},
     cmd_apply},
    {"save",
     "[NAME] [--dir DIR]",
     "write the runtime groups to conf.d/NAME.conf beside the configuration",
     "NAME is 'saved' unless given. It also holds what was wished for interfaces, such as detach. "
     "It\n"
     "is read after the next boot.\n",
     {"xmcastctl save", "xmcastctl save studio --dir /tmp"},
     cmd_save},
    {"reload",
     "",
     "read the configuration files again",
     0,
     {"xmcastctl reload", "xmcastctl --netns blue reload"},
     cmd_reload},
    {"attach",
     "[IF]",
     "forward from an ingress (or all) again after detach",
     0,
     {"xmcastctl attach eth0", "xmcastctl attach"},
     cmd_attach},
    {"detach",
     "[IF]",
     "take the program off an ingress (or all) until attach",
     0,
     {"xmcastctl detach eth0", "xmcastctl detach"},
     cmd_detach},
    {"reattach",
     "IF",
     "decide the mode of an ingress again",
     0,
     {"xmcastctl reattach eth0", "xmcastctl reattach veth0"},
     cmd_reattach},
    {"bench",
     "[throughput|lpm-trie[-OPERATION]] [OPTIONS] [--output FILE] | show FILE | compare FILE[:ROW] "
     "FILE[:ROW]",
     "measure how fast this machine forwards, or its LPM trie; show and compare results",
     "Throughput: [--native] [--generic] [--programs LIST] [--receivers 1,2,4,8] [--pairs N]\n"
     "[--in A --out B [--pktgen-dev IF]] [--batch N] [--pps N]\n"
     "[--source live|packet|pktgen] [--frame-size N] [--duration S] [--seed N] [--label TEXT] "
     "[--quick].\n"
     "lpm-trie-{noop,baseline,lookup,insert,update,delete,free}, or lpm-trie for all of them:\n"
     "[--nr-entries N[,N]] [--prefix-len N] [--producers N] [--random] [--warmup S] [--duration "
     "S]\n"
     "[--allow-long-free].\n"
     "show FILE [--csv] [--markdown] [--plot FILE.svg]; compare .. [--fail-below RATIO], where ROW "
     "is\n"
     "PROGRAM/TOPOLOGY/MODE. Neither needs the daemon. Ctrl-C prints what is known by then.\n",
     {"xmcastctl bench --quick --output before.json",
      "xmcastctl bench compare before.json after.json --fail-below 0.97"},
     cmd_bench},
    {0},
};
