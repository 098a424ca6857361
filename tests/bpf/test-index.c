// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys, counters and grace periods of the dataplane room. */
#include "tests/bpf/own.h"

static struct xm_entry_record record_of(const char *group, const char *source, uint32_t node)
{
	struct xm_entry_record r = {.used = source ? 2 : 1, .node = node, .key.ingress = 1};
	struct prefix p;
	const char *why;

	assert_int_equal(prefix_parse(group, &p, &why), 0);
	r.key.address = p.address;
	r.len = p.len;
	if (source) {
		assert_int_equal(prefix_parse(source, &p, &why), 0);
		r.source = p.address;
		r.source_len = p.len;
	}
	return r;
}

TEST(index_keys)
{
	struct dataplane *dp = open_with(NULL, &small);
	const struct xm_entry_record records[] = {
	    [1] = record_of("239.1.1.1", NULL, 0),
	    [2] = record_of("239.1.0.0/16", NULL, 0),
	    [3] = record_of("239.1.1.0/24", NULL, 0),
	    [4] = record_of("239.0.0.0/8", NULL, 0),
	    [5] = record_of("239.1.1.1", "10.0.0.1", 1),
	    [6] = record_of("239.1.1.1", "10.0.0.0/8", 1),
	    [7] = record_of("ff15::1", NULL, 0),
	};
	const uint32_t count = 7;

	for (uint32_t e = 1; e <= count; e++)
		assert_int_equal(dataplane_insert(dp, e, &records[e]), 0);
	for (uint32_t e = 1; e <= count; e++) {
		assert_int_equal(dataplane_insert(dp, e, &records[e]), 0); /* adoption */
		assert_int_equal(dataplane_insert(dp, 20, &records[e]), -EEXIST);
		assert_int_equal(dp->entry_records[20].used, 0);
		assert_memory_equal(&dp->entry_records[e], &records[e], sizeof(records[e]));
	}
	uint32_t entry;
	uint64_t address =
	    xm_bucket_address(records[1].key.ingress, records[1].key.address.word[3]);
	bool full;
	assert_int_equal(buckets_find(&dp->buckets, address, 0, &full), 1);
	struct xm_prefix_key lpm = {.prefixlen = 64 + 128, .key = records[1].key};
	const uint32_t longest[] = {3, 2, 4}; /* as the longer ones go */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_PREFIX], &lpm, &entry), 0);
		assert_int_equal(entry, longest[i]);
		assert_int_equal(dataplane_delete(dp, longest[i]), 0);
	}
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_PREFIX], &lpm, &entry), -ENOENT);
	struct xm_source_prefix_key source = {.prefixlen = 32 + 128,
					      .key = {.node = 1, .address = records[5].source}};
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_SOURCE_PREFIX], &source, &entry), 0);
	assert_int_equal(entry, 6);
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_SOURCE_EXACT], &source.key, &entry), 0);
	assert_int_equal(entry, 5);
	dataplane_close(dp);
}

TEST(index_delete)
{
	struct dataplane *dp = open_with(NULL, &small);
	const char *const groups[] = {"239.1.1.1", "239.1.0.0/16"};

	for (int i = 0; i < 2; i++) {
		struct xm_entry_record r = record_of(groups[i], NULL, 0);
		assert_int_equal(dataplane_insert(dp, 1, &r), 0);
		assert_int_equal(dataplane_delete(dp, 1), 0);
		assert_int_equal(dp->entry_records[1].used, 1);
		/* the next one of that key, while the record of the last is there still */
		assert_int_equal(dataplane_insert(dp, 2, &r), 0);
		assert_int_equal(dataplane_delete(dp, 1), 0);
		assert_int_equal(dataplane_insert(dp, 3, &r), -EEXIST);
		dataplane_forget(dp, 1);
		assert_int_equal(dp->entry_records[1].used, 0);
		assert_int_equal(dataplane_delete(dp, 1), -EINVAL);
		assert_int_equal(dataplane_delete(dp, 2), 0);
		dataplane_forget(dp, 2);
		assert_int_equal(dataplane_insert(dp, 3, &r), 0);
		assert_int_equal(dataplane_delete(dp, 3), 0);
		dataplane_forget(dp, 3);
	}
	struct xm_entry_record r = record_of("239.1.1.1", NULL, 0);
	assert_int_equal(dataplane_insert(dp, 0, &r), -EINVAL);
	assert_int_equal(dataplane_insert(dp, dp->sizes.entries + 1, &r), -EINVAL);
	assert_int_equal(dataplane_insert(dp, dp->sizes.entries, &r), 0);
	dataplane_close(dp);
}

