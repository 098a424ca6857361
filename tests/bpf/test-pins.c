// SPDX-License-Identifier: GPL-2.0-or-later
/* The maps of the dataplane room and their pins: made, adopted, refused, half made. */
#include "tests/bpf/own.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

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
	/* all maps but the private one, two egress programs, two links, fields and carried */
	assert_int_equal(entries_of(dp->pin_dir), MAPS - 1 + 6);
	dataplane_store_entry(dp, 64, 0x1122334455667788ULL);
	word_store(&dp->sets[dp->sizes.sets], 7);
	dataplane_store_ingress(dp, 8, 9);
	snprintf(dp->interface_records[8].name, XM_NAME_LEN, "last");
	dp->entry_records[64].used = 1;
	dataplane_close(dp);
	assert_int_equal(open_files(), files);

	dp = open_pinned();
	assert_true(dp->adopted);
	assert_true(dataplane_entry(dp, 64) == 0x1122334455667788ULL);
	assert_true(dp->sets[dp->sizes.sets] == 7 && dataplane_ingress(dp, 8) == 9);
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

/* The entries of the two groups; 0: not there. */
static void find_groups(const struct dataplane *dp, uint32_t *node, uint32_t *source)
{
	*node = *source = 0;
	for (uint32_t i = 1; i <= dp->sizes.entries; i++) {
		if (dp->entry_records[i].used == 1)
			*node = i;
		if (dp->entry_records[i].used == 2)
			*source = i;
	}
}

static void make_groups(struct dataplane *dp)
{
	struct xm_entry_record record = {.used = 1, .key = {.ingress = 3}, .len = 128};

	record.key.address.byte[15] = 9;
	dp->entry_records[7] = record;
	record.used = 2;
	record.node = 7;
	record.source.byte[0] = 0x20;
	record.source_len = 3;
	dp->entry_records[9] = record;
	dp->interface_records[3] = (struct xm_interface_record){
	    .name = "in", .ifindex = 12345, .flags = XM_RECORD_ALLMULTI, .generation = 5};
}

/* An interface, two groups, one with a source, and counts. */
static void fill(struct dataplane *dp)
{
	uint32_t node, source;

	find_groups(dp, &node, &source);
	if (!node)
		make_groups(dp);
	find_groups(dp, &node, &source);
	dp->interfaces[3].counters.received = 30;
	dp->interfaces[3].counters.dropped[XM_REASON_DRIVER_ERROR] = 4;
	dp->interfaces[0].counters.matched = 2;
	dp->entries[node].counters.frames = 70;
	dp->entries[source].counters.copies = 90;
}

/* All that fill() wrote is there, `times` as much was counted. */
static void check_carried(struct dataplane *dp, uint64_t times)
{
	struct xm_interface_counters c;
	struct xm_group_counters g;
	uint32_t node, source;

	assert_string_equal(dp->interface_records[3].name, "in");
	assert_int_equal(dp->interface_records[3].flags, XM_RECORD_ALLMULTI);
	assert_int_equal(dp->interface_records[3].generation, 5);
	assert_int_equal(dp->low_slots[12345], 3);
	assert_int_equal(counters_interface(dp, 3, &c), 0);
	assert_true(c.received == 30 * times);
	assert_true(c.dropped[XM_REASON_DRIVER_ERROR] == 4 * times);
	assert_int_equal(counters_interface(dp, 0, &c), 0);
	assert_true(c.matched == 2 * times);
	find_groups(dp, &node, &source);
	assert_true(node && source);
	assert_int_equal(dp->entry_records[source].node, node);
	assert_int_equal(dp->entry_records[source].source.byte[0], 0x20);
	assert_int_equal(counters_group(dp, node, &g), 0);
	assert_true(g.frames == 70 * times && !g.copies);
	assert_int_equal(counters_group(dp, source, &g), 0);
	assert_true(g.copies == 90 * times && !g.frames);
}

static void settle(struct dataplane *dp)
{
	struct fault fault = {};

	if (dataplane_settle(dp, &fault))
		fail_msg("dataplane_settle: %s", fault.text);
	assert_int_equal(entries_of(PIN_BASE), 1);
}

