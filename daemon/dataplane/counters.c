// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words and counters in the mapped rows: one row of elements for each possible CPU, and one for
 * what was carried over from an earlier layout. Each CPU adds to its own; reading is adding up,
 * writing a word is writing it to all.
 */
#include "daemon/dataplane/succession.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t entry_stride(const struct dataplane *dp)
{
	return dp->sizes.entries + 1;
}

static size_t interface_stride(const struct dataplane *dp)
{
	return dp->sizes.interfaces + 1;
}

int dataplane_rows(const struct dataplane *dp)
{
	return dp->cpus + 1;
}

struct xm_entry_row *carried_entry(struct dataplane *dp, uint32_t entry)
{
	return &dp->entries[dp->cpus * entry_stride(dp) + entry];
}

struct xm_interface_row *carried_interface(struct dataplane *dp, uint32_t slot)
{
	return &dp->interfaces[dp->cpus * interface_stride(dp) + slot];
}

/*
 * Where nothing was carried over, which is nearly always, the last row says nothing but zero;
 * mapped pages count as the daemon's memory, and so this one's go.
 */
void carried_release(struct dataplane *dp)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *end = (char *)dp->entries + dp->mapped[MAP_ENTRIES],
	     *row = (char *)carried_entry(dp, 0);
	char *from = row + (page - (uintptr_t)row % page) % page;

	if ((dp->succession && dp->succession->count) || from >= end)
		return;
	for (const uint64_t *word = (void *)from; word < (uint64_t *)end; word++)
		if (*word)
			return;
	mmap(from, end - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

uint64_t dataplane_entry(const struct dataplane *dp, uint32_t entry)
{
	return dp->entries[entry].word;
}

void dataplane_store_entry(struct dataplane *dp, uint32_t entry, uint64_t word)
{
	for (int cpu = 0; cpu < dp->cpus; cpu++)
		word_store(&dp->entries[cpu * entry_stride(dp) + entry].word, word);
}

uint64_t dataplane_ingress(const struct dataplane *dp, uint32_t slot)
{
	return dp->interfaces[slot].word;
}

void dataplane_store_ingress(struct dataplane *dp, uint32_t slot, uint64_t word)
{
	for (int cpu = 0; cpu < dp->cpus; cpu++)
		word_store(&dp->interfaces[cpu * interface_stride(dp) + slot].word, word);
}

/* Adds `size` bytes of u64 counters to those of `to`. */
static void add(void *to, const void *from, size_t size)
{
	volatile const uint64_t *source = from; /* the kernel adds to it meanwhile */
	uint64_t *sum = to;

	for (size_t i = 0; i < size / sizeof(*sum); i++)
		sum[i] += source[i];
}

int counters_interface(const struct dataplane *dp, uint32_t slot, struct xm_interface_counters *out)
{
	if (slot > dp->sizes.interfaces)
		return -EINVAL;
	*out = (struct xm_interface_counters){0};
	for (int row = 0; row < dataplane_rows(dp); row++)
		add(out, &dp->interfaces[row * interface_stride(dp) + slot].counters, sizeof(*out));
	return 0;
}

int counters_group(const struct dataplane *dp, uint32_t entry, struct xm_group_counters *out)
{
	if (entry > dp->sizes.entries)
		return -EINVAL;
	*out = (struct xm_group_counters){0};
	for (int row = 0; row < dataplane_rows(dp); row++)
		add(out, &dp->entries[row * entry_stride(dp) + entry].counters, sizeof(*out));
	return 0;
}

int counters_slot_too_big(const struct dataplane *dp, uint32_t slot, uint64_t *out)
{
	_cleanup_free_ uint64_t *counts = calloc(dp->possible_cpus, sizeof(*counts));
	int r = counts ? bpf_map_lookup_elem(dp->map_fd[MAP_SLOT_TOO_BIG], &slot, counts) : -ENOMEM;

	*out = 0;
	for (int i = 0; !r && i < dp->possible_cpus; i++)
		*out += counts[i];
	return r;
}

int counters_clear_group(struct dataplane *dp, uint32_t entry)
{
	if (entry > dp->sizes.entries)
		return -EINVAL;
	for (int row = 0; row < dataplane_rows(dp); row++) {
		struct xm_group_counters *c = &dp->entries[row * entry_stride(dp) + entry].counters;
		if (c->frames | c->bytes | c->copies) /* else not written: carried_release() */
			memset(c, 0, sizeof(*c));
	}
	return 0;
}

/* Nothing may count at either slot meanwhile. */
int counters_move_interface(struct dataplane *dp, uint32_t from, uint32_t to)
{
	if (from > dp->sizes.interfaces || to > dp->sizes.interfaces)
		return -EINVAL;
	for (int row = 0; from != to && row < dataplane_rows(dp); row++) {
		struct xm_interface_row *rows = &dp->interfaces[row * interface_stride(dp)];
		add(&rows[to].counters, &rows[from].counters, sizeof(rows->counters));
		memset(&rows[from].counters, 0, sizeof(rows->counters));
	}
	return 0;
}
