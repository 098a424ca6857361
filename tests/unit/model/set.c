/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which groups share an egress set, and what is in it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/model/make.h"

static struct fault fault;
static unsigned int gone;

static void count_gone(struct egress_set *set, void *data)
{
	assert_ptr_equal(data, &gone);
	assert_true(set->to.count > 0); /* still whole when we are told */
	gone++;
}

static int setup(void **state)
{
	struct model *model = model_new();

	*state = model;
	gone = 0;
	if (!model)
		return -1;
	model->set_gone = count_gone;
	model->set_gone_data = &gone;
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static const struct egress_set *set_of(struct model *model, const char *address, const char *from,
				       const char *to, const char *exclude)
{
	assert_int_equal(ADD(model, address, from, to, .exclude = exclude), 0);
	return FIND(model, address, from)->set;
}

static void equal_members_are_one_set(void **state)
{
	struct model *model = *state;
	const struct egress_set *set = set_of(model, "239.0.0.1", "in", "a,b", NULL);

	assert_string_equal(list(&set->to), "a,b");
	assert_string_equal(list(&set->exclude), "");
	assert_null(set->actual);
	/* however they were written, and whatever the ingress */
	assert_ptr_equal(set_of(model, "239.0.0.2", "in", "b,a", NULL), set);
	assert_ptr_equal(set_of(model, "239.0.0.3", "in2", "a,b", NULL), set);
	assert_ptr_equal(set_of(model, "239.0.0.4", "in", "a,b,c", "c"), set);
	assert_ptr_equal(set_of(model, "239.0.0.5", "in", "a,b,in", NULL), set);
	assert_ptr_equal(set_of(model, "239.0.0.6", "in", "a,b,c1,c2", "c*"), set);
	assert_ptr_equal(set_of(model, "239.0.0.7", "in", "a,b", "x,y*"), set);
	assert_ptr_equal(set_of(model, "239.0.0.8", "in", "a,b,c1*", "c*"), set);
	assert_int_equal(set->users, 8);
	assert_ptr_not_equal(set_of(model, "239.0.0.9", "in", "a", NULL), set);
	assert_ptr_not_equal(set_of(model, "239.0.0.10", "in", "a,b,c", NULL), set);
}

static void excludes_stay_only_where_a_pattern_could_meet_them(void **state)
{
	struct model *model = *state;
	const struct egress_set *set;

	set = set_of(model, "239.0.0.1", "veth0", "veth*,eth0", "veth1,eth1,tap*,veth2*");
	assert_string_equal(list(&set->to), "eth0,veth*");
	assert_string_equal(list(&set->exclude), "veth0,veth1,veth2*");
	/* From an ingress that the pattern does not match, the ingress is not in it. */
	set = set_of(model, "239.0.0.2", "in", "veth*", "veth1");
	assert_string_equal(list(&set->exclude), "veth1");
	assert_ptr_equal(set_of(model, "239.0.0.3", "in2", "veth*", "veth1,in3"), set);
	/* Named twice, by the group and as the ingress: once. */
	set = set_of(model, "239.0.0.4", "veth1", "veth*", "veth1");
	assert_string_equal(list(&set->exclude), "veth1");
	assert_ptr_equal(set, FIND(model, "239.0.0.2", "in")->set);
	/* A pattern of ? and [ is not taken for covering more than it does. */
	set = set_of(model, "239.0.0.5", "in", "veth*", "veth?");
	assert_string_equal(list(&set->to), "veth*");
	assert_string_equal(list(&set->exclude), "veth?");
	set = set_of(model, "239.0.0.6", "in", "v[ab]*", "v[ab]x*");
	assert_string_equal(list(&set->to), "v[ab]*");
	assert_string_equal(list(&set->exclude), "v[ab]x*");
	/* "v*x*" also means vx, which "v?x*" does not */
	set = set_of(model, "239.0.0.7", "in", "v*x*", "v?x*");
	assert_string_equal(list(&set->to), "v*x*");
	assert_string_equal(list(&set->exclude), "v?x*");
}

static void an_interfaces_excludes_are_folded_in(void **state)
{
	struct model *model = *state;
	const struct egress_set *set;

	assert_int_equal(wish(model, "in", "b,veth1", false, NULL, &fault), 0);
	set = set_of(model, "239.0.0.1", "in", "a,b", NULL);
	assert_string_equal(list(&set->to), "a");
	set = set_of(model, "239.0.0.2", "in", "veth*", NULL);
	assert_string_equal(list(&set->exclude), "veth1");
	assert_string_equal(list(&set_of(model, "239.0.0.3", "in2", "a,b", NULL)->to), "a,b");
	assert_int_equal(ADD(model, "239.0.0.4", "in", "b"), -EINVAL);
	assert_says(fault, "no egress is left");
}

static void a_changed_exclude_derives_the_sets_anew(void **state)
{
	struct model *model = *state;
	struct group *group;
	char *before, *after;

	assert_int_equal(wish(model, "in", NULL, false, "x.conf", &fault), 0);
	set_of(model, "239.0.0.1", "in", "a,b", NULL);
	set_of(model, "239.0.0.2", "in2", "a,b", NULL);
	group = FIND(model, "239.0.0.1", "in");
	assert_int_equal(wish(model, "in", "b", false, NULL, &fault), 0);
	assert_ptr_equal(FIND(model, "239.0.0.1", "in"), group);
	assert_string_equal(list(&group->set->to), "a");
	assert_string_equal(list(&FIND(model, "239.0.0.2", "in2")->set->to), "a,b");
	/* An exclude that leaves a group without egress is refused, and names the group. */
	before = dump(model);
	assert_int_equal(wish(model, "in", "a,b", false, NULL, &fault), -EINVAL);
	assert_says(fault, "239.0.0.1 from in");
	after = dump(model);
	assert_string_equal(before, after);
	free(before);
	free(after);
	/* Saying at run time what config says anyway takes the runtime wish back. */
	assert_int_equal(wish(model, "in", NULL, false, NULL, &fault), 0);
	assert_string_equal(list(&group->set->to), "a,b");
	assert_ptr_equal(group->set, FIND(model, "239.0.0.2", "in2")->set);
	assert_int_equal(gone, 1);
}

static void lookup_folds_only_the_ingress(void **state)
{
	struct model *model = *state;
	const struct egress_set *set;

	set_of(model, "239.0.0.1", "in", "a,b,in", "b");
	set_of(model, "239.0.0.2", "in2", "a,b", NULL);
	set_of(model, "239.0.0.3", "v1", "v*", "v2");
	assert_ptr_not_equal(FIND(model, "239.0.0.1", "in")->set,
			     FIND(model, "239.0.0.2", "in2")->set);
	assert_int_equal(model_set_enforce(model, ENFORCE_LOOKUP, &fault), 0);
	set = FIND(model, "239.0.0.1", "in")->set;
	assert_string_equal(list(&set->to), "a,b");
	assert_ptr_equal(set, FIND(model, "239.0.0.2", "in2")->set);
	set = FIND(model, "239.0.0.3", "v1")->set;
	assert_string_equal(list(&set->exclude), "v1");
	assert_int_equal(model_set_enforce(model, ENFORCE_FOLD, &fault), 0);
	assert_string_equal(list(&FIND(model, "239.0.0.1", "in")->set->to), "a");
	assert_string_equal(list(&FIND(model, "239.0.0.3", "v1")->set->exclude), "v1,v2");
}

static void a_set_goes_with_its_last_group(void **state)
{
	struct model *model = *state;
	struct group_key key;

	set_of(model, "239.0.0.1", "in", "a,b", NULL);
	set_of(model, "239.0.0.2", "in", "a,b", NULL);
	key = make_key(&(struct wanted){.address = "239.0.0.1", .from = "in"});
	assert_int_equal(model_del_group(model, &key, &fault), 0);
	assert_int_equal(gone, 0);
	assert_int_equal(FIND(model, "239.0.0.2", "in")->set->users, 1);
	key = make_key(&(struct wanted){.address = "239.0.0.2", .from = "in"});
	assert_int_equal(model_del_group(model, &key, &fault), 0);
	assert_int_equal(gone, 1);
	set_of(model, "239.0.0.1", "in", "a,b", NULL);
	set_of(model, "239.0.0.2", "in", "c", NULL);
	model_free(model);
	assert_int_equal(gone, 3);
	*state = NULL;
}

/* Names come and go, and their memory with them: a stale shortcut would give a wrong set. */
static void shortcuts_do_not_outlive_their_names(void **state)
{
	struct model *model = *state;
	unsigned int seed = 3;

	for (unsigned int i = 0; i < 20000; i++) {
		unsigned int n = (seed = seed * 1103515245 + 12345) >> 16;
		char to[40], exclude[16], from[16], expected[40];
		struct group_key key;

		snprintf(from, sizeof(from), "in%u", n & 3);
		snprintf(to, sizeof(to), "a%u,b%u,c", n >> 2 & 3, n >> 4 & 3);
		snprintf(exclude, sizeof(exclude), "b%u", n >> 6 & 3);
		assert_int_equal(ADD(model, "239.0.0.1", from, to, .exclude = exclude), 0);
		snprintf(expected, sizeof(expected), "a%u,b%u,c", n >> 2 & 3, n >> 4 & 3);
		if ((n >> 4 & 3) == (n >> 6 & 3))
			snprintf(expected, sizeof(expected), "a%u,c", n >> 2 & 3);
		assert_string_equal(list(&FIND(model, "239.0.0.1", from)->set->to), expected);
		key = make_key(&(struct wanted){.address = "239.0.0.1", .from = from});
		assert_int_equal(model_del_group(model, &key, &fault), 0);
	}
	assert_int_equal(gone, 20000);
}

static void remove_group(struct model *model, const char *address, const char *from)
{
	struct group_key key = make_key(&(struct wanted){.address = address, .from = from});

	assert_int_equal(model_del_group(model, &key, &fault), 0);
}

/*
 * The same when the set lives on and only a name or a list goes: the allocator soon puts
 * another one where it was.
 */
static void shortcuts_do_not_mistake_what_lies_where_something_lay(void **state)
{
	struct model *model = *state;
	const struct egress_set *keeper = set_of(model, "239.0.1.1", "keeper", "veth*", NULL);
	const struct egress_set *plain = set_of(model, "239.0.1.2", "keeper", "a,b", NULL);

	for (unsigned int i = 0; i < 100; i++) {
		char in[16], veth[16], others[32];

		snprintf(in, sizeof(in), "in%u", i);
		snprintf(veth, sizeof(veth), "veth%u", i);
		snprintf(others, sizeof(others), "x%u,y%u,z%u", i, i, i);
		assert_ptr_equal(set_of(model, "239.0.0.1", in, "veth*", NULL), keeper);
		remove_group(model, "239.0.0.1", in);
		assert_string_equal(list(&set_of(model, "239.0.0.1", veth, "veth*", NULL)->exclude),
				    veth);
		remove_group(model, "239.0.0.1", veth);

		assert_ptr_equal(set_of(model, "239.0.0.2", "keeper", "a,b,keeper", NULL), plain);
		remove_group(model, "239.0.0.2", "keeper");
		assert_string_equal(list(&set_of(model, "239.0.0.2", "keeper", others, NULL)->to),
				    others);
		remove_group(model, "239.0.0.2", "keeper");
	}
}

static void a_set_that_went_is_made_anew(void **state)
{
	struct model *model = *state;

	/* The ingress and the list stay, by other groups; their set goes. */
	set_of(model, "239.0.0.1", "veth1", "veth*", NULL);
	set_of(model, "239.0.0.2", "veth2", "veth*", NULL);
	set_of(model, "239.0.0.3", "veth1", "a", NULL);
	remove_group(model, "239.0.0.1", "veth1");
	assert_int_equal(gone, 1);
	assert_int_equal(set_of(model, "239.0.0.1", "veth1", "veth*", NULL)->users, 1);
	assert_string_equal(list(&FIND(model, "239.0.0.1", "veth1")->set->exclude), "veth1");
}

/* What was derived for a change that is then refused must not be used afterwards. */
static void a_refused_change_leaves_no_shortcut(void **state)
{
	struct model *model = *state, *other = model_new();

	set_of(model, "239.0.0.1", "in", "a,b", NULL);
	set_of(model, "239.0.0.2", "in", "b", NULL);
	set_of(model, "239.0.0.3", "in2", "a", NULL);
	assert_int_equal(wish(model, "in", "b", false, NULL, &fault), -EINVAL);
	assert_string_equal(list(&set_of(model, "239.0.0.4", "in", "a,b", NULL)->to), "a,b");

	assert_int_equal(wish(other, "in", "b", false, "x.conf", &fault), 0);
	assert_int_equal(model_replace(model, other, true, &fault), -EINVAL);
	assert_string_equal(list(&set_of(model, "239.0.0.5", "in", "a,b", NULL)->to), "a,b");
	model_free(other);

	set_of(model, "239.0.0.6", "in", "a,b,c", "c");
	set_of(model, "239.0.0.7", "in", "a,b,c", NULL);
	set_of(model, "239.0.0.8", "in", "a,b,c,d,e", "d,e");
	model->limits.members = 4;
	assert_int_equal(model_set_enforce(model, ENFORCE_LOOKUP, &fault), -E2BIG);
	assert_int_equal(model->enforce, ENFORCE_FOLD);
	assert_string_equal(list(&set_of(model, "239.0.0.9", "in", "a,b,c", "c")->to), "a,b");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(equal_members_are_one_set),
	    TEST(excludes_stay_only_where_a_pattern_could_meet_them),
	    TEST(an_interfaces_excludes_are_folded_in),
	    TEST(a_changed_exclude_derives_the_sets_anew),
	    TEST(lookup_folds_only_the_ingress),
	    TEST(a_set_goes_with_its_last_group),
	    TEST(shortcuts_do_not_outlive_their_names),
	    TEST(shortcuts_do_not_mistake_what_lies_where_something_lay),
	    TEST(a_set_that_went_is_made_anew),
	    TEST(a_refused_change_leaves_no_shortcut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
