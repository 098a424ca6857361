// SPDX-License-Identifier: GPL-2.0-or-later
/* Pools of inner maps: tight, reused, grown, and what they hold. */
#include "tests/bpf/own.h"

/* The inner map that the kernel finds at a slot. */
static int inner_of(const struct dataplane *dp, uint32_t slot)
{
	uint32_t id = 0;

	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_SET_MAPS], &slot, &id), 0);
	int fd = bpf_map_get_fd_by_id(id);
	assert_true(fd >= 0);
	return fd;
}

static void check_members(struct dataplane *dp, uint32_t slot)
{
	struct pool *pool = dp->set_pool;
	struct bpf_devmap_val value;
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info), key;
	int inner = inner_of(dp, slot);

	assert_int_equal(bpf_obj_get_info_by_fd(inner, &info, &size), 0);
	assert_int_equal(info.max_entries, pool_capacity(pool, slot));
	assert_int_equal(pool_add(pool, slot, 1, index_of("v0"), -1), 0);
	assert_int_equal(pool_add(pool, slot, 2, index_of("v1"), dp->egress_native_fd), 0);
	key = 1;
	assert_int_equal(bpf_map_lookup_elem(inner, &key, &value), 0);
	assert_int_equal(value.ifindex, index_of("v0"));
	assert_int_equal(value.bpf_prog.id, 0);
	key = 2;
	assert_int_equal(bpf_map_lookup_elem(inner, &key, &value), 0);
	assert_int_equal(value.ifindex, index_of("v1"));
	assert_int_equal(value.bpf_prog.id, program_id_of(dp->egress_native_fd));
	assert_int_equal(pool_remove(pool, slot, 1), 0);
	assert_int_equal(pool_remove(pool, slot, 1), 0);
	key = 1;
	assert_int_equal(bpf_map_lookup_elem(inner, &key, &value), -ENOENT);
	assert_int_equal(pool_add(pool, slot, 3, 12345678, -1), -ENODEV);
	/* the device is there, but the program is none for it */
	assert_int_equal(pool_add(pool, slot, 3, index_of("v0"), dp->map_fd[MAP_GRACE]), -EINVAL);
	pool_give(pool, slot);
	assert_int_equal(bpf_map_get_next_key(inner, NULL, &key), -ENOENT);
	assert_int_equal(pool_add(pool, slot, 1, index_of("v0"), -1), -EINVAL);
	close(inner);
}

TEST(pool_members)
{
	make_veth();
	unsigned int files = open_files();
	struct dataplane *dp = open_with(NULL, &small);
	struct pool *pool = dp->set_pool;
	/* members, buckets: the next power of two */
	static const unsigned int sizes[][2] = {{2, 2}, {3, 4}, {5, 8}, {64, 64}};

	assert_false(pool_wants(pool));
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pool_take(pool, sizes[i][0]), 0);
		assert_int_equal(pool_want(pool, sizes[i][0], 1), 0);
		assert_true(pool_wants(pool));
		assert_int_equal(pool_grow(pool), 0);
		assert_false(pool_wants(pool));
		uint32_t slot = pool_take(pool, sizes[i][0]);
		assert_int_not_equal(slot, 0);
		assert_int_equal(pool_capacity(pool, slot), sizes[i][1]);
		check_members(dp, slot);
		assert_int_equal(pool_take(pool, sizes[i][0]), slot); /* the one given back */
	}
	assert_int_equal(pool_want(pool, 1, 1), 0);
	assert_int_equal(pool_grow(pool), 0);
	assert_int_equal(pool_capacity(pool, pool_take(pool, 1)), 1);
	assert_int_equal(pool_want(pool, XM_MEMBERS_MAX, 1), 0);
	assert_int_equal(pool_want(pool, 1025, 1), -E2BIG);
	assert_int_equal(pool_want(dp->exclude_pool, 1025, 1), -E2BIG);
	dataplane_close(dp);
	assert_int_equal(open_files(), files);
	delete_veth();
}

