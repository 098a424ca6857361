/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs as the kernel writes them (cpuset(7), "List format"), also with gaps. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <bpf/libbpf.h>
/* cmocka.h wants some of the above first. */
#include <cmocka.h>

#include "daemon/dataplane/internal.h"

#define ROOM 16

static void test_lists(void **state)
{
	static const struct {
		const char *list;
		int count, ids[ROOM];
	} cases[] = {
	    {"0\n", 1, {0}},
	    {"0-3\n", 4, {0, 1, 2, 3}},
	    {"0,2\n", 2, {0, 2}}, /* two CPUs, and the rows of three */
	    {"0-1,8-9\n", 4, {0, 1, 8, 9}},
	    {"1-2,128,8190-8191", 5, {1, 2, 128, 8190, 8191}},
	    {"0-15", 16, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int ids[ROOM];
		assert_int_equal(cpus_parse(cases[i].list, ids, ROOM), cases[i].count);
		assert_memory_equal(ids, cases[i].ids, cases[i].count * sizeof(*ids));
	}
}

static void test_no_lists(void **state)
{
	static const char *const lists[] = {"",	    "\n",  "-1", "0-", "0,",   "0,\n", "x",
					    "0-3x", "3-1", " 0", "0 ", "0--1", "0-16"};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		int ids[ROOM];
		if (cpus_parse(lists[i], ids, ROOM) != -EINVAL)
			fail_msg("'%s' is no list", lists[i]);
	}
}

static void test_this_machine(void **state)
{
	static int ids[CPUS_MAX];
	int count = cpus_possible(ids, CPUS_MAX);

	(void)state;
	assert_int_equal(count, libbpf_num_possible_cpus());
	for (int i = 1; i < count; i++)
		assert_true(ids[i] > ids[i - 1]);
	assert_true(ids[count - 1] >= sysconf(_SC_NPROCESSORS_ONLN) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lists),
	    cmocka_unit_test(test_no_lists),
	    cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests_name("dataplane-cpus", tests, NULL, NULL);
}
