/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel side: maps, programs, pins, counters. The only room that includes libbpf or
 * libxdp. It holds no policy: it writes what it is told and reads what is there. Numbers:
 * interface slot, entry, set, set slot, exclude slot as in bpf/xmcast.h; 0 is never used
 * for a real one. All functions return 0 or a negative errno unless they say otherwise.
 */
#ifndef XM_DATAPLANE_DATAPLANE_H
#define XM_DATAPLANE_DATAPLANE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/xmcast.h"
#include "daemon/dataplane/buckets.h"
#include "daemon/model/model.h"

enum dataplane_map {
	MAP_EXACT,
	MAP_EXACT_IPV4,
	MAP_PREFIX,
	MAP_SOURCE_EXACT,
	MAP_SOURCE_PREFIX,
	MAP_ENTRIES,
	MAP_SETS,
	MAP_SET_MAPS,
	MAP_UNICAST_NATIVE,
	MAP_UNICAST_GENERIC,
	MAP_EXCLUDE_MAPS,
	MAP_INTERFACES,
	MAP_LOW_SLOTS,
	MAP_HIGH_SLOTS,
	MAP_SLOT_TOO_BIG,
	MAP_HANDOVER,
	MAP_COUNTING,
	MAP_COUNTED,
	MAP_FLUSH_EXCLUDED,
	MAP_INTERFACE_RECORDS,
	MAP_ENTRY_RECORDS,
	MAP_GRACE,
	MAPS,
};

/* How many of each there can be; fixed when the maps are created. */
struct dataplane_sizes {
	unsigned int interfaces;      /* slots 1..interfaces */
	unsigned int entries;	      /* 1..entries */
	unsigned int sets;	      /* 1..sets, with the chains by MTU */
	unsigned int slots;	      /* 1..slots of set_maps */
	unsigned int excludes;	      /* 1..excludes of exclude_maps */
	unsigned int exclude_members; /* interfaces one exclude map can name */
};
void dataplane_sizes_of(const struct limits *limits, struct dataplane_sizes *out);

struct pool;
struct succession;
struct trace;
struct tracer;

#define PIN_DIR_MAX 256

struct dataplane {
	struct dataplane_sizes sizes;
	char pin_dir[PIN_DIR_MAX]; /* "" when nothing is pinned */
	unsigned int serial;	   /* of pin_dir */
	bool adopted;		   /* the maps were there already */
	char replaced[256];	   /* why those that were there could not be adopted; "" */
	int map_fd[MAPS];
	struct buckets buckets; /* of the mmapped map exact_ipv4 */
	/* mmapped maps, indexed by number */
	uint64_t *sets;
	struct xm_entry_row *entries;	     /* one row for each CPU: see dataplane_entry() */
	struct xm_interface_row *interfaces; /* likewise: see dataplane_ingress() */
	uint64_t *low_slots;		     /* interface slot by ifindex */
	struct xm_interface_record *interface_records;
	struct xm_entry_record *entry_records;
	uint64_t *counting;
	size_t mapped[MAPS]; /* bytes, 0: not mapped */
	int egress_native_fd, egress_generic_fd;
	int cpus;	   /* rows of counters: the highest id of a possible CPU, and one more */
	int possible_cpus; /* values of a per-CPU element ... */
	int *cpu_id;	   /* ... and whose each is; owned */
	struct pool *set_pool, *exclude_pool;
	struct trace *trace;
	struct tracer *tracer;	       /* open: NULL when nobody traces */
	struct succession *succession; /* NULL: nothing is left of predecessors */
	int *ingress_fd;	       /* by interface slot: our program, -1 none */
	uint32_t *behind; /* by interface slot: dispatcher that our program was last seen in */
	int pin_lock;	  /* pin_dir, locked against a second daemon; -1 */
};

/*
 * Creates the maps and programs, or adopts those pinned below `bpffs` (a directory on a
 * bpffs; NULL: nothing is pinned) for the caller's network namespace. What is pinned but was made
 * by another layout, with other limits or other programs is taken over: its records and counters
 * are in the new maps, its programs go on until dataplane_attach() replaces them, and
 * dataplane_settle() removes the rest. -EBUSY: another process holds the pins.
 */
