/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What we know of each link, what was told of it, and what must be asked again. */
#ifndef XM_NETLINK_CACHE_H
#define XM_NETLINK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "daemon/netlink/netlink.h"

struct record {
	struct link now;  /* the facts, as far as messages were read */
	struct link told; /* those of the last link() call, when is_told */
	bool present;	  /* false: it vanished; freed once that was told */
	bool is_told;
	bool vanished; /* since the last telling, though it may be back: must be told both */
	bool changed;  /* is in cache.changed: compare `now` with `told` when settling */
	bool work;     /* is in cache.work: one of the following, or what its peer depends on */
	bool self_stale, features_stale, driver_stale, peer_stale;
	bool seen;	    /* by the dump that runs */
	unsigned int asked; /* number of the settling that last asked for it anew */
	STAILQ_ENTRY(record) in_work, in_changed;
	unsigned int hid_vlans; /* VLAN offloads that we switched off, bits of offload.c */
};

STAILQ_HEAD(record_list, record);

struct cache {
	struct record_list work, changed; /* so that settling costs nothing per idle link */
	struct record **by_index;	  /* ascending ifindex */
	struct record **by_name;	  /* the present ones by name, when names_valid */
	size_t count, size, named;
	bool names_valid;
};

void cache_init(struct cache *cache);
/* NULL when there is none; also finds records of links that vanished. */
struct record *cache_find(const struct cache *cache, int ifindex);
/* The first record with an ifindex above `ifindex`. Stays right while records come and go. */
struct record *cache_after(const struct cache *cache, int ifindex);
/* A new, absent record. NULL: no memory. */
struct record *cache_add(struct cache *cache, int ifindex);
/* It must be in neither list. */
void cache_remove(struct cache *cache, struct record *record);
/* Puts a record into both lists; again is nothing. */
void cache_touch(struct cache *cache, struct record *record);
/* Takes the first record out of a list. NULL: it is empty. */
struct record *cache_next_work(struct cache *cache);
struct record *cache_next_changed(struct record_list *changed);
/* Only present ones. */
struct record *cache_find_name(struct cache *cache, const char *name);
void cache_free(struct cache *cache);

#endif
