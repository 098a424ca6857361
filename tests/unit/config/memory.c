/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Out of memory at any place of reading and writing files: each is done with the first, the second,
 * .. allocation failing, until it passes. Each failure says what it is; that nothing is lost or
 * freed twice is for the allocator, or a sanitizer, to see.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/config/collect.h"
#include "tests/unit/model/scarce.h"

#define MOST 500 /* allocations */

static struct errors errors;

static int set_up(void **state)
{
	(void)state;
	errors = (struct errors){};
	return enter_new_directory();
}

static int tear_down(void **state)
{
	(void)state;
	return leave_directory();
}

/* Names of files are kept for ever: the n-th time they are new ones. */
static void name_files(long n, char file[static 40], char more[static 2][40])
{
	snprintf(file, 40, "x%ld.conf", n);
	for (int i = 0; i < 2; i++)
		snprintf(more[i], 40, "conf.d/%d-%ld.conf", i, n);
}

static int read_with(long n)
{
	char file[40], more[2][40];
	struct model *model = model_new();
	int r;

	name_files(n, file, more);
	put_file(file, "limit groups 5\ngroup 239.1.1.1 --from in --to a,b --exclude c\n");
	put_file(more[0], "group 239.1.1.2 --from in --to a\n");
	put_file(more[1], "interface in --exclude b\n");
	errors = (struct errors){};
	allocations_left = n;
	r = config_read(file, false, NULL, model, collect, &errors);
	allocations_left = -1;
	if (!r)
		assert_int_equal(model->group_count, 2);
	model_free(model);
	unlink(file);
	unlink(more[0]);
	unlink(more[1]);
	return r;
}

static void reading_files(void **state)
{
	long n = 0;
	int r;

	(void)state;
	mkdir("conf.d", 0755);
	while ((r = read_with(n))) {
		assert_int_equal(r, -ENOMEM);
		assert_in_range(++n, 1, MOST);
	}
	assert_in_range(n, 15, MOST);
}

static struct model *make_model(const char *address)
{
	struct model *model = model_new();
	struct fault fault;

	assert_int_equal(ADD(model, address, "in", "a,b", .exclude = "z"), 0);
	return model;
}

/* The file is whole, and holds one of the two (`other` may be NULL). */
static void check_saved(const struct model *one, const struct model *other)
{
	struct model *model = model_new();
	struct fault fault;

	assert_int_equal(state_read("state", model, &fault), 0);
	assert_int_equal(model->group_count, 1);
	if (!other || !model_find_group(model, &other->groups[0]->key))
		assert_non_null(model_find_group(model, &one->groups[0]->key));
	model_free(model);
}

static void writing_the_state(void **state)
{
	struct model *before = make_model("239.1.1.1"), *now = make_model("239.1.1.2");
	struct fault fault;
	int r = -1;

	(void)state;
	assert_int_equal(state_write("state", before, &fault), 0);
	for (long n = 0; r; n++) {
		fault.text[0] = 0;
		allocations_left = n;
		r = state_write("state", now, &fault);
		allocations_left = -1;
		if (r)
			assert_true(r == -ENOMEM && strstr(fault.text, "memory"));
		check_saved(now, r ? before : NULL);
		assert_in_range(n, 0, MOST);
	}
	model_free(before);
	model_free(now);
}

static void reading_the_state(void **state)
{
	struct model *saved = make_model("239.1.1.1");
	struct fault fault;
	int r = -1;

	(void)state;
	assert_int_equal(state_write("state", saved, &fault), 0);
	for (long n = 0; r; n++) {
		struct model *model = model_new();
		fault.text[0] = 0;
		allocations_left = n;
		r = state_read("state", model, &fault);
		allocations_left = -1;
		if (r)
			assert_true(r == -ENOMEM && strstr(fault.text, "memory"));
		model_free(model);
		check_saved(saved, NULL);
		assert_in_range(n, 0, MOST);
	}
	model_free(saved);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(reading_files),
	    TEST(writing_the_state),
	    TEST(reading_the_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
