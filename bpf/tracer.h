/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tracing instance of the ingress program and user space say to each other. */
#ifndef XMCAST_TRACER_H
#define XMCAST_TRACER_H

#include "bpf/xmcast.h"

/* Which frames are traced, how many, and until when: user space writes, the programs obey. */
struct xm_trace_filter {
	__u64 deadline; /* CLOCK_MONOTONIC, ns: afterwards nothing is traced, whoever still runs */
	__s64 budget;	/* frames left */
	__u64 netns_cookie;
	struct xm_address value, mask; /* of the destination */
	__u32 unmatched;	       /* only frames that no group matched */
	__u32 pad;
};

enum xm_trace_type { XM_TRACE_FRAME = 1, XM_TRACE_FLUSH, XM_TRACE_RESULT };

/*
 * A frame, after the program has decided. `order` counts the frames that this CPU has
 * redirected, this one included; it ties a frame to the flushes of its copies.
 */
struct xm_trace_frame {
	__u32 type, cpu;
	__u64 order;
	__u64 word, ingress_word; /* as the program read them */
	struct xm_group_key key;
	struct xm_address source;
	__u32 slot, verdict;
	__u32 size, needed;
	__u32 group, due, too_big;
	__u8 protocol, reason, parsed, pad[5];
};

/*
 * Native: the kernel has handed `sent` copies to the driver of `ifindex` and dropped `drops`, in
 * that order. Those copies are of the last frames up to `order`. From `run` on all of them went to
 * the same members, so that the place of each is known.
 */
struct xm_trace_flush {
	__u32 type, cpu;
	__u64 order, run;
	__u32 ifindex, excluded;
	__s32 sent, drops;
	__u32 reason; /* of the drops */
	__u32 pad;
};

/* The redirect of frame `order` ended: in generic mode after all copies, else only when it failed.
 */
struct xm_trace_result {
	__u32 type, cpu;
	__u64 order;
	__u32 failed, reason;
	__u32 done, generic; /* done: copies that were accounted for, generic mode */
	__u32 only, pad;     /* the interface slot of a copy that was the only one; 0: not */
};

/* Per CPU. */
struct xm_trace_cpu {
	__u64 order;	   /* redirected so far */
	__u64 run;	   /* order of the first of those in a row with the same members */
	__u64 members;	   /* stands for these members */
	__u64 last_traced; /* order of the last traced frame that was redirected */
	__u32 redirecting; /* between the program's verdict and the end of the redirect */
	__u32 traced;	   /* that frame is traced */
	__u32 noted, pad;  /* `frame` and the counters are of the frame that is there now */
	__u64 copies, too_big, no_egress, no_metadata; /* the ingress's counters before it */
	struct xm_trace_frame frame;
};

/* Per CPU and interface slot. */
struct xm_trace_egress {
	__u64 told;	/* order up to which flushes were told */
	__u64 excluded; /* dropped[EXCLUDED] at the last flush */
};

_Static_assert(sizeof(struct xm_trace_frame) == 112, "no holes");
_Static_assert(sizeof(struct xm_trace_flush) == 48, "no holes");
_Static_assert(sizeof(struct xm_trace_result) == 40, "no holes");

#endif
