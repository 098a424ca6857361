/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "daemon/model/table.h"

#define SIZE_MIN 16

/* The slot of what equals `like`, or the empty one where it belongs. */
static size_t find(const struct table *table, const void *like)
{
	uint32_t hash = table->kind->hash(like);
	size_t at = hash & (table->size - 1);

	while (table->slot[at] &&
	       (table->hash[at] != hash || !table->kind->equal(table->slot[at], like)))
		at = (at + 1) & (table->size - 1);
	return at;
}

void *table_find(const struct table *table, const void *like)
{
	return table->size ? table->slot[find(table, like)] : NULL;
}

static void put(struct table *table, void *item, uint32_t hash)
{
	size_t at = hash & (table->size - 1);

	while (table->slot[at])
		at = (at + 1) & (table->size - 1);
	table->slot[at] = item;
	table->hash[at] = hash;
}

int table_reserve(struct table *table, size_t more)
{
	struct table grown = {.kind = table->kind, .size = SIZE_MIN, .count = table->count};

	while (grown.size / 4 * 3 < table->count + more) /* at most three quarters full */
		grown.size *= 2;
	if (grown.size <= table->size)
		return 0;
	grown.slot = calloc(grown.size, sizeof(*grown.slot));
	grown.hash = calloc(grown.size, sizeof(*grown.hash));
	if (!grown.slot || !grown.hash) {
		free(grown.slot);
		free(grown.hash);
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->size; i++)
		if (table->slot[i])
			put(&grown, table->slot[i], table->hash[i]);
	free(table->slot);
	free(table->hash);
	*table = grown;
	return 0;
}

int table_add(struct table *table, void *item)
{
	int r = table_reserve(table, 1);

	if (r < 0)
		return r;
	put(table, item, table->kind->hash(item));
	table->count++;
	return 0;
}

/* Closes the hole, so that no search stops short of an item behind it (Knuth 6.4, R). */
void table_remove(struct table *table, const void *item)
{
	size_t mask = table->size - 1, hole, at;

	if (!table->size)
		return;
	hole = find(table, item);
	if (!table->slot[hole])
		return;
	table->slot[hole] = NULL;
	table->count--;
	for (at = (hole + 1) & mask; table->slot[at]; at = (at + 1) & mask) {
		size_t home = table->hash[at] & mask;

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		table->slot[hole] = table->slot[at];
		table->hash[hole] = table->hash[at];
		table->slot[at] = NULL;
		hole = at;
	}
}

void table_clear(struct table *table, void (*f)(void *item))
{
	for (size_t i = 0; f && i < table->size; i++)
		if (table->slot[i])
			f(table->slot[i]);
	free(table->slot);
	free(table->hash);
	*table = (struct table){.kind = table->kind};
}
