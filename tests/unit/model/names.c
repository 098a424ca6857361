/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/model/make.h"

static void names_are_sorted_and_once_each(void **state)
{
	struct names names = make_names("veth2,veth10,eth0,veth2");

	(void)state;
	assert_string_equal(list(&names), "eth0,veth10,veth2");
	assert_int_equal(names_add(&names, "br0"), 0);
	assert_int_equal(names_add(&names, "br0"), 0);
	assert_string_equal(list(&names), "br0,eth0,veth10,veth2");
	assert_int_equal(names_remove(&names, "eth0"), 0);
	assert_int_equal(names_remove(&names, "eth0"), -ENOENT);
	assert_string_equal(list(&names), "br0,veth10,veth2");
	names_free(&names);
	assert_int_equal(names.count, 0);
	assert_null(names.name);
}

static void impossible_names_are_refused(void **state)
{
	static const char *const bad[] = {
	    "",	    ".",   "..",   "a b",  "a/b",  "a:b",      "a#b",
	    "a\"b", "a'b", "a\\b", "a\tb", "\x7f", "\xc3\xa9", "sixteencharacter"};
	struct names names = {};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (names_add(&names, bad[i]) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
	assert_int_equal(names.count, 0);
	assert_int_equal(names_add(&names, "fifteencharacte"), 0);
	assert_int_equal(names_add(&names, "eth0.100"), 0);
	assert_int_equal(names_add(&names, "veth[0-9]*"), 0);
	names_free(&names);
}

static void a_list_with_one_bad_name_changes_nothing(void **state)
{
	static const char *const bad[] = {"", ",", "a,", ",a", "a,,b", "c,d/e", "a, b"};
	struct names names = make_names("x,y");
	const char *why = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (names_add_list(&names, bad[i], &why) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_non_null(strstr(why, "commas"));
		assert_string_equal(list(&names), "x,y");
	}
	assert_int_equal(names_add_list(&names, "a,z", &why), 0);
	assert_string_equal(list(&names), "a,x,y,z");
	names_free(&names);
}

static void patterns_match_as_shells_do(void **state)
{
	struct names names = make_names("eth0,veth*,br?,tap[0-3]");

	(void)state;
	assert_true(names_match(&names, "eth0"));
	assert_false(names_match(&names, "eth01"));
	assert_true(names_match(&names, "veth"));
	assert_true(names_match(&names, "veth12"));
	assert_true(names_match(&names, "br1"));
	assert_false(names_match(&names, "br12"));
	assert_true(names_match(&names, "tap3"));
	assert_false(names_match(&names, "tap4"));
	assert_true(names_have(&names, "veth*"));
	assert_false(names_have(&names, "veth1"));
	assert_true(name_is_pattern("a*") && name_is_pattern("a?") && name_is_pattern("[a]"));
	assert_false(name_is_pattern("eth0.100"));
	names_free(&names);
}

static void copies_are_equal_and_apart(void **state)
{
	struct names names = make_names("a,b,c"), copy;

	(void)state;
	assert_int_equal(names_copy(&copy, &names), 0);
	assert_true(names_equal(&copy, &names));
	assert_ptr_not_equal(copy.name[0], names.name[0]);
	assert_int_equal(names_add(&copy, "d"), 0);
	assert_false(names_equal(&copy, &names));
	assert_int_equal(names_remove(&copy, "a"), 0);
	assert_false(names_equal(&copy, &names)); /* as many, but others */
	names_free(&copy);
	names_free(&names);
	assert_int_equal(names_copy(&copy, &names), 0);
	assert_int_equal(copy.count, 0);
}

/* The array grows by powers of two; adding and removing in between must stay inside it. */
static void many_names_come_and_go(void **state)
{
	struct names names = {};
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "if%u", i * 7919 % 1000);
		assert_int_equal(names_add(&names, name), 0);
		if (i % 3 == 2) {
			snprintf(name, sizeof(name), "if%u", (i - 1) * 7919 % 1000);
			assert_int_equal(names_remove(&names, name), 0);
		}
	}
	assert_int_equal(names.count, 1000 - 333);
	for (size_t i = 1; i < names.count; i++)
		assert_true(strcmp(names.name[i - 1], names.name[i]) < 0);
	while (names.count)
		assert_int_equal(names_remove(&names, names.name[names.count / 2]), 0);
	assert_null(names.name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_are_sorted_and_once_each),
	    cmocka_unit_test(impossible_names_are_refused),
	    cmocka_unit_test(a_list_with_one_bad_name_changes_nothing),
	    cmocka_unit_test(patterns_match_as_shells_do),
	    cmocka_unit_test(copies_are_equal_and_apart),
	    cmocka_unit_test(many_names_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
