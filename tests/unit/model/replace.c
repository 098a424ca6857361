/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bulk changes: all or nothing, and what is unchanged stays the same struct. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/model/make.h"

static struct fault fault;

/* One model with groups of both origins, and one that is to replace some of them. */
struct pair {
	struct model *model, *other;
};

static int setup(void **state)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	*state = pair;
	pair->model = model_new();
	pair->other = model_new();
	assert_int_equal(ADD(pair->model, "239.0.0.1", "in", "a,b"), 0);
	assert_int_equal(ADD(pair->model, "239.0.0.2", "in", "c"), 0);
	assert_int_equal(ADD(pair->model, "239.0.0.3", "in", "d", .file = "x.conf", .line = 3), 0);
	assert_int_equal(wish(pair->model, "in", NULL, false, "x.conf", &fault), 0);
	return 0;
}

static int teardown(void **state)
{
	struct pair *pair = *state;

	model_free(pair->model);
	model_free(pair->other);
	free(pair);
	return 0;
}

static void refused(struct pair *pair, bool config, int error, const char *says)
{
	char *before = dump(pair->model), *after, *other = dump(pair->other), *other_after;
	unsigned long long version = pair->model->version;

	assert_int_equal(model_replace(pair->model, pair->other, config, &fault), error);
	assert_says(fault, says);
	after = dump(pair->model);
	other_after = dump(pair->other);
	assert_string_equal(before, after);
	assert_string_equal(other, other_after);
	assert_int_equal(version, pair->model->version);
	free(before);
	free(after);
	free(other);
	free(other_after);
}