TEST(other_sizes)
{
	struct limits more[] = {small, small, small}; /* each one step further */
	static const char *const names[] = {"limit entries", "limit sets", "limit interfaces"};
	unsigned int files = open_files();
	struct dataplane *dp = open_pinned();

	fill(dp);
	dataplane_close(dp);
	more[0].entries = more[1].entries = more[2].entries = 2 * small.entries;
	more[1].sets = more[2].sets = 2 * small.sets;
	more[2].interfaces = small.interfaces + 1;
	for (int i = 0; i < 3; i++) {
		dp = open_with(PIN_BASE, &more[i]);
		assert_false(dp->adopted);
		assert_non_null(strstr(dp->replaced, names[i]));
		assert_int_equal(entries_of(PIN_BASE), 2);
		check_carried(dp, 1);
		settle(dp);
		check_carried(dp, 1);
		dataplane_close(dp);
		assert_int_equal(open_files(), files);
		dp = open_with(PIN_BASE, &more[i]); /* the next one just adopts */
		assert_true(dp->adopted);
		settle(dp);
		check_carried(dp, 1);
		dataplane_close(dp);
	}
	dp = open_pinned();
	settle(dp);
	unpin(dp);
	assert_int_equal(open_files(), files);
}

/* Daemons that die before they have settled: all that any of them counted is there in the end. */
TEST(half_taken_over)
{
	struct limits other[] = {small, small, small};
	struct dataplane *dp = open_pinned();

	fill(dp);
	dataplane_close(dp);
	for (int i = 0; i < 3; i++) {
		other[i].entries += 8 * (i + 1);
		dp = open_with(PIN_BASE, &other[i]);
		check_carried(dp, i + 1);
		fill(dp);
		check_carried(dp, i + 2);
		dataplane_close(dp);
		assert_int_equal(entries_of(PIN_BASE), i + 2);
	}
	dp = open_with(PIN_BASE, &other[2]); /* adopted, with three before it */
	assert_true(dp->adopted);
	check_carried(dp, 4);
	settle(dp);
	check_carried(dp, 4);
	dataplane_close(dp);
	dp = open_pinned();
	check_carried(dp, 4);
	settle(dp);
	unpin(dp);
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

/* A loader was killed before it had pinned all: the mark that all is there comes last. */
TEST(half_made)
{
	unsigned int files = open_files();
	struct dataplane *dp = open_pinned();
	char path[320];

	snprintf(path, sizeof(path), "%s/fields", dp->pin_dir);
	dataplane_store_entry(dp, 1, 1);
	dataplane_close(dp);
	assert_int_equal(unlink(path), 0);
	dp = open_pinned();
	assert_false(dp->adopted);
	assert_int_equal(entries_of(PIN_BASE), 1);
	assert_true(dataplane_entry(dp, 1) == 0);
	unpin(dp);
	assert_int_equal(open_files(), files);
}

/* Somebody has removed a pin: what is left is carried over. */
TEST(lost_map)
{
	static const char *const lost[] = {"exact", "egress_generic"};
	char path[320];

	for (int i = 0; i < 2; i++) {
		struct dataplane *dp = open_pinned();
		snprintf(path, sizeof(path), "%s/%s", dp->pin_dir, lost[i]);
		fill(dp);
		dataplane_close(dp);
		assert_int_equal(unlink(path), 0);
		dp = open_pinned();
		assert_false(dp->adopted);
		check_carried(dp, 1);
		settle(dp);
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
	if (dp->adopted || dataplane_entry(dp, 1))
		return 2;
	return dataplane_unpin(dp) ? 3 : 0;
}

TEST(namespaces_are_apart)
{
	struct dataplane *dp = open_pinned();
	int status;

	dataplane_store_entry(dp, 1, 5);
	pid_t pid = fork();
	if (!pid)
		_exit(in_other_namespace());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(entries_of(PIN_BASE), 1);
	unpin(dp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(unpinned),	       cmocka_unit_test(adoption),
	    cmocka_unit_test(other_sizes),     cmocka_unit_test(one_writer),
	    cmocka_unit_test(not_a_bpffs),     cmocka_unit_test(half_made),
	    cmocka_unit_test(half_taken_over), cmocka_unit_test(lost_map),
	    cmocka_unit_test(lost_link),       cmocka_unit_test(namespaces_are_apart),
	};
	int r = own_namespaces();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
