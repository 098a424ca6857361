/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs that are measured beside each other on one topology in one mode. */
#ifndef XM_BENCH_LINEUP_H
#define XM_BENCH_LINEUP_H

#include "daemon/bench/cell.h"
#include "daemon/bench/throughput.h"
#include "daemon/bench/xmcast.h"

#define LINEUP_MAX 24

struct lineup {
	struct cell cells[LINEUP_MAX];
	unsigned int count;
	struct {
		const char *name;
		struct fault why;
	} missing[LINEUP_MAX]; /* those that this machine cannot run */
	unsigned int missing_count;
};

struct lineup_place {
	const struct topology *topology;
	struct xmcast *xmcast;
	bool native;
	unsigned int receivers;
};

/* Names in a list are whole names, or a name that others continue behind a "-"; "=" is just it. */
bool lineup_wants(const char *programs, const char *name);
/* -EINVAL with fault for a name that nothing is called. NULL is all of them. */
int lineup_check(const char *programs, struct fault *fault);

/* Loads all that are wanted and fit. 0 or negative errno with fault; lineup_close() it. */
int lineup_open(struct lineup *lineup, const struct lineup_place *place,
		const struct throughput_options *options, struct fault *fault);
void lineup_close(struct lineup *lineup);

#endif
