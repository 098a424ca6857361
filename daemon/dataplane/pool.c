// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pool of inner maps that already sit in an outer map. Writing the outer map waits for a
 * grace period (8 to 50 ms, before 6.12 one for each element), so it only happens in
 * pool_grow(), and an event finds its slot ready. The kernel walks every bucket of a
 * devmap for every frame, so each map is exactly the next power of two of its members.
 *
 * A slot is BARE (no map that we know), FREE (an empty map waits in the list of its class)
 * or USED. Taking and giving move it between the last two without a system call.
 */
#include "daemon/dataplane/internal.h"

#include <errno.h>
#include <stdlib.h>

#define CLASSES	 (10 + 1) /* 1, 2, 4, ... 1024 buckets */
#define RESERVE	 16	  /* most slots made beyond what was wanted */
#define BATCH	 256	  /* elements written with one system call */
#define NO_CLASS 255
#define LIST_END 0

enum state { BARE, FREE, USED };

struct slot {
	int fd;	       /* its map, -1 unknown */
	uint32_t next; /* in the list of free slots of its class */
	uint8_t class; /* log2 of the buckets; NO_CLASS without a map */
	uint8_t state;
};

struct pool {
	int outer_fd; /* the dataplane's */
	unsigned int slots, classes, bare;
	uint32_t first_bare; /* no bare slot is below */
	uint32_t free[CLASSES];
	unsigned int wanted[CLASSES];
	struct slot *slot; /* 1..slots */
};

/* log2 of the next power of two; `classes` when too many. */
static unsigned int class_of(const struct pool *pool, unsigned int members)
{
	unsigned int class = 0;

	while (class < pool->classes && 1U << class < members)
		class ++;
	return class;
}

static bool known(const struct pool *pool, uint32_t slot)
{
	return slot && slot <= pool->slots;
}

int pool_new(struct pool **out, int outer_fd, unsigned int slots, unsigned int members)
{
	struct pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return -ENOMEM;
	pool->slot = calloc(slots + 1, sizeof(*pool->slot));
	if (!pool->slot) {
		free(pool);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i <= slots; i++)
		pool->slot[i] = (struct slot){.fd = -1, .class = NO_CLASS};
	pool->outer_fd = outer_fd;
	pool->slots = pool->bare = slots;
	pool->first_bare = 1;
	pool->classes = CLASSES;
	pool->classes = class_of(pool, members) + 1;
	if (pool->classes > CLASSES)
		pool->classes = CLASSES;
	*out = pool;
	return 0;
}

void pool_free(struct pool *pool)
{
	if (!pool)
		return;
	for (uint32_t i = 1; i <= pool->slots; i++)
		closep(&pool->slot[i].fd);
	free(pool->slot);
	free(pool);
}

static void put_free(struct pool *pool, uint32_t slot)
{
	struct slot *s = &pool->slot[slot];

	s->state = FREE;
	s->next = pool->free[s->class];
	pool->free[s->class] = slot;
}

static uint32_t get_free(struct pool *pool, unsigned int class)
{
	uint32_t slot = pool->free[class];

	if (slot != LIST_END)
		pool->free[class] = pool->slot[slot].next;
	return slot;
}

/* Forgets the slot's map: the outer map holds it until another is written over it. */
static void make_bare(struct pool *pool, uint32_t slot)
{
	struct slot *s = &pool->slot[slot];

	closep(&s->fd);
	*s = (struct slot){.fd = -1, .class = NO_CLASS, .state = BARE};
	pool->bare++;
	if (slot < pool->first_bare)
		pool->first_bare = slot;
}

uint32_t pool_take(struct pool *pool, unsigned int members)
{
	unsigned int class = class_of(pool, members);
	uint32_t slot = class < pool->classes ? get_free(pool, class) : 0;

	if (slot)
		pool->slot[slot].state = USED;
	return slot;
}

/* Deletes all keys, also those that user space never saw. */
static int clear(int fd)
{
	uint32_t key;
	int r;

	while (!(r = bpf_map_get_next_key(fd, NULL, &key))) {
		r = bpf_map_delete_elem(fd, &key);
		if (r < 0 && r != -ENOENT) /* gone with its device in between */
			return r;
	}
	return r == -ENOENT ? 0 : r;
}

void pool_give(struct pool *pool, uint32_t slot)
{
	struct slot *s = known(pool, slot) ? &pool->slot[slot] : NULL;

	if (!s || s->state != USED)
		return;
	if (s->fd < 0 || clear(s->fd) < 0)
		make_bare(pool, slot);
	else
		put_free(pool, slot);
}

static void unlink_free(struct pool *pool, uint32_t slot)
{
	uint32_t *at = &pool->free[pool->slot[slot].class];

	while (*at != slot)
		at = &pool->slot[*at].next;
	*at = pool->slot[slot].next;
}

void pool_reserve(struct pool *pool, uint32_t slot)
{
	if (!known(pool, slot))
		return;
	if (pool->slot[slot].state == FREE)
		unlink_free(pool, slot);
	else if (pool->slot[slot].state == BARE)
		pool->bare--;
	pool->slot[slot].state = USED;
}

int pool_want(struct pool *pool, unsigned int members, unsigned int count)
{
	unsigned int class = class_of(pool, members);

	if (class >= pool->classes)
		return -E2BIG;
	pool->wanted[class] += count;
	return 0;
}