static unsigned int take_all(struct pool *pool, unsigned int members, bool *taken)
{
	unsigned int n = 0;
	uint32_t slot;

	while ((slot = pool_take(pool, members))) {
		assert_false(taken[slot]); /* never the same twice */
		taken[slot] = true;
		n++;
	}
	return n;
}

static void give_all(struct pool *pool, unsigned int slots, bool *taken)
{
	for (uint32_t slot = 1; slot <= slots; slot++) {
		if (taken[slot])
			pool_give(pool, slot);
		taken[slot] = false;
	}
}

TEST(pool_runs_out)
{
	struct dataplane *dp = open_with(NULL, &small);
	struct pool *pool = dp->set_pool;
	const unsigned int slots = dp->sizes.slots;
	bool *taken = calloc(slots + 1, sizeof(*taken));

	assert_int_equal(slots, 128); /* 16 sets: 64 with the chains, twice that many slots */
	assert_int_equal(pool_want(pool, 2, 100), 0);
	assert_int_equal(pool_grow(pool), 0);
	assert_int_equal(take_all(pool, 2, taken), 116); /* 16 in reserve */
	give_all(pool, slots, taken);
	/* the free ones of another size are made anew */
	assert_int_equal(pool_want(pool, 4, slots), 0);
	assert_int_equal(pool_grow(pool), 0);
	assert_int_equal(take_all(pool, 2, taken), 0);
	assert_int_equal(take_all(pool, 4, taken), slots);
	assert_int_equal(pool_want(pool, 8, 1), 0);
	assert_int_equal(pool_grow(pool), -ENOSPC);
	assert_false(pool_wants(pool));
	give_all(pool, slots, taken);
	assert_int_equal(pool_want(pool, 8, 1), 0);
	assert_int_equal(pool_grow(pool), 0);
	assert_int_not_equal(pool_take(pool, 8), 0);
	free(taken);
	dataplane_close(dp);
}

TEST(pool_adopted)
{
	struct dataplane *dp = open_pinned();
	struct pool *pool = dp->set_pool;

	pool_reserve(pool, 1);
	pool_reserve(pool, 3);
	assert_int_equal(pool_add(pool, 1, 1, 1, -1), -EBADF);
	assert_int_equal(pool_capacity(pool, 1), 0);
	assert_int_equal(pool_want(pool, 2, 1), 0);
	assert_int_equal(pool_grow(pool), 0);
	assert_int_equal(pool_take(pool, 2) + pool_take(pool, 2), 2 + 4); /* neither 1 nor 3 */
	pool_give(pool, 1);
	assert_int_equal(pool_take(pool, 2), 0); /* free, but without a map */
	assert_int_equal(pool_want(pool, 2, 1), 0);
	assert_int_equal(pool_grow(pool), 0);
	assert_int_equal(pool_take(pool, 2) + pool_take(pool, 2), 1 + 5);
	unpin(dp);
}

TEST(thousand_slots)
{
	struct limits limits = small;
	unsigned int files = open_files();

	limits.sets = 1024;
	struct dataplane *dp = open_with(NULL, &limits);
	struct pool *pool = dp->set_pool;
	bool *taken = calloc(dp->sizes.slots + 1, sizeof(*taken));
	uint64_t before = dataplane_memory(dp);

	assert_int_equal(pool_want(pool, 2, 1000), 0);
	assert_int_equal(pool_grow(pool), 0);
	assert_int_equal(take_all(pool, 2, taken), 1016);
	for (uint32_t slot = 1; slot <= 1016; slot++)
		close(inner_of(dp, slot)); /* each is there in the kernel */
	assert_true(dataplane_memory(dp) > before);
	give_all(pool, dp->sizes.slots, taken);
	free(taken);
	dataplane_close(dp);
	assert_int_equal(open_files(), files);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pool_members),
	    cmocka_unit_test(pool_runs_out),
	    cmocka_unit_test(pool_adopted),
	    cmocka_unit_test(thousand_slots),
	};
	int r = own_namespaces();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
