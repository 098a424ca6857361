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
	/* all maps but the private one, two egress programs, two links */
	assert_int_equal(entries_of(dp->pin_dir), MAPS - 1 + 4);
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
		dataplane_store_entry(dp, 1, 1);
		dataplane_close(dp);
		assert_int_equal(unlink(path), 0);
		dp = open_pinned();
		assert_false(dp->adopted);
		assert_true(dataplane_entry(dp, 1) == 0);
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
	    cmocka_unit_test(unpinned),	   cmocka_unit_test(adoption),
	    cmocka_unit_test(other_sizes), cmocka_unit_test(one_writer),
	    cmocka_unit_test(not_a_bpffs), cmocka_unit_test(half_made),
	    cmocka_unit_test(lost_link),   cmocka_unit_test(namespaces_are_apart),
	};
	int r = own_namespaces();

	return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
