/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/netlink/cache.h"

#include <stdlib.h>
#include <string.h>

void cache_init(struct cache *cache)
{
	*cache = (struct cache){0};
	STAILQ_INIT(&cache->work);
	STAILQ_INIT(&cache->changed);
}

/* Position of the first record whose ifindex is `ifindex` or more. */
static size_t position(const struct cache *cache, int ifindex)
{
	size_t low = 0, high = cache->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (cache->by_index[middle]->now.ifindex < ifindex)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct record *cache_find(const struct cache *cache, int ifindex)
{
	size_t at = position(cache, ifindex);

	if (at == cache->count || cache->by_index[at]->now.ifindex != ifindex)
		return NULL;
	return cache->by_index[at];
}

struct record *cache_after(const struct cache *cache, int ifindex)
{
	size_t at = position(cache, ifindex + 1);

	return at < cache->count ? cache->by_index[at] : NULL;
}

/* Both arrays grow together, so that looking up a name never needs memory. */
static bool grow(struct cache *cache)
{
	size_t size = cache->size ? 2 * cache->size : 64;
	struct record **by_index, **by_name;

	by_index = reallocarray(cache->by_index, size, sizeof(*by_index));
	if (!by_index)
		return false;
	cache->by_index = by_index;
	by_name = reallocarray(cache->by_name, size, sizeof(*by_name));
	if (!by_name)
		return false;
	cache->by_name = by_name;
	cache->size = size;
	return true;
}

struct record *cache_add(struct cache *cache, int ifindex)
{
	struct record *record;
	size_t at;

	if (cache->count == cache->size && !grow(cache))
		return NULL;
	record = calloc(1, sizeof(*record));
	if (!record)
		return NULL;
	record->now.ifindex = ifindex;
	at = position(cache, ifindex);
	memmove(cache->by_index + at + 1, cache->by_index + at,
		(cache->count - at) * sizeof(*cache->by_index));
	cache->by_index[at] = record;
	cache->count++;
	cache->names_valid = false;
	return record;
}

void cache_remove(struct cache *cache, struct record *record)
{
	size_t at = position(cache, record->now.ifindex);

	memmove(cache->by_index + at, cache->by_index + at + 1,
		(cache->count - at - 1) * sizeof(*cache->by_index));
	cache->count--;
	cache->names_valid = false;
	free(record);
}

void cache_touch(struct cache *cache, struct record *record)
{
	if (!record->work)
		STAILQ_INSERT_TAIL(&cache->work, record, in_work);
	if (!record->changed)
		STAILQ_INSERT_TAIL(&cache->changed, record, in_changed);
	record->work = record->changed = true;
}

struct record *cache_next_work(struct cache *cache)
{
	struct record *record = STAILQ_FIRST(&cache->work);

	if (record) {
		STAILQ_REMOVE_HEAD(&cache->work, in_work);
		record->work = false;
	}
	return record;
}

struct record *cache_next_changed(struct record_list *changed)
{
	struct record *record = STAILQ_FIRST(changed);

	if (record) {
		STAILQ_REMOVE_HEAD(changed, in_changed);
		record->changed = false;
	}
	return record;
}

static int compare_names(const void *a, const void *b)
{
	struct record *const *x = a, *const *y = b;

	return strcmp((*x)->now.name, (*y)->now.name);
}

static int compare_name(const void *name, const void *b)
{
	struct record *const *y = b;

	return strcmp(name, (*y)->now.name);
}

struct record *cache_find_name(struct cache *cache, const char *name)
{
	struct record **found;

	if (!cache->names_valid) {
		cache->named = 0;
		for (size_t i = 0; i < cache->count; i++)
			if (cache->by_index[i]->present)
				cache->by_name[cache->named++] = cache->by_index[i];
		if (cache->named)
			qsort(cache->by_name, cache->named, sizeof(*cache->by_name), compare_names);
		cache->names_valid = true;
	}
	if (!cache->named)
		return NULL;
	found = bsearch(name, cache->by_name, cache->named, sizeof(*found), compare_name);
	return found ? *found : NULL;
}

void cache_free(struct cache *cache)
{
	for (size_t i = 0; i < cache->count; i++)
		free(cache->by_index[i]);
	free(cache->by_index);
	free(cache->by_name);
	cache_init(cache);
}