/* Both maps that lead from an ifindex to a slot: low and high ones. */
TEST(interface_slots)
{
	struct dataplane *dp = open_with(NULL, &small);
	uint32_t low = 77, high = XM_LOW_IFINDEXES, slot;
	uint64_t low_slot;

	for (int pass = 3; pass <= 4; pass++) {
		assert_int_equal(dataplane_map_interface(dp, low, pass), 0);
		assert_int_equal(dataplane_map_interface(dp, high, pass), 0);
	}
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_LOW_SLOTS], &low, &low_slot), 0);
	assert_int_equal(low_slot, 4);
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_HIGH_SLOTS], &high, &slot), 0);
	assert_int_equal(slot, 4);
	assert_int_equal(dataplane_map_interface(dp, low, small.interfaces + 1), -EINVAL);
	assert_int_equal(dataplane_map_interface(dp, 0, 3), -EINVAL);
	/* after two devices changed names the old slot's owner lets go of what is another's */
	assert_int_equal(dataplane_unmap_interface(dp, low, 3), 0);
	assert_int_equal(dataplane_unmap_interface(dp, high, 3), 0);
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_LOW_SLOTS], &low, &low_slot), 0);
	assert_int_equal(low_slot, 4);
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_HIGH_SLOTS], &high, &slot), 0);
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(dataplane_unmap_interface(dp, low, 4), 0);
		assert_int_equal(dataplane_unmap_interface(dp, high, 4), 0);
	}
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_LOW_SLOTS], &low, &low_slot), 0);
	assert_int_equal(low_slot, 0);
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_HIGH_SLOTS], &high, &slot), -ENOENT);
	dataplane_close(dp);
}

/* --- counters and grace --- */

/* Writes the element of each CPU: behind the word, `words` counters from `first` on. */
static void write_rows(const struct dataplane *dp, enum dataplane_map map, uint32_t index,
		       uint32_t stride, uint64_t first, size_t words)
{
	uint64_t row[64];

	row[0] = 0x77;
	for (size_t i = 0; i < words; i++)
		row[1 + i] = first + i;
	for (int cpu = 0; cpu < dp->cpus; cpu++, index += stride)
		assert_int_equal(bpf_map_update_elem(dp->map_fd[map], &index, row, BPF_ANY), 0);
}

TEST(counters)
{
	const size_t words = sizeof(struct xm_interface_counters) / 8;
	struct dataplane *dp = open_with(NULL, &small);
	struct xm_interface_counters c;
	const uint64_t *end = (uint64_t *)(&c + 1);
	struct xm_group_counters g;
	uint64_t cpus = dp->cpus, too_big[1024], sum;
	uint32_t last = dp->sizes.slots;

	write_rows(dp, MAP_INTERFACES, 1, dp->sizes.interfaces + 1, 100, words);
	write_rows(dp, MAP_INTERFACES, 2, dp->sizes.interfaces + 1, 1000, words);
	write_rows(dp, MAP_ENTRIES, 64, dp->sizes.entries + 1, 5, 3);
	for (uint64_t i = 0; i < cpus; i++)
		too_big[i] = 9;
	assert_int_equal(bpf_map_update_elem(dp->map_fd[MAP_SLOT_TOO_BIG], &last, too_big, BPF_ANY),
			 0);
	assert_int_equal(counters_interface(dp, 1, &c), 0);
	assert_true(c.received == 100 * cpus && c.matched == 101 * cpus);
	assert_true(end[-1] == (100 + words - 1) * cpus);
	assert_int_equal(counters_group(dp, 64, &g), 0);
	assert_true(g.frames == 5 * cpus && g.bytes == 6 * cpus && g.copies == 7 * cpus);
	assert_int_equal(counters_slot_too_big(dp, last, &sum), 0);
	assert_true(sum == 9 * cpus);
	assert_int_equal(counters_clear_group(dp, 64), 0);
	assert_int_equal(counters_group(dp, 64, &g), 0);
	assert_true(!g.frames && !g.bytes && !g.copies);
	assert_true(dataplane_entry(dp, 64) == 0x77); /* the word stays */

	assert_int_equal(counters_move_interface(dp, 1, 2), 0);
	assert_int_equal(counters_interface(dp, 2, &c), 0);
	assert_true(c.received == 1100 * cpus && c.matched == 1102 * cpus);
	assert_true(end[-1] == (1100 + 2 * (words - 1)) * cpus);
	assert_int_equal(counters_interface(dp, 1, &c), 0);
	assert_true(!c.received && !c.matched && !end[-1]);
	assert_true(dataplane_ingress(dp, 1) == 0x77);
	assert_true(counters_group(dp, dp->sizes.entries + 1, &g) < 0);
	assert_true(counters_interface(dp, dp->sizes.interfaces + 1, &c) < 0);
	assert_true(counters_move_interface(dp, 1, dp->sizes.interfaces + 1) < 0);
	dataplane_close(dp);
}

TEST(grace)
{
	struct dataplane *dp = open_pinned();

	for (int i = 0; i < 3; i++)
		assert_int_equal(dataplane_grace(dp), 0);
	unpin(dp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(index_keys),      cmocka_unit_test(index_delete),
	    cmocka_unit_test(interface_slots), cmocka_unit_test(counters),
	    cmocka_unit_test(grace),
	};
	int r = own_namespaces();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
