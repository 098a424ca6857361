/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A frame's way in words: what explain and trace share. */
#ifndef XM_RECONCILE_FRAME_H
#define XM_RECONCILE_FRAME_H

#include "daemon/dataplane/explain.h"
#include "daemon/reconcile/internal.h"

/* Ethernet, and one tag: what the MTU of an egress does not count (bpf: needed_mtu()). */
uint32_t frame_needed_mtu(uint32_t size, uint32_t vlan);
/* What a trace knows of one copy. */
enum fate { FATE_OPEN, FATE_SENT, FATE_LOST, FATE_UNSURE };
struct copy_fate {
	unsigned char fate, reason; /* reason: of FATE_LOST; of FATE_UNSURE why some were lost */
};

/*
 * Fills group, set, due and copies of `out` from what the maps say; `ingress` and mode are filled
 * by ingress_word. `fates`, by explain->copy, is what became of the copies; NULL: what the kernel
 * will do with them as the links are now. Members that are not in the maps follow as "not-ready". 0
 * or -ENOMEM; they are valid until the next call.
 */
int frame_fill(struct reconcile *r, const struct explain *explain, uint32_t needed,
	       const struct copy_fate *fates, struct frame_report *out);
/* Why no group matched, in words. */
void frame_why_unmatched(struct reconcile *r, const struct explain_frame *frame,
			 const struct explain *explain, char *buf, size_t size);

#endif
