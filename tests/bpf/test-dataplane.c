// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dataplane room against the running kernel: maps, pins, adoption, attaching. In a network
 * and mount namespace of its own, with a BPF file system of its own: all of it ends with us.
 *
 *    v0 ---- v1        made anew for each test that attaches
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/dataplane/dataplane.h"

#define TEST(name) static void name(void **of_cmocka __attribute__((unused)))
#define BPFFS	   "/sys/fs/bpf"
#define PIN_BASE   BPFFS "/xmcast"

static struct limits small = {
    .groups = 64, .entries = 64, .sets = 16, .members = 64, .interfaces = 8};

static int run(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void must(const char *command)
{
	if (run(command))
		fail_msg("failed: %s", command);
}

static unsigned int entries_of(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int n = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

/* Without the one that reads them. */
static unsigned int open_files(void)
{
	return entries_of("/proc/self/fd") - 1;
}

static struct dataplane *open_with(const char *bpffs, const struct limits *limits)
{
	struct dataplane *dp = NULL;
	struct fault fault = {};
	int r = dataplane_open(&dp, bpffs, limits, &fault);

	if (r)
		fail_msg("dataplane_open: %d: %s", r, fault.text);
	return dp;
}

static struct dataplane *open_pinned(void)
{
	return open_with(PIN_BASE, &small);
}

static void unpin(struct dataplane *dp)
{
	assert_int_equal(dataplane_unpin(dp), 0);
	dataplane_close(dp);
	assert_int_equal(access(PIN_BASE, F_OK), -1);
}

static int refused(const char *bpffs, const struct limits *limits, struct fault *fault)
{
	struct dataplane *dp = NULL;
	unsigned int files = open_files();
	int r = dataplane_open(&dp, bpffs, limits, fault);

	assert_null(dp);
	assert_int_equal(open_files(), files);
	return r;
}

static void make_veth(void)
{
	must("ip link del v0 2>/dev/null; ip link add v0 type veth peer name v1 && ip link set v0 "
	     "up && ip link set v1 up");
}

static void delete_veth(void)
{
	must("ip link del v0");
}

static int index_of(const char *name)
{
	int index = if_nametoindex(name);

	assert_int_not_equal(index, 0);
	return index;
}

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

/* --- maps and pins --- */

TEST(unpinned)
{
	unsigned int files = open_files(), before = entries_of(BPFFS);
	struct dataplane *dp = open_with(NULL, &small);

	assert_string_equal(dp->pin_dir, "");
	assert_false(dp->adopted);
	assert_int_equal(entries_of(BPFFS), before);
	assert_true(dp->egress_native_fd >= 0 && dp->egress_generic_fd >= 0);
	/* 65 words of entries alone take a page */
	assert_true(dataplane_memory(dp) > 4096);
	dataplane_close(dp);
	assert_int_equal(open_files(), files);
	dataplane_close(NULL);
}

TEST(adoption)
{
	unsigned int files = open_files();
	struct dataplane *dp = open_pinned();
	struct stat st;

	assert_false(dp->adopted);
	assert_int_equal(stat(dp->pin_dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	/* all maps but the private one, two egress programs, two links */
	assert_int_equal(entries_of(dp->pin_dir), MAPS - 1 + 4);
	word_store(&dp->entries[64], 0x1122334455667788ULL);
	word_store(&dp->sets[dp->sizes.sets], 7);
	word_store(&dp->ingresses[8], 9);
	snprintf(dp->interface_records[8].name, XM_NAME_LEN, "last");
	dp->entry_records[64].used = 1;
	dataplane_close(dp);
	assert_int_equal(open_files(), files);

	dp = open_pinned();
	assert_true(dp->adopted);
	assert_true(dp->entries[64] == 0x1122334455667788ULL);
	assert_true(dp->sets[dp->sizes.sets] == 7 && dp->ingresses[8] == 9);
	assert_string_equal(dp->interface_records[8].name, "last");
	assert_int_equal(dp->entry_records[64].used, 1);
	/* the records lie where the kernel has them, not only where C thinks */
	struct xm_interface_record record;
	uint32_t key = 8;
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_INTERFACE_RECORDS], &key, &record), 0);
	assert_string_equal(record.name, "last");
	unpin(dp);
	assert_int_equal(open_files(), files);
}

TEST(other_sizes)
{
	struct limits more[] = {small, small, small};
	static const char *const names[] = {"limit entries", "limit sets", "limit interfaces"};
	struct fault fault;

	dataplane_close(open_pinned());
	more[0].entries *= 2;
	more[1].sets *= 2;
	more[2].interfaces += 1;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(refused(PIN_BASE, &more[i], &fault), -EUCLEAN);
		assert_non_null(strstr(fault.text, names[i]));
		assert_non_null(strstr(fault.text, "--purge"));
	}
	unpin(open_pinned()); /* untouched by the refusals */
}

