/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/model/make.h"

static struct fault fault;

static int setup(void **state)
{
	return !(*state = model_new());
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static void wishes_are_by_name_and_replaced(void **state)
{
	struct model *model = *state;
	struct interface_wish native = {.name = "eth1", .mode = MODE_NATIVE};

	assert_int_equal(wish(model, "eth2", "a", false, NULL, &fault), 0);
	assert_int_equal(wish(model, "eth0", "b", false, NULL, &fault), 0);
	assert_int_equal(model_set_interface(model, &native, &fault), 0);
	assert_int_equal(model->interface_count, 3);
	assert_string_equal(model->interfaces[0].name, "eth0");
	assert_string_equal(model->interfaces[1].name, "eth1");
	assert_string_equal(model->interfaces[2].name, "eth2");
	assert_int_equal(model_find_interface(model, "eth1")->mode, MODE_NATIVE);
	assert_int_equal(wish(model, "eth0", "c,d", true, NULL, &fault), 0);
	assert_int_equal(model->interface_count, 3);
	assert_string_equal(list(&model->interfaces[0].exclude), "c,d");
	assert_true(model->interfaces[0].detached);
	assert_null(model_find_interface(model, "eth3"));
}

static void detach_and_attach_leave_config_as_it_was(void **state)
{
	struct model *model = *state;
	struct interface_wish copy;

	assert_int_equal(wish(model, "eth0", "a", false, "x.conf", &fault), 0);
	copy = *model_find_interface(model, "eth0");
	copy.file = NULL;
	copy.detached = true;
	assert_int_equal(model_set_interface(model, &copy, &fault), 0);
	assert_int_equal(model->interface_count, 1);
	assert_true(model_find_interface(model, "eth0")->detached);
	assert_string_equal(list(&model_find_interface(model, "eth0")->exclude), "a");
	assert_null(model_find_interface(model, "eth0")->file);
	copy = *model_find_interface(model, "eth0");
	copy.detached = false;
	assert_int_equal(model_set_interface(model, &copy, &fault), 0);
	assert_int_equal(model->interface_count, 1);
	assert_string_equal(model_find_interface(model, "eth0")->file, "x.conf");
	/* Without a statement in config the same leaves nothing. */
	assert_int_equal(wish(model, "eth1", NULL, true, NULL, &fault), 0);
	assert_int_equal(wish(model, "eth1", NULL, false, NULL, &fault), 0);
	assert_null(model_find_interface(model, "eth1"));
}

static void names_that_are_none_are_refused(void **state)
{
	struct model *model = *state;
	struct interface_wish unending = {};

	assert_int_equal(wish(model, "eth*", NULL, true, NULL, &fault), -EINVAL);
	assert_says(fault, "patterns");
	assert_int_equal(wish(model, "", NULL, true, NULL, &fault), -EINVAL);
	memset(unending.name, 'x', sizeof(unending.name));
	assert_int_equal(model_set_interface(model, &unending, &fault), -EINVAL);
	assert_int_equal(model->interface_count, 0);
}

static void names_count_against_the_limit(void **state)
{
	struct model *model = *state;

	model->limits.interfaces = 3;
	assert_int_equal(wish(model, "eth0", "a,b", false, NULL, &fault), 0);
	assert_int_equal(wish(model, "eth1", NULL, true, NULL, &fault), -E2BIG);
	assert_says(fault, "`limit interfaces 3`");
	assert_null(model_find_interface(model, "eth1"));
	assert_int_equal(wish(model, "a", "eth0,b", true, NULL, &fault), 0);
	/* Names that nobody uses any more make room. */
	assert_int_equal(wish(model, "a", NULL, false, NULL, &fault), 0);
	assert_int_equal(wish(model, "eth0", NULL, true, NULL, &fault), 0);
	assert_int_equal(wish(model, "eth1", "c", true, NULL, &fault), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(wishes_are_by_name_and_replaced),
	    TEST(detach_and_attach_leave_config_as_it_was),
	    TEST(names_that_are_none_are_refused),
	    TEST(names_count_against_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
