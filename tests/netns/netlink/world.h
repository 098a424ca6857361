/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A world for one test of the netlink room: the test's own network namespace, others held by
 * child processes, and a watcher of daemon/netlink. All of it ends with the test program, however
 * that ends.
 */
#ifndef XM_TESTS_NETNS_NETLINK_WORLD_H
#define XM_TESTS_NETNS_NETLINK_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
/* cmocka.h wants the four above first. */
#include <cmocka.h>

#include "daemon/netlink/netlink.h"

#define DEADLINE_MS 10000

struct world {
	struct netlink *netlink;
	unsigned int calls, vanishings, settled, resyncs;
	int last_vanished;
	pid_t spaces[4]; /* processes that hold a namespace */
	unsigned int space_count;
	bool order_wrong; /* settled() without link(), or link() after settled() in one go */
};

/* cmocka set-up and tear-down: *state is a struct world in a namespace of its own. */
int world_setup(void **state);
int world_teardown(void **state);

/* Opens (again) the watcher. */
void watch(struct world *world);
/* One dispatch, if there is something within the deadline; else false. */
bool step(struct world *world, long deadline);
long now_ms(void);
#define WAIT(world, condition)                                                                     \
	do {                                                                                       \
		long deadline_ = now_ms() + DEADLINE_MS;                                           \
		while (!(condition))                                                               \
			if (!step(world, deadline_))                                               \
				fail_msg("never came true: %s", #condition);                       \
	} while (0)
/* Dispatches until nothing more comes for some milliseconds that the kernel may defer events. */
void drain(struct world *world);

const struct link *named(struct world *world, const char *name); /* NULL: none */
#define ON(world, name, condition)                                                                 \
	({                                                                                         \
		const struct link *link = named(world, name);                                      \
		link && (condition);                                                               \
	})

/* Another network namespace: its number. Ends with space_end() or the test. */
unsigned int space(struct world *world);
void space_end(struct world *world, unsigned int number);
#define HOME -1
/* Runs a shell command, here or in a namespace; fails the test when the command fails. */
void run(struct world *world, int where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Moves this thread into a namespace, and back to the test's own. */
void enter(struct world *world, int where);
int ifindex_in(struct world *world, int where, const char *name);

/* Before 6.3 the kernel cannot tell XDP features, and their notifications wake nobody. */
#define NEEDS_FEATURES(world)                                                                      \
	do {                                                                                       \
		if (!named(world, "lo")->xdp_features_known)                                       \
			skip();                                                                    \
	} while (0)

/* Fails unless the watcher's links are exactly those of `ip -j -d link`, fact by fact. */
void agree(struct world *world);

/* A program that passes everything; *id is the kernel's number of it. */
int xdp_program(uint32_t *id);

#endif