TEST(one_writer)
{
	struct dataplane *dp = open_pinned();
	struct fault fault;

	assert_int_equal(refused(PIN_BASE, &small, &fault), -EBUSY);
	assert_non_null(strstr(fault.text, "another xmcastd"));
	unpin(dp);
}

TEST(not_a_bpffs)
{
	struct fault fault;

	assert_int_equal(refused("/tmp/xmcast-none", &small, &fault), -EINVAL);
	assert_non_null(strstr(fault.text, "mount -t bpf bpf /tmp"));
	assert_int_equal(access("/tmp/xmcast-none", F_OK), -1);
	assert_int_equal(refused("relative", &small, &fault), -EINVAL);
	assert_true(refused(BPFFS "/a.b", &small, &fault) < 0);
	assert_non_null(strstr(fault.text, "dots"));
}

TEST(half_made)
{
	static const char *const lost[] = {"exact", "entry_records", "egress_generic"};
	char path[320];

	for (int i = 0; i < 3; i++) {
		struct dataplane *dp = open_pinned();
		snprintf(path, sizeof(path), "%s/%s", dp->pin_dir, lost[i]);
		word_store(&dp->entries[1], 1);
		dataplane_close(dp);
		assert_int_equal(unlink(path), 0);
		dp = open_pinned();
		assert_false(dp->adopted);
		assert_true(dp->entries[1] == 0);
		unpin(dp);
	}
}

TEST(lost_link)
{
	struct dataplane *dp = open_pinned();
	char path[320];

	snprintf(path, sizeof(path), "%s/trace_xmit", dp->pin_dir);
	dataplane_close(dp);
	assert_int_equal(unlink(path), 0);
	dp = open_pinned();
	assert_true(dp->adopted);
	assert_int_equal(access(path, F_OK), 0);
	unpin(dp);
}

static int in_other_namespace(void)
{
	struct dataplane *dp = NULL;
	struct fault fault;

	if (unshare(CLONE_NEWNET) || dataplane_open(&dp, PIN_BASE, &small, &fault))
		return 1;
	if (dp->adopted || dp->entries[1])
		return 2;
	return dataplane_unpin(dp) ? 3 : 0;
}

TEST(namespaces_are_apart)
{
	struct dataplane *dp = open_pinned();
	int status;

	word_store(&dp->entries[1], 5);
	pid_t pid = fork();
	if (!pid)
		_exit(in_other_namespace());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(entries_of(PIN_BASE), 1);
	unpin(dp);
}

/* --- index --- */

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
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_EXACT], &records[1].key, &entry), 0);
	assert_int_equal(entry, 1);
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
	assert_int_equal(dataplane_insert(dp, small.entries + 1, &r), -EINVAL);
	assert_int_equal(dataplane_insert(dp, small.entries, &r), 0);
	dataplane_close(dp);
}

TEST(interface_slots)
{
	struct dataplane *dp = open_with(NULL, &small);
	uint32_t index = 77, slot;

	assert_int_equal(dataplane_map_interface(dp, index, 3), 0);
	assert_int_equal(dataplane_map_interface(dp, index, 4), 0);
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_INTERFACE_SLOTS], &index, &slot), 0);
	assert_int_equal(slot, 4);
	assert_int_equal(dataplane_map_interface(dp, index, small.interfaces + 1), -EINVAL);
	assert_int_equal(dataplane_unmap_interface(dp, index), 0);
	assert_int_equal(dataplane_unmap_interface(dp, index), 0);
	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_INTERFACE_SLOTS], &index, &slot),
			 -ENOENT);
	dataplane_close(dp);
}