bool pool_wants(const struct pool *pool)
{
	for (unsigned int c = 0; c < pool->classes; c++)
		if (pool->wanted[c])
			return true;
	return false;
}

unsigned int pool_capacity(const struct pool *pool, uint32_t slot)
{
	if (!known(pool, slot) || pool->slot[slot].class == NO_CLASS)
		return 0;
	return 1U << pool->slot[slot].class;
}

static uint32_t next_bare(struct pool *pool)
{
	if (!pool->bare)
		return 0;
	while (pool->slot[pool->first_bare].state != BARE)
		pool->first_bare++;
	return pool->first_bare;
}

/* A bare slot; else the free slot of a class that nobody wants now. 0: all are taken. */
static uint32_t find_slot(struct pool *pool, unsigned int class, bool may_rob)
{
	uint32_t slot = next_bare(pool);

	for (unsigned int c = 0; !slot && may_rob && c < pool->classes; c++) {
		if (c == class || pool->wanted[c] || !pool->free[c])
			continue;
		make_bare(pool, get_free(pool, c));
		slot = next_bare(pool);
	}
	return slot;
}

/* New maps that still have to be written into the outer map. */
struct growth {
	unsigned int count;
	uint32_t slot[BATCH];
	uint32_t fd[BATCH];
};

/* Writes what it can; *done: how many. Before 5.13 maps of maps took no batch. */
static int write_outer(struct pool *pool, struct growth *g, unsigned int *done)
{
	uint32_t count = g->count;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	int r = bpf_map_update_batch(pool->outer_fd, g->slot, g->fd, &count, &opts);

	*done = r < 0 ? 0 : g->count;
	while (*done < g->count) {
		r = bpf_map_update_elem(pool->outer_fd, &g->slot[*done], &g->fd[*done], BPF_ANY);
		if (r < 0)
			return r;
		(*done)++;
	}
	return 0;
}

static int flush(struct pool *pool, struct growth *g)
{
	unsigned int done = 0;
	int r = g->count ? write_outer(pool, g, &done) : 0;

	for (unsigned int i = 0; i < g->count; i++) {
		if (i < done)
			put_free(pool, g->slot[i]);
		else
			make_bare(pool, g->slot[i]);
	}
	g->count = 0;
	return r;
}

static int grow_one(struct pool *pool, struct growth *g, unsigned int class, bool may_rob)
{
	uint32_t slot = find_slot(pool, class, may_rob);
	int fd = slot ? devmap_create(1U << class) : -ENOSPC;

	if (fd < 0)
		return fd;
	pool->slot[slot] = (struct slot){.fd = fd, .class = class, .state = USED};
	pool->bare--;
	g->slot[g->count] = slot;
	g->fd[g->count++] = fd;
	return g->count == BATCH ? flush(pool, g) : 0;
}

static unsigned int reserve_of(unsigned int wanted)
{
	return wanted < RESERVE ? wanted : RESERVE;
}

int pool_grow(struct pool *pool)
{
	unsigned int reserve[CLASSES] = {};
	struct growth growth = {};
	int r = 0, more = 0, flushed;

	for (unsigned int c = 0; !r && c < pool->classes; c++) {
		reserve[c] = reserve_of(pool->wanted[c]);
		for (unsigned int i = 0; !r && i < pool->wanted[c]; i++)
			r = grow_one(pool, &growth, c, true);
	}
	for (unsigned int c = 0; c < pool->classes; c++) {
		pool->wanted[c] = 0;
		/* what nobody waits for may fail */
		for (unsigned int i = 0; !r && !more && pool->bare && i < reserve[c]; i++)
			more = grow_one(pool, &growth, c, false);
	}
	flushed = flush(pool, &growth);
	return r ? r : flushed;
}

static int map_of(const struct pool *pool, uint32_t slot)
{
	if (!known(pool, slot) || pool->slot[slot].state != USED)
		return -EINVAL;
	return pool->slot[slot].fd < 0 ? -EBADF : pool->slot[slot].fd;
}

int pool_add(struct pool *pool, uint32_t slot, uint32_t key, int ifindex, int program)
{
	int fd = map_of(pool, slot);

	return fd < 0 ? fd : devmap_write(fd, key, ifindex, program);
}

int pool_remove(struct pool *pool, uint32_t slot, uint32_t key)
{
	int fd = map_of(pool, slot), r;

	if (fd < 0)
		return fd;
	r = bpf_map_delete_elem(fd, &key);
	return r == -ENOENT ? 0 : r;
}

bool pool_has(struct pool *pool, uint32_t slot, uint32_t key)
{
	struct bpf_devmap_val value;
	int fd = map_of(pool, slot);

	return fd >= 0 && bpf_map_lookup_elem(fd, &key, &value) != -ENOENT;
}

int pool_duplicate(const struct pool *pool, uint32_t slot)
{
	return known(pool, slot) && pool->slot[slot].fd >= 0 ? duplicate_fd(pool->slot[slot].fd)
							     : -EBADF;
}

/* Maps of one class are of one size: one of each is asked. */
uint64_t pool_memory(const struct pool *pool)
{
	uint64_t of_class[CLASSES] = {}, sum = 0;

	for (uint32_t i = 1; i <= pool->slots; i++) {
		const struct slot *s = &pool->slot[i];
		if (s->fd < 0)
			continue;
		if (!of_class[s->class])
			of_class[s->class] = fd_memory(s->fd);
		sum += of_class[s->class];
	}
	return sum;
}
