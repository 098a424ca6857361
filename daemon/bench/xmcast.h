/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shipped datapath as a subject: maps and programs as the daemon makes them, unpinned. */
#ifndef XM_BENCH_XMCAST_H
#define XM_BENCH_XMCAST_H

#include "daemon/bench/subject.h"

struct xmcast;

/*
 * `groups` consecutive addresses from TRAFFIC_GROUP on, which are the active subject's. For some
 * 30 subjects. 0 or negative errno with fault.
 */
int xmcast_open(struct xmcast **out, const struct topology *topology, unsigned int groups,
		struct fault *fault);
void xmcast_close(struct xmcast *xmcast);

/* The tracepoint programs on or off, whatever is active. 0 or negative errno. */
int xmcast_trace(struct xmcast *xmcast, bool on);

struct xmcast_options {
	unsigned int receivers;
	bool native;
	int excludes;	    /* entries of the group's exclude map (--enforce lookup); -1: fold */
	const char *object; /* file with another build of the program; NULL: what ships */
};
/*
 * Adds a set for the groups. While a subject is active the tracepoint programs are on, as they
 * are in the daemon; while none is they are off. 0 or negative errno with fault.
 */
int subject_xmcast(struct subject *out, struct xmcast *xmcast, const struct xmcast_options *options,
		   struct fault *fault);

/*
 * The same behind libxdp's dispatcher, attached as the daemon does. -EOPNOTSUPP with fault, which
 * begins with "needs", where the dispatcher does not work. May move the process to a mount
 * namespace of its own.
 */
int subject_dispatcher(struct subject *out, struct xmcast *xmcast,
		       const struct xmcast_options *options, struct fault *fault);

/*
 * The program of options->object, whatever it is: see object.c. 0 or negative errno with fault.
 */
int subject_object(struct subject *out, struct xmcast *xmcast, const struct topology *topology,
		   const struct xmcast_options *options, struct fault *fault);

#endif