/* --- counters and grace --- */

static void write_counters(const struct dataplane *dp, enum dataplane_map map, uint32_t index,
			   uint64_t first, size_t words)
{
	uint64_t *rows = calloc(dp->cpus, words * sizeof(*rows));

	for (size_t i = 0; i < dp->cpus * words; i++)
		rows[i] = first + i % words; /* the same on each CPU */
	assert_int_equal(bpf_map_update_elem(dp->map_fd[map], &index, rows, BPF_ANY), 0);
	free(rows);
}

TEST(counters)
{
	const size_t words = sizeof(struct xm_interface_counters) / 8;
	struct dataplane *dp = open_with(NULL, &small);
	struct xm_interface_counters c;
	struct xm_group_counters g;
	struct xm_slot_counters s;
	uint64_t cpus = dp->cpus;

	write_counters(dp, MAP_INTERFACE_COUNTERS, 1, 100, words);
	write_counters(dp, MAP_INTERFACE_COUNTERS, 2, 1000, words);
	write_counters(dp, MAP_GROUP_COUNTERS, 64, 5, 3);
	write_counters(dp, MAP_SLOT_COUNTERS, dp->sizes.slots, 8, 2);
	assert_int_equal(counters_interface(dp, 1, &c), 0);
	assert_true(c.received == 100 * cpus && c.matched == 101 * cpus);
	assert_true(c.flush_excluded == (100 + words - 1) * cpus);
	assert_int_equal(counters_group(dp, 64, &g), 0);
	assert_true(g.frames == 5 * cpus && g.bytes == 6 * cpus && g.copies == 7 * cpus);
	assert_int_equal(counters_slot(dp, dp->sizes.slots, &s), 0);
	assert_true(s.frames == 8 * cpus && s.too_big == 9 * cpus);
	assert_int_equal(counters_clear_group(dp, 64), 0);
	assert_int_equal(counters_group(dp, 64, &g), 0);
	assert_true(!g.frames && !g.bytes && !g.copies);

	assert_int_equal(counters_move_interface(dp, 1, 2), 0);
	assert_int_equal(counters_interface(dp, 2, &c), 0);
	assert_true(c.received == 1100 * cpus && c.matched == 1102 * cpus);
	assert_true(c.flush_excluded == (1000 + words - 1) * cpus);
	assert_int_equal(counters_interface(dp, 1, &c), 0);
	assert_true(!c.received && !c.matched && !c.flush_excluded);
	assert_true(counters_group(dp, small.entries + 1, &g) < 0);
	dataplane_close(dp);
}

TEST(grace)
{
	struct dataplane *dp = open_pinned();

	for (int i = 0; i < 3; i++)
		assert_int_equal(dataplane_grace(dp), 0);
	unpin(dp);
}

/* --- pools --- */

/* The inner map that the kernel finds at a slot. */
static int inner_of(const struct dataplane *dp, uint32_t slot)
{
	uint32_t id = 0;

	assert_int_equal(bpf_map_lookup_elem(dp->map_fd[MAP_SET_MAPS], &slot, &id), 0);
	int fd = bpf_map_get_fd_by_id(id);
	assert_true(fd >= 0);
	return fd;
}

static uint32_t program_id_of(int fd)
{
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &size), 0);
	return info.id;
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
	assert_true(pool_add(pool, slot, 3, 12345678, -1) < 0); /* no such device */
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
	assert_int_equal(pool_want(dp->exclude_pool, dp->sizes.exclude_members + 1, 1), -E2BIG);
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
/* --- attaching --- */

static struct ingress_spec spec_of(const char *device, bool native, uint32_t generation)
{
	return (struct ingress_spec){
	    .slot = 2, .ifindex = index_of(device), .native = native, .generation = generation};
}

static struct ingress_state attach(struct dataplane *dp, const struct ingress_spec *spec)
{
	struct ingress_state state = {};
	struct fault fault = {};
	int r = dataplane_attach(dp, spec, &state, &fault);

