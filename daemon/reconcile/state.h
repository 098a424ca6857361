/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reconciler keeps: what the kernel holds, and what is on its way there. */
#ifndef XM_RECONCILE_STATE_H
#define XM_RECONCILE_STATE_H

#include "daemon/dataplane/dataplane.h"
#include "daemon/netlink/netlink.h"
#include "daemon/reconcile/numbers.h"
#include "daemon/reconcile/reconcile.h"

/* An interface name that has a slot: an ingress, or a member of a set. */
struct iface {
	char name[IF_NAMESIZE];
	uint32_t slot;
	int ifindex;	     /* the link it is bound to now; 0: absent */
	int unicast_ifindex; /* what the unicast maps hold */
	/*
	 * Nobody uses it. It keeps its slot, and so its counters for when it comes back, until
	 * another name needs the slot and no frame can be counted there any more (`quarantined` is
	 * 0).
	 */
	bool idle;
	unsigned int quarantined;
	unsigned long long idle_since; /* a count */
	bool is_ingress;	       /* a group or the adopted state receives here */
	unsigned int memberships;
	uint64_t refusals;     /* of its driver, at the last look: refusal.c */
	unsigned int refused;  /* looks until it is tried again, 0: it is not left out */
	enum xm_reason reason; /* as last told to monitors */

	/* as ingress */
	bool decided, native; /* the mode its sets are built for */
	bool attached;
	bool adopted;	 /* attached by an earlier daemon, perhaps of another version */
	bool tried;	 /* attaching failed and nothing has changed since */
	int stuck;	 /* ifindex of where the kernel kept the program that was to go, 0: none */
	bool stuck_told; /* those who waited then know of it */
	bool receives;	 /* attached as ingress; attached without: lent, see lend.c */
	bool outdated;	 /* its program could not be replaced by what is wanted now */
	bool outdated_passes;	/* ... because of an error that may pass */
	bool outdated_lookup;	/* ... and what was wanted had to hand over exclude maps */
	bool has_former;	/* it ran in the other mode before, and nothing is attached yet */
	enum mode refused_mode; /* strictly wanted, but the former runs on; MODE_AUTO: none */
	uint32_t generation;
	struct ingress_state state;
	char forced[FAULT_TEXT_MAX]; /* why the mode is what it is, or why attaching failed */
	char lacks[FAULT_TEXT_MAX];  /* what the program that runs, or its link, is not */
	unsigned int prefixes, source_prefixes; /* entries in the tries */
	uint32_t exclude;			/* slot of its own exclude map, --enforce lookup */
	bool exclude_closed;			/* which does not hold all it must */
};

struct seat { /* one ready member in the devmap of a level */
	struct iface *iface;
	int ifindex;
	uint32_t key;
	unsigned int mtu;
	bool leaving; /* not counted by the word any more, about to be removed */
};

/* One link of the chain by MTU: a set word and its devmap. */
struct level {
	uint32_t set, slot;
	unsigned int mtu; /* smallest of the seats */
	uint64_t too_big; /* of the slot, as far as it is shared out among the seats */
	struct seat *seats;
	unsigned int count;
};

struct member { /* an interface that `to` means and nothing excludes */
	char name[IF_NAMESIZE];
	struct iface *iface;   /* NULL: it is left out */
	enum xm_reason reason; /* XM_REASON_NONE: ready */
	unsigned int mtu;
	int ifindex;
};

/* What the kernel holds for one egress_set in one mode. */
struct actual_set {
	struct egress_set *wanted; /* NULL: no group wants it any more */
	bool native;
	bool lookup;		/* native: its seats run the egress program */
	uint32_t head;		/* set number, for life */
	struct member *members; /* by slot */
	unsigned int member_count;
	unsigned int left_out; /* behind them: those that no interface slot is free for */
	struct level levels[XM_MTU_LEVELS];
	unsigned int level_count;   /* 0: not built yet */
	bool dirty;		    /* members must be looked up again */
	bool rebuild;		    /* what its devmaps hold is not known for sure */
	bool used;		    /* mark of the sweep */
	struct actual_set *sibling; /* the same set in the other mode, from wanted->actual */
	struct actual_set *next;
};

/* The same for a list of excludes, --enforce lookup. */
struct exclude_set {
	struct names names;
	uint32_t slot;	/* 0: none yet */
	bool closed;	/* the map does not hold all it must: nobody gets copies */
	int *ifindexes; /* what the map holds */
	unsigned int count;
	struct exclude_set *next;
};

enum stage { STAGE_IDLE, STAGE_INSERTED, STAGE_SWITCHED };

struct transaction {
	enum stage stage;
	uint32_t *switches; /* entries whose words change, with the words */
	uint64_t *words;
	size_t switch_count;
	uint32_t *deletes; /* least specific first */
	size_t delete_count;
	bool wait;  /* for a grace period before the next stage ... */
	bool begun; /* ... which has begun after this stage's writes */
};

/* Numbers that a frame under way may still be using. */
struct quarantine {
	struct numbers entries, sets, slots, excludes, ifaces;
};

struct waiter {
	reconcile_done done;
	void *token;
};

struct reconcile {
	sd_event *event;
	struct model *model;
	struct reconcile_options options;
	struct netlink *netlink;
	struct dataplane *dp;
	struct worker *worker;
	sd_event_source *netlink_source, *refusal_timer, *retry_timer;
	uint64_t kernel_memory; /* bytes, at the last look */
	uint64_t retry_usec;	/* until the next try of what failed; 0: nothing did */
	bool retrying;		/* this round looks at all that may have failed */

	struct iface **ifaces;	/* by slot */
	struct iface **by_name; /* the same, sorted */
	size_t iface_count;
	unsigned int stuck_count;      /* of them, whose program could not go */
	unsigned long long idle_count; /* how often one became idle */
	struct names ingresses;	       /* as the groups of seen_model name them */
	struct names aliases;	       /* names that groups have for an ingress of another name */
	struct actual_set *sets;
	struct exclude_set *excludes;
	uint32_t *entries; /* what the kernel holds, by record_compare() */
	size_t entry_count;
	struct numbers free_entries, free_sets, free_ifaces;

	struct transaction transaction;
	struct quarantine old;	   /* taken out of use since the last grace period began */
	struct quarantine leaving; /* free when the running grace period ends */
	struct quarantine adopted; /* sets and excludes that old words may still lead to */

	struct tracing *tracing; /* NULL: nobody traces */

	bool running;	       /* in reconcile_step() */
	bool entries_dirty;    /* words or keys may differ from what is wanted */
	bool links_dirty;      /* a link changed since the last step */
	struct names left_out; /* that were told to be: left_out.c */
	bool no_slot;	       /* a name got no interface slot, and none has become free since */
	bool grow_failed;      /* the worker could not grow the pools */
	bool sweep;	       /* entries were looked at: what they led to may be unused by now */
	bool excludes_moving;  /* words still lead to exclude maps that are too small */
	unsigned long long seen_model; /* version */
	bool written_lookup;	       /* the unicast maps carry programs for lookups */
	struct waiter *waiters;
	size_t waiter_count;
	int error;	   /* first of this round */
	bool passing;	   /* an error of this round may pass by itself */
	bool grace_failed; /* the last grace period, whatever round it was of */
	struct fault fault;
	unsigned int faults;  /* of this round that no interface tells of itself */
	bool entries_failed;  /* a round that does not look at them mends nothing */
	struct fault problem; /* the first fault of the last round that had any; "" mended */
	bool settled;
	uint32_t generation; /* last one given */
};

#endif
