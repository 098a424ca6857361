/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often an interface is in the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
/* cmocka.h wants the above first. */
#include <cmocka.h>

#include "daemon/often.h"

static void lines(const char *name, uint64_t now, int count, enum often wanted)
{
	for (int i = 0; i < count; i++)
		assert_int_equal(often(name, now), wanted);
}

static void test_a_minute(void **state)
{
	(void)state;
	lines("eth0", 1000, OFTEN_LINES - 1, OFTEN_NOT);
	lines("eth0", 1010, 1, OFTEN_BEGINS);
	lines("eth0", 1059, 100, OFTEN);
	lines("eth1", 1059, 1, OFTEN_NOT); /* is none of its business */
	lines("eth0", 1060, OFTEN_LINES - 1, OFTEN_NOT);
	lines("eth0", 1061, 1, OFTEN_BEGINS);
}

/* More than are remembered: those that were heard of last keep their count. */
static void test_many(void **state)
{
	char name[16];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "veth%d", i);
		lines(name, 5000 + i / 500, 1, OFTEN_NOT);
	}
	lines("veth999", 5001, OFTEN_LINES - 2, OFTEN_NOT);
	lines("veth999", 5001, 1, OFTEN_BEGINS);
	lines("veth999", 5001, 1, OFTEN);
	lines("veth0", 5001, 1, OFTEN_NOT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_minute),
					   cmocka_unit_test(test_many)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