	if (r)
		fail_msg("dataplane_attach: %d: %s", r, fault.text);
	assert_int_not_equal(state.program_id, 0);
	assert_int_equal(state.native, spec->native);
	if (!state.dispatcher)
		assert_true(state.why_single[0] != 0);
	return state;
}

static int refused_attach(struct dataplane *dp, const struct ingress_spec *spec,
			  struct fault *fault)
{
	unsigned int files = open_files();
	struct ingress_state state;
	int r = dataplane_attach(dp, spec, &state, fault);

	assert_int_equal(open_files(), files);
	return r;
}

static struct ingress_state attached(struct dataplane *dp, const char *device, char *foreign)
{
	struct ingress_state state;

	assert_int_equal(
	    dataplane_attached(dp, 2, index_of(device), &state, foreign, foreign ? 64 : 0), 0);
	return state;
}

static void detach(struct dataplane *dp, const char *device)
{
	struct fault fault = {};
	int r = dataplane_detach(dp, 2, index_of(device), &fault);

	if (r)
		fail_msg("dataplane_detach: %d: %s", r, fault.text);
	assert_int_equal(attached(dp, device, NULL).program_id, 0);
}

/* What the kernel itself says. */
static uint32_t kernel_id(const char *device, bool native)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	assert_int_equal(bpf_xdp_query(index_of(device), 0, &q), 0);
	return native ? q.drv_prog_id : q.skb_prog_id;
}

static int link_events(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static int count_events(int fd)
{
	char buffer[16384];
	int n = 0;

	while (recv(fd, buffer, sizeof(buffer), 0) > 0)
		n++;
	return n;
}

static void check_attach(bool native)
{
	make_veth();
	unsigned int files = open_files();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", native, 1);
	struct ingress_state state = attach(dp, &spec);
	uint32_t id = state.program_id;
	int events = link_events();

	if (!state.dispatcher)
		assert_int_equal(kernel_id("v0", native), id);
	assert_int_equal(kernel_id("v0", !native), 0);
	/* the same again: nothing happens to the device */
	assert_int_equal(attach(dp, &spec).program_id, id);
	assert_int_equal(count_events(events), 0);
	/* another constant: another program, and never none */
	spec.generation = 2;
	uint32_t next = attach(dp, &spec).program_id;
	assert_int_not_equal(next, id);
	assert_true(count_events(events) > 0);
	assert_int_equal(attached(dp, "v0", NULL).program_id, next);
	close(events);
	/* and a daemon that comes later knows it */
	dataplane_close(dp);
	dp = open_pinned();
	state = attached(dp, "v0", NULL);
	assert_int_equal(state.program_id, next);
	assert_int_equal(state.native, native);
	assert_int_equal(attach(dp, &spec).program_id, next);
	detach(dp, "v0");
	assert_int_equal(kernel_id("v0", native), 0);
	struct fault fault;
	assert_int_equal(dataplane_detach(dp, 2, index_of("v0"), &fault), -ENOENT);
	unpin(dp);
	assert_int_equal(open_files(), files);
	delete_veth();
}

TEST(attach_native)
{
	check_attach(true);
}

TEST(attach_generic)
{
	check_attach(false);
}

TEST(change_of_mode)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);

	for (int i = 0; i < 4; i++) {
		attach(dp, &spec);
		assert_int_equal(attached(dp, "v0", NULL).native, spec.native);
		assert_int_equal(kernel_id("v0", !spec.native), 0);
		spec.native = !spec.native;
	}
	detach(dp, "v0");
	unpin(dp);
	delete_veth();
}

