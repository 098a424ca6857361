/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of pointers (open addressing). Items are found by content, so a
 * caller looks for one with a look-alike on its stack. Items stay the caller's.
 */
#ifndef XM_MODEL_TABLE_H
#define XM_MODEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_kind {
	uint64_t (*hash)(const void *item);
	bool (*equal)(const void *a, const void *b);
};

struct table {
	const struct table_kind *kind; /* set by the owner; the rest zero is empty */
	void **slot;		       /* NULL: free */
	uint32_t *hash;		       /* of the item there: a look at most items is saved */
	size_t size;		       /* a power of two, or 0 */
	size_t count;
};

void *table_find(const struct table *table, const void *like); /* NULL: not there */
/* Makes room so that the next `more` calls of table_add() cannot fail. 0 or -ENOMEM. */
int table_reserve(struct table *table, size_t more);
/* `item` must not be there yet. 0 or -ENOMEM. */
int table_add(struct table *table, void *item);
void table_remove(struct table *table, const void *item);
/* Calls f for every item, in no order, then forgets them all and frees the table. */
void table_clear(struct table *table, void (*f)(void *item));

/* Mixes one more word into a hash. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL; /* 2^64 / golden ratio: Knuth 6.4 */
	return hash ^ hash >> 32;
}

static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 0x100000001b3ULL; /* FNV-1a */
	return hash_word(hash, 0);
}

#endif
