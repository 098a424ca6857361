/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the ingress program would do with a frame, read from the maps in the kernel in the same
 * order as bpf/ingress.bpf.c reads them: nothing that this process remembers is asked.
 */
#ifndef XM_DATAPLANE_EXPLAIN_H
#define XM_DATAPLANE_EXPLAIN_H

#include "daemon/dataplane/dataplane.h"

/* What bpf/parse.h finds in a frame. */
struct explain_frame {
	struct xm_group_key key; /* key.ingress: the interface slot */
	struct xm_address source;
	bool control;	 /* belongs to the control range, or is IGMP or MLD */
	uint32_t needed; /* MTU that an egress must have: see needed_mtu() in ingress.bpf.c */
};

struct explain_copy {
	int ifindex;   /* as the devmap holds it */
	bool too_big;  /* a member whose MTU is too small */
	bool excluded; /* an exclude map names it */
};

enum explain_verdict {
	EXPLAIN_INACTIVE,  /* no program counts on this ingress: all pass */
	EXPLAIN_UNMATCHED, /* no group: it passes */
	EXPLAIN_NO_EGRESS, /* dropped: no ready member */
	EXPLAIN_COPIED,	   /* redirected, or dropped because it is too big for all members */
};

struct explain {
	enum explain_verdict verdict;
	uint32_t entry, group; /* 0: none; `group` is the entry that counts, with a record */
	uint32_t node;	       /* the entry that the address alone leads to; 0: none */
	uint64_t word, ingress_word;
	uint32_t set, slot;	   /* the set of the word; the slot whose devmap takes the copies */
	uint32_t due, left;	   /* ready members; those of them whose MTU suffices */
	struct explain_copy *copy; /* owned; explain_free() */
	size_t copies;
	bool complete; /* false: a devmap could not be read (found by id, which wants CAP_SYS_ADMIN)
			*/
};

/* 0 or a negative errno, also when a map cannot be read. */
int dataplane_explain(struct dataplane *dp, const struct explain_frame *frame, struct explain *out);
/*
 * The second half, for words that were read by the program itself: to whom copies go. Fills due,
 * left, slot, copy and complete.
 */
int dataplane_explain_copies(struct dataplane *dp, uint64_t word, uint64_t ingress_word,
			     uint32_t needed, struct explain *out);
void explain_free(struct explain *explain);

#endif