static int load_foreigner(void)
{
	const struct bpf_insn pass[] = {
	    {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = XDP_PASS},
	    {.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "foreigner", "GPL", pass, 2, NULL);

	assert_true(fd >= 0);
	return fd;
}

TEST(foreign_program)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	int foreign = load_foreigner();
	uint32_t id = program_id_of(foreign);
	char text[64], expected[64];
	struct fault fault;

	snprintf(expected, sizeof(expected), "id %u, name foreigner", id);
	for (int mode = 0; mode < 4; mode++) { /* theirs and ours, native and generic */
		bool theirs = mode & 1, ours = mode & 2;
		uint32_t flags = theirs ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
		struct ingress_spec spec = spec_of("v0", ours, 1);
		assert_int_equal(bpf_xdp_attach(spec.ifindex, foreign, flags, NULL), 0);
		assert_int_equal(refused_attach(dp, &spec, &fault), -EBUSY);
		assert_non_null(strstr(fault.text, expected));
		assert_int_equal(attached(dp, "v0", text).program_id, 0);
		assert_int_equal(strtoul(text, NULL, 10), id);
		assert_non_null(strstr(text, " foreigner"));
		assert_int_equal(kernel_id("v0", theirs), id);
		assert_int_equal(bpf_xdp_detach(spec.ifindex, flags, NULL), 0);
	}
	close(foreign);
	unpin(dp);
	delete_veth();
}

/* Somebody replaced our program: theirs stays, ours is gone, the pin can go. */
TEST(replaced_by_foreigner)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	int foreign = load_foreigner();
	struct fault fault;

	if (!attach(dp, &spec).dispatcher) {
		assert_int_equal(bpf_xdp_attach(spec.ifindex, foreign, XDP_FLAGS_DRV_MODE, NULL),
				 0);
		assert_int_equal(refused_attach(dp, &spec, &fault), -EBUSY);
		assert_int_equal(dataplane_detach(dp, 2, spec.ifindex, &fault), -ENOENT);
		assert_int_equal(kernel_id("v0", true), program_id_of(foreign));
	} else {
		detach(dp, "v0");
	}
	close(foreign);
	unpin(dp);
	delete_veth();
}

/* A daemon without pins was killed: the next one finds its program, and takes over. */
TEST(left_over)
{
	make_veth();
	struct dataplane *dp = open_with(NULL, &small);
	struct ingress_spec spec = spec_of("v0", false, 1);
	struct ingress_state first = attach(dp, &spec);

	dataplane_close(dp);
	if (!first.dispatcher) {
		dp = open_with(NULL, &small);
		assert_int_equal(attached(dp, "v0", NULL).program_id, 0);
		assert_int_not_equal(attach(dp, &spec).program_id, first.program_id);
		detach(dp, "v0");
		dataplane_close(dp);
	}
	delete_veth();
}

/* A loader was killed between attaching and pinning. */
TEST(unpinned_program)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	struct ingress_state first = attach(dp, &spec);
	char path[320];

	snprintf(path, sizeof(path), "%s/ingress_2", dp->pin_dir);
	dataplane_close(dp);
	assert_int_equal(unlink(path), 0);
	dp = open_pinned();
	if (!first.dispatcher) {
		assert_int_equal(attached(dp, "v0", NULL).program_id, 0);
		assert_int_equal(attach(dp, &spec).program_id, first.program_id);
		assert_int_equal(access(path, F_OK), 0);
		detach(dp, "v0");
	}
	unpin(dp);
	delete_veth();
}

TEST(words_of_the_kernel)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	struct fault fault;

	must("ip link set v1 mtu 9000");
	assert_true(refused_attach(dp, &spec, &fault) < 0);
	assert_non_null(strstr(fault.text, "v0 in native mode"));
	/* drivers/net/veth.c: veth_xdp_set() */
	assert_non_null(strstr(fault.text, "Peer MTU is too large to set XDP"));
	assert_int_equal(attached(dp, "v0", NULL).program_id, 0);
	/* a program of ours that is there in generic mode stays there */
	spec.native = false;
	uint32_t id = attach(dp, &spec).program_id;
	spec.native = true;
	assert_true(refused_attach(dp, &spec, &fault) < 0);
	struct ingress_state state = attached(dp, "v0", NULL);
	if (state.program_id) {
		assert_int_equal(state.program_id, id);
		assert_false(state.native);
		detach(dp, "v0");
	}
	unpin(dp);
	delete_veth();
}

