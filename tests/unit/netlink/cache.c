/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links by number, by name, and the lists of what is to be done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka.h wants the above first. */
#include <cmocka.h>

#include "daemon/netlink/cache.h"

static struct record *add(struct cache *cache, int ifindex)
{
	struct record *record = cache_add(cache, ifindex);

	assert_non_null(record);
	snprintf(record->now.name, sizeof(record->now.name), "if%d", ifindex);
	record->present = true;
	return record;
}

/* A thousand numbers in random order, half of them removed again, against a plain table. */
static void test_order(void **state)
{
	static bool there[5000];
	struct cache cache;
	struct record *record;
	int at = 0;

	(void)state;
	cache_init(&cache);
	srandom(1);
	for (int i = 0; i < 1000; i++) {
		int ifindex = 1 + random() % 4999;

		record = cache_find(&cache, ifindex);
		assert_int_equal(record != NULL, there[ifindex]);
		if (!record)
			add(&cache, ifindex);
		else
			cache_remove(&cache, record);
		there[ifindex] = !record;
	}
	for (int i = 1; i < 5000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "if%d", i);
		record = cache_find_name(&cache, name);
		assert_int_equal(record != NULL, there[i]);
		assert_ptr_equal(record, cache_find(&cache, i));
		if (there[i]) {
			assert_ptr_equal(cache_after(&cache, at), record);
			at = i;
		}
	}
	assert_null(cache_after(&cache, at));
	cache_free(&cache);
}

static void test_absent_has_no_name(void **state)
{
	struct cache cache;
	struct record *record;

	(void)state;
	cache_init(&cache);
	assert_null(cache_find_name(&cache, "if3"));
	record = add(&cache, 3);
	assert_ptr_equal(cache_find_name(&cache, "if3"), record);
	record->present = cache.names_valid = false;
	assert_null(cache_find_name(&cache, "if3"));
	assert_ptr_equal(cache_find(&cache, 3), record);
	cache_free(&cache);
}

static void test_lists(void **state)
{
	struct cache cache;
	struct record *a, *b;

	(void)state;
	cache_init(&cache);
	a = add(&cache, 1);
	b = add(&cache, 2);
	cache_touch(&cache, b);
	cache_touch(&cache, a);
	cache_touch(&cache, b);
	assert_ptr_equal(cache_next_work(&cache), b);
	cache_touch(&cache, b); /* again, while working */
	assert_ptr_equal(cache_next_work(&cache), a);
	assert_ptr_equal(cache_next_work(&cache), b);
	assert_null(cache_next_work(&cache));
	assert_ptr_equal(cache_next_changed(&cache.changed), b);
	assert_ptr_equal(cache_next_changed(&cache.changed), a);
	assert_null(cache_next_changed(&cache.changed));
	cache_free(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_absent_has_no_name),
	    cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests_name("netlink-cache", tests, NULL, NULL);
}
