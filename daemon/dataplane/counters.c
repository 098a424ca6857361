// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters are u64s in per-CPU arrays, so each of these structs is a row of words: an
 * element is read as one row per possible CPU, and rows are added up.
 */
#include "daemon/dataplane/internal.h"

#include <errno.h>
#include <stdlib.h>

#define WORDS_OF(type) (sizeof(type) / sizeof(uint64_t))

_Static_assert(sizeof(struct xm_interface_counters) % 8 == 0, "a row of words");
_Static_assert(sizeof(struct xm_group_counters) % 8 == 0, "a row of words");
_Static_assert(sizeof(struct xm_slot_counters) % 8 == 0, "a row of words");

/* All rows of an element; NULL: errno is set. free() it. */
static uint64_t *read_rows(const struct dataplane *dp, enum dataplane_map map, uint32_t index,
			   size_t words)
{
	uint64_t *rows = calloc(dp->cpus, words * sizeof(*rows));
	int r = rows ? bpf_map_lookup_elem(dp->map_fd[map], &index, rows) : -ENOMEM;

	if (r < 0) {
		free(rows);
		errno = -r;
		return NULL;
	}
	return rows;
}

static int sum(const struct dataplane *dp, enum dataplane_map map, uint32_t index, void *out,
	       size_t words)
{
	_cleanup_free_ uint64_t *rows = read_rows(dp, map, index, words);
	uint64_t *total = out;

	if (!rows)
		return -errno;
	for (size_t w = 0; w < words; w++) {
		total[w] = 0;
		for (int cpu = 0; cpu < dp->cpus; cpu++)
			total[w] += rows[cpu * words + w];
	}
	return 0;
}

static int write_rows(const struct dataplane *dp, enum dataplane_map map, uint32_t index,
		      const uint64_t *rows)
{
	return bpf_map_update_elem(dp->map_fd[map], &index, rows, BPF_EXIST);
}

int counters_interface(struct dataplane *dp, uint32_t slot, struct xm_interface_counters *out)
{
	return sum(dp, MAP_INTERFACE_COUNTERS, slot, out, WORDS_OF(*out));
}

int counters_group(struct dataplane *dp, uint32_t entry, struct xm_group_counters *out)
{
	return sum(dp, MAP_GROUP_COUNTERS, entry, out, WORDS_OF(*out));
}

int counters_slot(struct dataplane *dp, uint32_t slot, struct xm_slot_counters *out)
{
	return sum(dp, MAP_SLOT_COUNTERS, slot, out, WORDS_OF(*out));
}

static int clear(struct dataplane *dp, enum dataplane_map map, uint32_t index, size_t words)
{
	_cleanup_free_ uint64_t *zero = calloc(dp->cpus, words * sizeof(*zero));

	return zero ? write_rows(dp, map, index, zero) : -ENOMEM;
}

int counters_clear_group(struct dataplane *dp, uint32_t entry)
{
	return clear(dp, MAP_GROUP_COUNTERS, entry, WORDS_OF(struct xm_group_counters));
}

/*
 * Nothing may count at either slot meanwhile: a row is read and written back. What is kept
 * of a flush that is under way (flush_excluded) means nothing at another slot.
 */
int counters_move_interface(struct dataplane *dp, uint32_t from, uint32_t to)
{
	const size_t words = WORDS_OF(struct xm_interface_counters);
	_cleanup_free_ uint64_t *given = read_rows(dp, MAP_INTERFACE_COUNTERS, from, words);
	_cleanup_free_ uint64_t *kept = read_rows(dp, MAP_INTERFACE_COUNTERS, to, words);
	int r;

	if (!given || !kept)
		return -errno;
	if (from == to)
		return 0;
	for (int cpu = 0; cpu < dp->cpus; cpu++) {
		struct xm_interface_counters *g = (void *)(given + cpu * words);
		g->flush_excluded = 0;
		for (size_t w = 0; w < words; w++)
			kept[cpu * words + w] += given[cpu * words + w];
	}
	r = write_rows(dp, MAP_INTERFACE_COUNTERS, to, kept);
	return r < 0 ? r : clear(dp, MAP_INTERFACE_COUNTERS, from, words);
}