TEST(device_deleted)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	struct ingress_state state;
	struct fault fault = {};
	unsigned int pins = entries_of(dp->pin_dir);

	attach(dp, &spec);
	assert_int_equal(entries_of(dp->pin_dir), pins + 1);
	delete_veth();
	assert_int_equal(dataplane_attached(dp, 2, spec.ifindex, &state, NULL, 0), -ENODEV);
	assert_int_equal(dataplane_detach(dp, 2, spec.ifindex, &fault), 0);
	assert_int_equal(entries_of(dp->pin_dir), pins);
	assert_int_equal(refused_attach(dp, &spec, &fault), -ENODEV);
	unpin(dp);
}

TEST(purge)
{
	struct dataplane *dp;
	char path[320];
	struct fault fault = {};

	make_veth();
	for (int native = 0; native < 2; native++) {
		struct ingress_spec spec = spec_of("v0", native, 1);
		dp = open_pinned();
		attach(dp, &spec);
		snprintf(path, sizeof(path), "%s/sets", dp->pin_dir);
		dataplane_close(dp);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(refused(PIN_BASE, &small, &fault), -EUCLEAN);
		assert_non_null(strstr(fault.text, "sets is missing"));
		assert_int_not_equal(kernel_id("v0", native), 0); /* it may be forwarding */
		unsigned int files = open_files();
		assert_int_equal(dataplane_purge(PIN_BASE, &fault), 0);
		assert_int_equal(open_files(), files);
		assert_int_equal(kernel_id("v0", native), 0);
		assert_int_equal(access(PIN_BASE, F_OK), -1);
	}
	delete_veth();
}

/* The generation word decides whether an instance counts. */
TEST(load_only)
{
	unsigned int files = open_files();
	struct dataplane *dp = open_with(NULL, &small);
	struct ingress_spec spec = {.slot = 2, .native = true, .generation = 7};
	struct fault fault = {};
	char frame[64] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5}; /* to a unicast MAC */
	LIBBPF_OPTS(bpf_test_run_opts, run_opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = 1);
	struct xm_interface_counters c;
	int fd = dataplane_load_ingress(dp, &spec, &fault);

	assert_true(fd >= 0);
	assert_int_equal(bpf_prog_test_run_opts(fd, &run_opts), 0);
	assert_int_equal(run_opts.retval, XDP_PASS);
	assert_int_equal(counters_interface(dp, 2, &c), 0);
	assert_true(c.received == 0);
	word_store(&dp->ingresses[2], xm_ingress(7, 0, 0));
	assert_int_equal(bpf_prog_test_run_opts(fd, &run_opts), 0);
	assert_int_equal(counters_interface(dp, 2, &c), 0);
	assert_true(c.received == 1 && c.unmatched[XM_PROTOCOL_UNICAST] == 1);
	close(fd);
	dataplane_close(dp);
	assert_int_equal(open_files(), files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(unpinned),
	    cmocka_unit_test(adoption),
	    cmocka_unit_test(other_sizes),
	    cmocka_unit_test(one_writer),
	    cmocka_unit_test(not_a_bpffs),
	    cmocka_unit_test(half_made),
	    cmocka_unit_test(lost_link),
	    cmocka_unit_test(namespaces_are_apart),
	    cmocka_unit_test(index_keys),
	    cmocka_unit_test(index_delete),
	    cmocka_unit_test(interface_slots),
	    cmocka_unit_test(counters),
	    cmocka_unit_test(grace),
	    cmocka_unit_test(pool_members),
	    cmocka_unit_test(pool_runs_out),
	    cmocka_unit_test(pool_adopted),
	    cmocka_unit_test(thousand_slots),
	    cmocka_unit_test(attach_native),
	    cmocka_unit_test(attach_generic),
	    cmocka_unit_test(change_of_mode),
	    cmocka_unit_test(foreign_program),
	    cmocka_unit_test(replaced_by_foreigner),
	    cmocka_unit_test(left_over),
	    cmocka_unit_test(unpinned_program),
	    cmocka_unit_test(words_of_the_kernel),
	    cmocka_unit_test(device_deleted),
	    cmocka_unit_test(purge),
	    cmocka_unit_test(load_only),
	};
	if (geteuid()) {
		puts("SKIP: needs root");
		return 77;
	}
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) ||
	    mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("bpf", BPFFS, "bpf", 0, NULL)) {
		perror("namespaces");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
