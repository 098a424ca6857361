// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * turn COUNTING IFINDEX COOKIE SERIAL: attaches turn.bpf.c, with the pinned map COUNTING, and says
 * so; at SIGTERM it prints whose turn it is, and goes. COOKIE is in hex.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/contract.h"
#include "tests/netns/traffic.h"
#include "turn.skel.h"

static void attach(int counting, char **words)
{
	struct turn_bpf *t = turn_bpf__open();

	if (!t)
		fail("turn.bpf.c: %s", strerror(errno));
	t->rodata->ifindex = strtoul(words[0], NULL, 10);
	t->rodata->netns_cookie = strtoull(words[1], NULL, 16);
	t->rodata->serial = strtoull(words[2], NULL, 10);
	if (bpf_map__reuse_fd(t->maps.counting, counting) || turn_bpf__load(t) ||
	    turn_bpf__attach(t))
		fail("turn.bpf.c: %s", strerror(errno));
}

static void wait_for_end(const sigset_t *ends)
{
	int which;

	sigwait(ends, &which);
}

int main(int argc, char **argv)
{
	int counting = argc == 5 ? bpf_obj_get(argv[1]) : -1;
	__u32 index = argc == 5 ? strtoul(argv[2], NULL, 10) % XM_COUNTING : 0;
	__u64 turn = 0;
	sigset_t ends;

	if (counting < 0)
		fail("usage: turn COUNTING IFINDEX COOKIE SERIAL");
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	attach(counting, argv + 2);
	puts("attached");
	fflush(stdout);
	wait_for_end(&ends);
	if (bpf_map_lookup_elem(counting, &index, &turn))
		fail("%s: %s", argv[1], strerror(errno));
	printf("%llu\n", (unsigned long long)turn);
	return 0;
}
