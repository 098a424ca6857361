/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rates out of two readings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/top_rows.h"

static struct top_sample sample(double when, const char *groups, const char *interfaces)
{
	struct top_sample s = {.when = when};
	json_t *g = json_loads(groups, 0, NULL), *i = json_loads(interfaces, 0, NULL);

	assert_non_null(g);
	assert_non_null(i);
	assert_int_equal(top_add_groups(&s, g), 0);
	assert_int_equal(top_add_interfaces(&s, i), 0);
	json_decref(g);
	json_decref(i);
	return s;
}

#define GROUP(address, frames, copies, bytes)                                                      \
	"{\"address\":\"" address "\",\"from\":\"eth0\",\"state\":\"active\",\"frames\":" #frames  \
	",\"copies\":" #copies ",\"bytes\":" #bytes "}"
#define INTERFACE(name, received, transmitted, dropped)                                            \
	"{\"interface\":\"" name "\",\"ready\":true,\"received\":" #received                       \
	",\"transmitted\":" #transmitted ",\"dropped\":{\"too-big\":" #dropped                     \
	",\"no-memory\":1}}"

static void test_rates(void **state)
{
	struct top_sample a =
	    sample(10,
		   "[" GROUP("239.1.1.1", 100, 200, 6000) "," GROUP(
		       "239.1.1.2", 50, 50, 3000) "," GROUP("239.1.1.3", 900, 900, 900) "]",
		   "[" INTERFACE("eth0", 1000, 0, 0) "," INTERFACE("veth1", 0, 500, 4) "]");
	struct top_sample b = sample(
	    12,
	    "[" GROUP("239.1.1.1", 110, 220, 6600) "," GROUP("239.1.1.2", 150, 150, 9000) "," GROUP(
		"239.1.1.3", 7, 7, 7) "," GROUP("239.1.1.4", 5, 5, 5) "]",
	    "[" INTERFACE("eth0", 1400, 0, 0) "," INTERFACE("veth1", 0, 900, 10) "]");

	(void)state;
	top_rates(&a, &b, TOP_FRAMES);
	assert_int_equal(b.count, 6);
	/* 100 frames in 2 s before 10 in 2 s; made anew, and new: no rate, by name */
	assert_string_equal(b.rows[0].name, "239.1.1.2 from eth0");
	assert_true(b.rows[0].value[TOP_FRAMES] == 50);
	assert_true(b.rows[0].value[TOP_BYTES] == 3000);
	assert_string_equal(b.rows[1].name, "239.1.1.1 from eth0");
	assert_true(b.rows[1].value[TOP_COPIES] == 10);
	assert_string_equal(b.rows[2].name, "239.1.1.3 from eth0");
	assert_true(b.rows[2].value[TOP_FRAMES] == 0);
	assert_string_equal(b.rows[3].name, "239.1.1.4 from eth0");
	assert_true(b.rows[3].value[TOP_FRAMES] == 0);
	/* interfaces stand behind, whatever their rates */
	assert_string_equal(b.rows[4].name, "eth0");
	assert_true(b.rows[4].value[TOP_FRAMES] == 200);
	assert_string_equal(b.rows[5].name, "veth1");
	assert_true(b.rows[5].value[TOP_DROPPED] == 3);
	top_rates(&a, &b, TOP_NAME);
	assert_string_equal(b.rows[0].name, "239.1.1.1 from eth0");
	top_free(&a);
	top_free(&b);
}

static void test_many(void **state)
{
	struct top_sample s = {}, none = {};
	json_t *group = json_loads("[" GROUP("239.1.1.1", 1, 1, 1) "]", 0, NULL);

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(top_add_groups(&s, group), 0);
	assert_int_equal(s.count, 1000);
	top_rates(&none, &s, TOP_BYTES);
	assert_true(s.rows[999].value[TOP_BYTES] == 0);
	json_decref(group);
	top_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rates),
					   cmocka_unit_test(test_many)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
