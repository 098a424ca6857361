/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 100,000 groups with 100 different sets: what they cost. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/unit/model/make.h"

#define GROUPS 100000
#define SETS   100

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static double heap_mib(void)
{
	struct mallinfo2 info = mallinfo2();

	return (info.uordblks + info.hblkhd) / 1048576.0;
}

static void make_sets(struct names sets[SETS])
{
	char name[16];

	for (unsigned int i = 0; i < SETS; i++)
		for (unsigned int k = 0; k < 8; k++) {
			snprintf(name, sizeof(name), "veth%u", k ? (i * 7 + k * 13) % SETS : i);
			assert_int_equal(names_add(&sets[i], name), 0);
		}
}

/* Group number i, in no order of keys: the multiplier is odd, so all are different. */
static void make_group(unsigned int i, const struct names *to, struct group *out)
{
	static const struct prefix base = {.address.byte = {[10] = 0xff, [11] = 0xff, [12] = 239},
					   .len = 128};
	unsigned int low = i * 2654435761u & 0xffffff;

	*out = (struct group){.key.address = base, .to = *to};
	out->key.address.address.byte[13] = low >> 16;
	out->key.address.address.byte[14] = low >> 8;
	out->key.address.address.byte[15] = low;
	snprintf(out->key.from, sizeof(out->key.from), "in%u", i % 4);
}

static void a_hundred_thousand_groups(void **state)
{
	struct model *model = model_new(), *other = model_new();
	struct names sets[SETS] = {};
	double heap, start, added, replaced, compiled, used;
	struct entry *entries;
	size_t count;

	(void)state;
	limits_raise(&model->limits);
	limits_raise(&other->limits);
	make_sets(sets);
	heap = heap_mib();
	start = cpu_ms();
	for (unsigned int i = 0; i < GROUPS; i++) {
		struct group group;

		make_group(i, &sets[i % SETS], &group);
		assert_int_equal(model_add_group(other, &group, NULL), 0);
	}
	added = cpu_ms();
	assert_int_equal(model_replace(model, other, false, NULL), 0);
	replaced = cpu_ms();
	used = heap_mib() - heap;
	assert_int_equal(model_compile(model, &entries, &count, NULL), 0);
	compiled = cpu_ms();
	assert_int_equal(count, GROUPS);
	assert_int_equal(model->group_count, GROUPS);
	printf("# add %.0f ms, replace %.0f ms, compile %.0f ms of CPU, %.1f MiB\n", added - start,
	       replaced - added, compiled - replaced, used);
	/* Generous, for slow and busy machines: what takes the square of 100,000 is far above. */
	if (!SANITIZED) {
		assert_true(compiled - start < 3000);
		assert_true(used < 24);
	}
	free(entries);
	for (unsigned int i = 0; i < SETS; i++)
		names_free(&sets[i]);
	model_free(model);
	model_free(other);
}

/* Changing one group of many must not cost what all of them cost. */
static void one_change_among_many(void **state)
{
	struct model *model = model_new();
	struct names sets[SETS] = {};
	double start;

	(void)state;
	limits_raise(&model->limits);
	make_sets(sets);
	for (unsigned int i = 0; i < GROUPS; i++) {
		struct group group;

		make_group(i, &sets[i % SETS], &group);
		assert_int_equal(model_add_group(model, &group, NULL), 0);
	}
	model_settle(model);
	start = cpu_ms();
	for (unsigned int i = 0; i < 1000; i++) {
		struct group group;

		make_group(i * 97, &sets[i % SETS], &group);
		assert_int_equal(model_del_group(model, &group.key, NULL), 0);
		assert_int_equal(model_add_group(model, &group, NULL), 0);
	}
	printf("# remove and add again: %.0f us each\n", cpu_ms() - start);
	if (!SANITIZED)
		assert_true(cpu_ms() - start < 1000);
	for (unsigned int i = 0; i < SETS; i++)
		names_free(&sets[i]);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_hundred_thousand_groups),
	    cmocka_unit_test(one_change_among_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