int dataplane_open(struct dataplane **out, const char *bpffs, const struct limits *limits,
		   struct fault *fault);
/*
 * Once everything is attached: takes the last counts of predecessors and removes them. Waits for a
 * grace period when there are any. What cannot go (its program could not be replaced) stays.
 */
int dataplane_settle(struct dataplane *dp, struct fault *fault);
/* Frees user-space state; what is pinned or attached stays. NULL is fine. */
void dataplane_close(struct dataplane *dp);
/* Removes the pins of this network namespace; attached programs must be gone already. */
int dataplane_unpin(struct dataplane *dp);
/*
 * For what dataplane_open() refuses: detaches every program pinned for this network namespace
 * and removes the pins, whatever their layout and sizes.
 */
int dataplane_purge(const char *bpffs, struct fault *fault);
/*
 * Takes the tracepoint programs off, which then count nothing, or puts them on again: so that
 * another program can be measured without them. Not for what is pinned (-EBUSY).
 */
int dataplane_trace(struct dataplane *dp, bool on, struct fault *fault);
/* Bytes of kernel memory of all maps, from their fdinfo. */
uint64_t dataplane_memory(const struct dataplane *dp);

/* One store that every CPU sees whole. */
static inline void word_store(void *word, uint64_t value)
{
	atomic_store_explicit((_Atomic uint64_t *)word, value, memory_order_release);
}

/* The word of an entry or of an ingress: read, and written for every CPU. */
uint64_t dataplane_entry(const struct dataplane *dp, uint32_t entry);
void dataplane_store_entry(struct dataplane *dp, uint32_t entry, uint64_t word);
uint64_t dataplane_ingress(const struct dataplane *dp, uint32_t slot);
void dataplane_store_ingress(struct dataplane *dp, uint32_t slot, uint64_t word);

/* Blocks until every program that ran at the time of the call has ended. */
int dataplane_grace(struct dataplane *dp);

/* --- index.c: the five maps that lead to an entry --- */

/* By ingress, VLAN, address, shorter first, the node before its sources. */
int record_compare(const struct xm_entry_record *a, const struct xm_entry_record *b);
/*
 * Writes entry_records[entry] and then the key into the hash (whole addresses) or the
 * trie. -EEXIST when the key is there with another entry.
 */
int dataplane_insert(struct dataplane *dp, uint32_t entry, const struct xm_entry_record *record);
/*
 * Deletes the key when it leads to this entry (else nothing: 0); the record stays until
 * dataplane_forget(), after a grace period.
 */
int dataplane_delete(struct dataplane *dp, uint32_t entry);
void dataplane_forget(struct dataplane *dp, uint32_t entry);
/*
 * The entry that an address of a frame leads to, as the program finds it: by the whole address,
 * else, with `prefixes`, by the longest prefix. 0: none; or a negative errno.
 */
int64_t dataplane_find_group(struct dataplane *dp, const struct xm_group_key *key, bool prefixes);
int64_t dataplane_find_source(struct dataplane *dp, const struct xm_source_key *key, bool prefixes);

/* Leads the ifindex in tracepoints and egress programs to its slot. */
int dataplane_map_interface(struct dataplane *dp, int ifindex, uint32_t slot);
/* Nothing happens when it leads to another slot by now. */
int dataplane_unmap_interface(struct dataplane *dp, int ifindex, uint32_t slot);

/*
 * Where sets with one ready member send: the device of an interface slot, one map for each
 * mode. `program` as for pool_add(). ifindex 0 takes it out; -ENODEV: no such device.
 */
int dataplane_unicast(struct dataplane *dp, bool native, uint32_t slot, int ifindex, int program);

/* --- pool.c: inner maps that already sit in set_maps or exclude_maps --- */

