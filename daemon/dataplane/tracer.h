/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracing frames: a ring of events that the tracing instances of the ingress program and the
 * tracepoint programs of bpf/tracer.bpf.c write. Open it, attach ingresses with
 * ingress_spec.traced, then begin; attach them without it before it is closed. Nothing is pinned
 * but the ingress programs: after a crash these trace nothing more once the deadline has passed, go
 * on forwarding, and the next daemon replaces them.
 */
#ifndef XM_DATAPLANE_TRACER_H
#define XM_DATAPLANE_TRACER_H

#include "bpf/tracer.h"
#include "daemon/dataplane/dataplane.h"

/* Which frames. */
struct tracer_wish {
	struct prefix address; /* the destination lies in it; len 0: any */
	bool unmatched;	       /* only multicast frames without a group */
	unsigned int count;    /* frames, 1.. */
};

/* `event` begins with its type: one of struct xm_trace_*. */
typedef void (*tracer_event)(const void *event, void *data);

/* dp->tracer is set. -EBUSY: somebody traces already; otherwise a negative errno with fault. */
int tracer_open(struct dataplane *dp, const struct tracer_wish *wish, tracer_event event,
		void *data, struct fault *fault);
/*
 * From here on frames are traced, until `deadline` (CLOCK_MONOTONIC, ns): loading the programs may
 * have taken seconds. 0 or a negative errno with fault.
 */
int tracer_begin(struct dataplane *dp, const struct tracer_wish *wish, uint64_t deadline,
		 struct fault *fault);
/* Readable when there are events. */
int tracer_fd(const struct dataplane *dp);
/* Calls event() for what is there. 0 or a negative errno. */
int tracer_read(struct dataplane *dp);
/* Nothing is traced from now on; NULL is fine. */
void tracer_close(struct dataplane *dp);

#endif
