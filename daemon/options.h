/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of xmcastd. */
#ifndef XM_OPTIONS_H
#define XM_OPTIONS_H

#include <stdbool.h>

struct options {
	char *config;	   /* --config, default /etc/xmcast[/NETNS]/xmcastd.conf */
	bool config_named; /* it was given: then it must exist */
	char *runtime_dir; /* --runtime-dir, default /run/xmcast, with --netns NAME below it */
	char *bpffs;	   /* --bpffs, default /sys/fs/bpf/xmcast; "none": nothing is pinned */
	char *netns;	   /* --netns: a name below /run/netns, or a path; NULL: ours */
	bool check, purge, verbose;
};

/*
 * Fills *out (options_free() it). Returns 0, or 1 when the program is done (--help, --version), or
 * -EINVAL when the words are off: one line was printed.
 */
int options_parse(int argc, const char **argv, struct options *out);
void options_free(struct options *options);

#endif
