/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "daemon/model/table.h"
#include "tests/unit/model/make.h"

static uint64_t hash_badly(const void *item)
{
	return *(const unsigned int *)item &
	       7; /* many collide, so that removal has holes to close */
}

static uint64_t hash_well(const void *item)
{
	return hash_word(0, *(const unsigned int *)item);
}

static bool equal(const void *a, const void *b)
{
	return *(const unsigned int *)a == *(const unsigned int *)b;
}

#define ITEMS 200
static unsigned int visits;

static void visit(void *item)
{
	(void)item;
	visits++;
}

static void come_and_go(const struct table_kind *kind)
{
	static unsigned int item[ITEMS];
	struct table table = {.kind = kind};
	bool there[ITEMS] = {};
	unsigned int seed = 5, count = 0;

	for (unsigned int i = 0; i < ITEMS; i++)
		item[i] = i;
	for (unsigned int i = 0; i < 20000; i++) {
		unsigned int n = ((seed = seed * 1103515245 + 12345) >> 16) % ITEMS, like = n;

		assert_ptr_equal(table_find(&table, &like), there[n] ? &item[n] : NULL);
		if (there[n])
			table_remove(&table, &like);
		else
			assert_int_equal(table_add(&table, &item[n]), 0);
		there[n] = !there[n];
		count += there[n] ? 1 : -1;
		assert_int_equal(table.count, count);
	}
	for (unsigned int n = 0; n < ITEMS; n++)
		assert_ptr_equal(table_find(&table, &n), there[n] ? &item[n] : NULL);
	visits = 0;
	table_clear(&table, visit);
	assert_int_equal(visits, count);
	assert_int_equal(table.count, 0);
	assert_null(table_find(&table, &item[0]));
}

static void items_come_and_go(void **state)
{
	(void)state;
	come_and_go(&(struct table_kind){.hash = hash_well, .equal = equal});
}

static void collisions_hide_nothing(void **state)
{
	(void)state;
	come_and_go(&(struct table_kind){.hash = hash_badly, .equal = equal});
}

static void reserved_room_is_enough(void **state)
{
	static const struct table_kind kind = {.hash = hash_well, .equal = equal};
	static unsigned int item[1000];
	struct table table = {.kind = &kind};
	void **slots;

	(void)state;
	assert_int_equal(table_reserve(&table, 1000), 0);
	slots = table.slot;
	for (unsigned int i = 0; i < 1000; i++) {
		item[i] = i;
		assert_int_equal(table_add(&table, &item[i]), 0);
	}
	assert_ptr_equal(table.slot, slots);
	table_clear(&table, NULL);
}

static void removing_what_is_not_there_does_nothing(void **state)
{
	static const struct table_kind kind = {.hash = hash_well, .equal = equal};
	struct table table = {.kind = &kind};
	unsigned int a = 1, b = 2;

	(void)state;
	table_remove(&table, &a);
	assert_int_equal(table_add(&table, &a), 0);
	table_remove(&table, &b);
	assert_int_equal(table.count, 1);
	table_clear(&table, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(items_come_and_go),
	    cmocka_unit_test(collisions_hide_nothing),
	    cmocka_unit_test(reserved_room_is_enough),
	    cmocka_unit_test(removing_what_is_not_there_does_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
