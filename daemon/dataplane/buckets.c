// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/dataplane/buckets.h"

#include <stdatomic.h>
#include <stddef.h>

/* One store that every CPU sees whole; a killed writer has done what precedes it. */
static void store(__u64 *word, uint64_t value)
{
	atomic_store_explicit((_Atomic __u64 *)word, value, memory_order_release);
}

uint32_t buckets_homes(unsigned int keys)
{
	uint32_t homes = XM_PROBES;

	while (homes < keys + keys / 4)
		homes *= 2;
	return homes;
}

static struct xm_bucket *home_of(const struct buckets *b, uint64_t address, uint32_t vlan)
{
	return &b->at[xm_bucket_hash(address, vlan) & b->mask];
}

static struct xm_bucket *find(const struct buckets *b, uint64_t address, uint32_t vlan, bool *full)
{
	struct xm_bucket *at = home_of(b, address, vlan), *end = at + XM_PROBES;

	*full = false;
	for (; at < end && at->address != XM_BUCKET_EMPTY; at++)
		if (at->address == address && at->entry && at->entry >> 32 == vlan)
			return at;
	*full = at == end;
	return NULL;
}

uint32_t buckets_find(const struct buckets *b, uint64_t address, uint32_t vlan, bool *full)
{
	const struct xm_bucket *found = find(b, address, vlan, full);

	return found ? (uint32_t)found->entry : 0;
}

bool buckets_insert(struct buckets *b, uint64_t address, uint32_t vlan, uint32_t entry)
{
	struct xm_bucket *at = home_of(b, address, vlan), *end = at + XM_PROBES;

	while (at < end && at->entry)
		at++;
	if (at == end)
		return false;
	store(&at->address, address);
	store(&at->entry, xm_bucket_entry(vlan, entry));
	return true;
}

/* Behind an empty bucket no reader looks: those before it that were left can be empty, too. */
static void empty_back(struct buckets *b, struct xm_bucket *at)
{
	if (b->elsewhere || at[1].address != XM_BUCKET_EMPTY)
		return;
	for (; at >= b->at && !at->entry && at->address != XM_BUCKET_EMPTY; at--)
		store(&at->address, XM_BUCKET_EMPTY);
}

bool buckets_delete(struct buckets *b, uint64_t address, uint32_t vlan)
{
	bool full;
	struct xm_bucket *at = find(b, address, vlan, &full);

	if (!at)
		return false;
	store(&at->entry, 0);
	store(&at->address, XM_BUCKET_LEFT);
	empty_back(b, at);
	return true;
}

void buckets_sweep(struct buckets *b)
{
	for (uint32_t i = b->mask + XM_PROBES; i-- > 0;)
		empty_back(b, &b->at[i]);
}