/* A free slot whose map has at least `members` buckets (next power of two); 0: grow first. */
uint32_t pool_take(struct pool *pool, unsigned int members);
/* Gives a slot back: it is emptied now, so only after a grace period. */
void pool_give(struct pool *pool, uint32_t slot);
/* Marks a slot in use whose map this process does not know (adopted): it cannot be edited. */
void pool_reserve(struct pool *pool, uint32_t slot);
/* Notes that pool_take() will want `count` more slots for `members` each. */
int pool_want(struct pool *pool, unsigned int members, unsigned int count);
/* True when pool_grow() has something to do. */
bool pool_wants(const struct pool *pool);
/*
 * Makes what was wanted. Blocks for grace periods, so it runs in the worker; nobody else
 * may touch the pool meanwhile. -ENOSPC when slots run out.
 */
int pool_grow(struct pool *pool);
unsigned int pool_capacity(const struct pool *pool, uint32_t slot); /* buckets */
/*
 * Members of a slot's map. `program`: descriptor of an egress program, -1 none. -EBADF: an
 * adopted slot. Removing what the kernel took out already (device gone) is no error.
 */
int pool_add(struct pool *pool, uint32_t slot, uint32_t key, int ifindex, int program);
int pool_remove(struct pool *pool, uint32_t slot, uint32_t key);
/* False when the kernel took the key out with its device. */
bool pool_has(struct pool *pool, uint32_t slot, uint32_t key);
/* A descriptor of a slot's map to close, -EBADF: not known here. */
int pool_duplicate(const struct pool *pool, uint32_t slot);

/* --- ingress.c --- */

struct ingress_spec {
	uint32_t slot;
	int ifindex;
	bool native;
	bool finish_checksums;
	bool lookup;	     /* native: it must be able to hand over exclude maps */
	bool fold;	     /* the instance that cannot; dataplane_attach() decides */
	bool traced;	     /* the tracing instance: see tracer.h */
	uint32_t generation; /* the word must carry it before frames count */
	uint32_t beside;     /* the same where the old one still runs: behind a dispatcher; 0: it */
};
struct ingress_state {
	uint32_t program_id; /* 0: ours is not attached */
	bool native, dispatcher;
	bool fold; /* the instance that cannot hand over exclude maps: the dispatcher takes no other
		    */
	char why_single[160]; /* what libxdp said when it did without its dispatcher */
};
/*
 * Attaches our program. When it is there already: one of the same code and constants is left
 * untouched, another is replaced without a moment without one, and then the slot's word of
 * `ingresses` gets the new one's generation. -EBUSY: a foreign program holds the device (fault
 * names id and name); other errors carry the kernel's words.
 */
int dataplane_attach(struct dataplane *dp, const struct ingress_spec *spec,
		     struct ingress_state *state, struct fault *fault);
/* Detaches exactly our program, -ENOENT when it is not there. */
int dataplane_detach(struct dataplane *dp, uint32_t slot, int ifindex, struct fault *fault);
/* What is attached now; `foreign` gets what another's program is, with its id, "" none. */
#define FOREIGN_MAX 256
int dataplane_attached(struct dataplane *dp, uint32_t slot, int ifindex,
		       struct ingress_state *state, char *foreign, size_t foreign_size);
/* Loads an instance without attaching it, for tests and measurements. An fd to close. */
int dataplane_load_ingress(struct dataplane *dp, const struct ingress_spec *spec,
			   struct fault *fault);
/* The same from a file, another build of ingress.bpf.c with the same constants and maps. */
int dataplane_load_object(struct dataplane *dp, const struct ingress_spec *spec, const char *path,
			  struct fault *fault);

/* --- counters.c: sums over all CPUs, read from mapped memory. -EINVAL: no such number --- */

int counters_interface(const struct dataplane *dp, uint32_t slot,
		       struct xm_interface_counters *out);
int counters_group(const struct dataplane *dp, uint32_t entry, struct xm_group_counters *out);
/* Frames that were too big for the members with the smallest MTU of a slot. */
int counters_slot_too_big(const struct dataplane *dp, uint32_t slot, uint64_t *out);
/* Zeroes a group's counters before its entry is used for another. */
int counters_clear_group(struct dataplane *dp, uint32_t entry);
/* Adds the counters of a slot that is given up to slot `to`, and zeroes them. */
int counters_move_interface(struct dataplane *dp, uint32_t from, uint32_t to);

#endif