static void unchanged_groups_keep_their_struct(void **state)
{
	struct pair *pair = *state;
	struct group *same = FIND(pair->model, "239.0.0.1", "in");
	struct group *config = FIND(pair->model, "239.0.0.3", "in");
	struct egress_set *set = same->set;

	assert_int_equal(ADD(pair->other, "239.0.0.9", "in", "x"), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.1", "in", "b,a"), 0);
	assert_int_equal(model_replace(pair->model, pair->other, false, &fault), 0);
	assert_int_equal(pair->model->group_count, 3);
	assert_ptr_equal(FIND(pair->model, "239.0.0.1", "in"), same);
	assert_ptr_equal(same->set, set);
	assert_int_equal(set->users, 1);
	assert_ptr_equal(FIND(pair->model, "239.0.0.3", "in"), config);
	assert_null(FIND(pair->model, "239.0.0.2", "in"));
	assert_string_equal(list(&FIND(pair->model, "239.0.0.9", "in")->to), "x");
	assert_int_equal(pair->other->group_count, 0);
	for (size_t i = 1; i < 3; i++)
		assert_true(group_key_compare(&pair->model->groups[i - 1]->key,
					      &pair->model->groups[i]->key) < 0);
	/* What was emptied can be filled again. */
	assert_int_equal(ADD(pair->other, "239.0.0.8", "in", "y"), 0);
	assert_int_equal(model_replace(pair->model, pair->other, false, &fault), 0);
	assert_int_equal(pair->model->group_count, 2);
}

static void changed_groups_keep_their_struct_too(void **state)
{
	struct pair *pair = *state;
	struct group *group = FIND(pair->model, "239.0.0.1", "in");

	assert_int_equal(ADD(pair->other, "239.0.0.1", "in", "c", .exclude = "z"), 0);
	assert_int_equal(model_replace(pair->model, pair->other, false, &fault), 0);
	assert_ptr_equal(FIND(pair->model, "239.0.0.1", "in"), group);
	assert_string_equal(list(&group->to), "c");
	assert_string_equal(list(&group->exclude), "z");
	assert_string_equal(list(&group->set->to), "c");
}

static void config_brings_its_lines_limits_and_interfaces(void **state)
{
	struct pair *pair = *state;
	struct group *group = FIND(pair->model, "239.0.0.3", "in");

	assert_int_equal(ADD(pair->other, "239.0.0.3", "in", "d", .file = "y.conf", .line = 8), 0);
	assert_int_equal(wish(pair->other, "in", "b", false, "y.conf", &fault), 0);
	pair->other->limits.groups = 77;
	assert_int_equal(model_set_enforce(pair->other, ENFORCE_LOOKUP, &fault), 0);
	assert_int_equal(model_replace(pair->model, pair->other, true, &fault), 0);
	assert_string_equal(group->file, "y.conf");
	assert_int_equal(group->line, 8);
	assert_int_equal(pair->model->limits.groups, 77);
	assert_int_equal(pair->model->enforce, ENFORCE_LOOKUP);
	assert_string_equal(list(&model_find_interface(pair->model, "in")->exclude), "b");
	assert_int_equal(pair->model->group_count, 3);
	/* A runtime replacement leaves all of these alone. */
	pair->other->limits.groups = 5;
	assert_int_equal(model_replace(pair->model, pair->other, false, &fault), 0);
	assert_int_equal(pair->model->limits.groups, 77);
	assert_int_equal(pair->model->enforce, ENFORCE_LOOKUP);
	assert_int_equal(pair->model->group_count, 1);
	assert_non_null(model_find_interface(pair->model, "in"));
}

static void an_interfaces_new_exclude_reaches_groups_of_both_origins(void **state)
{
	struct pair *pair = *state;
	struct group *group = FIND(pair->model, "239.0.0.1", "in");

	assert_int_equal(ADD(pair->other, "239.0.0.3", "in", "d", .file = "x.conf", .line = 3), 0);
	assert_int_equal(wish(pair->other, "in", "b", false, "x.conf", &fault), 0);
	assert_int_equal(model_replace(pair->model, pair->other, true, &fault), 0);
	assert_string_equal(list(&group->set->to), "a");
	assert_int_equal(wish(pair->other, "in", "a,b", false, "x.conf", &fault), 0);
	refused(pair, true, -EINVAL, "239.0.0.1 from in (runtime): no egress is left");
}

static void a_key_of_both_origins_is_refused(void **state)
{
	struct pair *pair = *state;

	assert_int_equal(ADD(pair->other, "239.0.0.0", "in", "q"), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.3", "in", "d"), 0);
	refused(pair, false, -EEXIST, "x.conf:3");
}

static void config_takes_over_a_runtime_group_that_says_the_same(void **state)
{
	struct pair *pair = *state;
	struct group *group = FIND(pair->model, "239.0.0.2", "in");

	assert_int_equal(ADD(pair->other, "239.0.0.2", "in", "c", .file = "y.conf", .line = 5), 0);
	assert_int_equal(model_replace(pair->model, pair->other, true, &fault), 0);
	assert_ptr_equal(FIND(pair->model, "239.0.0.2", "in"), group);
	assert_string_equal(group->file, "y.conf");
	assert_int_equal(group->line, 5);
	assert_non_null(FIND(pair->model, "239.0.0.1", "in")); /* not in config: stays runtime's */
	/* From then on it is config's alone. */
	assert_int_equal(model_replace(pair->model, pair->other, true, &fault), 0);
	assert_null(FIND(pair->model, "239.0.0.2", "in"));
}

static void config_with_the_key_of_a_runtime_group_is_refused(void **state)
{
	struct pair *pair = *state;

	assert_int_equal(ADD(pair->other, "239.0.0.2", "in", "d", .file = "y.conf", .line = 5), 0);
	refused(pair, true, -EEXIST, "y.conf:5");
}

static void limits_hold_for_the_new_whole(void **state)
{
	struct pair *pair = *state;

	pair->model->limits =
	    (struct limits){.groups = 3, .entries = 3, .sets = 3, .members = 2, .interfaces = 5};
	assert_int_equal(ADD(pair->other, "239.0.0.5", "in", "a"), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.6", "in", "b"), 0);
	/* 2 new and 1 of config: 3 groups, 3 sets, the names in, a, b, d */
	assert_int_equal(model_replace(pair->model, pair->other, false, &fault), 0);
	assert_int_equal(pair->model->group_count, 3);
	/* The old ones go, so what takes their place may be as many. */
	assert_int_equal(ADD(pair->other, "239.0.0.7", "in", "p"), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.8", "in", "q,d"), 0);
	assert_int_equal(model_replace(pair->model, pair->other, false, &fault), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.1", "in", "d"), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.2", "in", "d"), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.4", "in", "d"), 0);
	refused(pair, false, -E2BIG, "`limit groups 3`");
	pair->model->limits.groups = 9;
	refused(pair, false, -E2BIG, "`limit entries 3`");
	pair->model->limits.entries = 9;
	assert_int_equal(model_replace(pair->model, pair->other, false, &fault), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.1", "in", "a,b,c"), 0);
	refused(pair, false, -E2BIG, "`limit members 2`");
	pair->model->limits.members = 3;
	assert_int_equal(ADD(pair->other, "239.0.0.2", "in", "a,b"), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.4", "in", "a"), 0);
	refused(pair, false, -E2BIG, "`limit sets 3`");
	pair->model->limits.sets = 4;
	assert_int_equal(ADD(pair->other, "239.0.0.5", "in2", "a"), 0);
	refused(pair, false, -E2BIG, "`limit interfaces 5`");
}

static void names_of_interface_statements_count(void **state)
{
	struct pair *pair = *state;

	/* in, d and x of config, k and l of the runtime wish, a of the new group: 6 */
	assert_int_equal(wish(pair->model, "in", "x", false, "x.conf", &fault), 0);
	assert_int_equal(wish(pair->other, "k", "l", false, NULL, &fault), 0);
	assert_int_equal(ADD(pair->other, "239.0.0.5", "in", "a"), 0);
	pair->model->limits.interfaces = 5;
	refused(pair, false, -E2BIG, "`limit interfaces 5`");
	/* Nothing of the refused is still counted: now there are in, a, b, c, d, x. */
	pair->model->limits.interfaces = 7;
	assert_int_equal(ADD(pair->model, "239.0.0.9", "in", "seventh"), 0);
	pair->model->limits.interfaces = 6;
	assert_int_equal(model_replace(pair->model, pair->other, false, &fault), 0);
}

static void config_may_not_lower_a_limit_below_what_is_used(void **state)
{
	struct pair *pair = *state;

	pair->other->limits.groups = 1;
	refused(pair, true, -E2BIG, "`limit groups 1`");
	pair->other->limits.groups = 2;
	assert_int_equal(model_replace(pair->model, pair->other, true, &fault), 0);
}

/* Any new state from any old one: the result is that of adding everything to an empty model. */
static void random_replacements_equal_a_fresh_start(void **state)
{
	struct pair *pair = *state;
	unsigned int seed = 11;

	model_free(pair->model);
	pair->model = model_new();
	for (unsigned int round = 0; round < 500; round++) {
		struct model *fresh = model_new();
		char *got, *wanted;

		for (unsigned int i = 0; i < 12; i++) {
			unsigned int n = (seed = seed * 1103515245 + 12345) >> 16;
			char address[32], to[32];

			snprintf(address, sizeof(address), "239.0.0.%u", n & 15);
			snprintf(to, sizeof(to), "a%u,b", n >> 4 & 3);
			ADD(pair->other, address, n & 64 ? "in" : "in2", to);
			ADD(fresh, address, n & 64 ? "in" : "in2", to);
		}
		if (round & 1) {
			wish(pair->other, "in", "a1", false, NULL, &fault);
			wish(fresh, "in", "a1", false, NULL, &fault);
		}
		assert_int_equal(model_replace(pair->model, pair->other, false, &fault), 0);
		model_settle(fresh);
		got = dump(pair->model);
		wanted = dump(fresh);
		assert_string_equal(got, wanted);
		free(got);
		free(wanted);
		model_free(fresh);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(unchanged_groups_keep_their_struct),
	    TEST(changed_groups_keep_their_struct_too),
	    TEST(config_brings_its_lines_limits_and_interfaces),
	    TEST(an_interfaces_new_exclude_reaches_groups_of_both_origins),
	    TEST(a_key_of_both_origins_is_refused),
	    TEST(config_takes_over_a_runtime_group_that_says_the_same),
	    TEST(config_with_the_key_of_a_runtime_group_is_refused),
	    TEST(limits_hold_for_the_new_whole),
	    TEST(names_of_interface_statements_count),
	    TEST(config_may_not_lower_a_limit_below_what_is_used),
	    TEST(random_replacements_equal_a_fresh_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
