/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding, changing and removing groups one by one, and what is refused. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/model/make.h"

static struct fault fault;

static int setup(void **state)
{
	fault = (struct fault){};
	return !(*state = model_new());
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static void groups_are_sorted_when_read(void **state)
{
	static const char *const addresses[] = {"239.1.1.3", "239.1.1.1", "ff05::1", "239.1.1.2",
						"01:1b:19:00:00:00"};
	struct model *model = *state;
	char last[16] = "";

	for (unsigned int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 5; i++)
			assert_int_equal(ADD(model, addresses[i], round ? "b" : "a", "out"), 0);
		assert_int_equal(ADD(model, "239.1.1.1", round ? "b" : "a", "out", .vlan = "7"), 0);
		model_settle(model); /* the second round is inserted in order */
		for (size_t i = 1; i < model->group_count; i++)
			assert_true(group_key_compare(&model->groups[i - 1]->key,
						      &model->groups[i]->key) < 0);
	}
	assert_int_equal(model->group_count, 12);
	snprintf(last, sizeof(last), "%s", model->groups[11]->key.from);
	assert_string_equal(last, "b");
}

static void the_same_again_succeeds_and_says_so(void **state)
{
	struct model *model = *state;
	unsigned long long version;
	char *before, *after;

	assert_int_equal(ADD(model, "239.1.1.1", "in", "a,b", .source = "10.0.0.0/8"), 0);
	version = model->version;
	before = dump(model);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "b,a,b", .source = "10.0.0.0/8"), 1);
	after = dump(model);
	assert_string_equal(before, after);
	assert_int_equal(model->version, version);
	free(before);
	free(after);
}

static void a_source_of_all_addresses_is_no_source(void **state)
{
	struct model *model = *state;

	assert_int_equal(ADD(model, "239.1.1.1", "in", "a", .source = "0.0.0.0/0"), 0);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a"), 1);
	assert_int_equal(ADD(model, "ff05::1", "in", "a", .source = "::/0"), 0);
	assert_int_equal(ADD(model, "ff05::1", "in", "a"), 1);
	assert_non_null(FIND(model, "239.1.1.1", "in", .source = "0.0.0.0/0"));
}

static void the_same_key_with_other_content_is_refused(void **state)
{
	struct model *model = *state;

	assert_int_equal(ADD(model, "239.1.1.1", "in", "a,b"), 0);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a"), -EEXIST);
	assert_says(fault, "239.1.1.1 from in");
	assert_says(fault, "add-egress");
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a,b", .exclude = "c"), -EEXIST);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a,b", .file = "x.conf", .line = 3),
			 -EEXIST);
	assert_says(fault, "runtime group already");
	assert_int_equal(ADD(model, "239.1.1.2", "in", "a", .file = "x.conf", .line = 7), 0);
	assert_int_equal(ADD(model, "239.1.1.2", "in", "a"), -EEXIST);
	assert_says(fault, "x.conf:7");
	assert_int_equal(ADD(model, "239.1.1.2", "in", "b", .file = "y.conf", .line = 9), -EEXIST);
	assert_says(fault, "x.conf:7");
	/* What differs in any part of the key is another group. */
	assert_int_equal(ADD(model, "239.1.1.1", "in2", "a"), 0);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a", .vlan = "5"), 0);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a", .vlan = "5.6"), 0);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a", .source = "10.0.0.1"), 0);
	assert_int_equal(ADD(model, "239.1.1.0/24", "in", "a"), 0);
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const struct {
		struct wanted wanted;
		const char *says;
	} cases[] = {
	    {{.address = "10.1.1.1", .from = "in", .to = "a"}, "is not multicast"},
	    {{.address = "224.0.0.0/3", .from = "in", .to = "a"}, "is not multicast"},
	    {{.address = "2001:db8::1", .from = "in", .to = "a"}, "is not multicast"},
	    {{.address = "02:00:00:00:00:01", .from = "in", .to = "a"}, "is not multicast"},
	    {{.address = "00:00:00:00:00:00/7", .from = "in", .to = "a"}, "is not multicast"},
	    {{.address = "ff:ff:ff:ff:ff:ff", .from = "in", .to = "a"}, "broadcast"},
	    {{.address = "01:00:5e:01:01:01", .from = "in", .to = "a"}, "MAC of IP multicast"},
	    {{.address = "33:33:00:00:00:00/24", .from = "in", .to = "a"}, "IP multicast"},
	    {{.address = "239.1.1.1", .from = "in", .to = "a", .source = "2001:db8::1"},
	     "different families"},
	    {{.address = "ff05::1", .from = "in", .to = "a", .source = "10.0.0.1"},
	     "different families"},
	    {{.address = "ff05::1", .from = "in", .to = "a", .source = "02:00:00:00:00:01"},
	     "different families"},
	    {{.address = "239.1.1.1", .from = "in", .to = "a", .source = "239.1.1.2"},
	     "source is multicast"},
	    {{.address = "239.1.1.1", .from = "in*", .to = "a"}, "not a pattern"},
	    {{.address = "239.1.1.1", .from = "", .to = "a"}, "ingress must be"},
	    {{.address = "239.1.1.1", .from = "in"}, "has no egress"},
	    {{.address = "239.1.1.1", .from = "in", .to = "in"}, "split horizon"},
	    {{.address = "239.1.1.1", .from = "in", .to = "a,b", .exclude = "a,b"},
	     "no egress is left"},
	    {{.address = "239.1.1.1", .from = "in", .to = "in,a,v1", .exclude = "v*,a"},
	     "no egress is left"},
	    {{.address = "239.1.1.1", .from = "in", .to = "v1*,v?", .exclude = "v*"},
	     "no egress is left"},
	};
	struct model *model = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int r = add(model, &cases[i].wanted, &fault);
		char *text;

		if (r != -EINVAL)
			fail_msg("%s: %d", cases[i].wanted.address, r);
		assert_says(fault, cases[i].says);
		assert_says(fault, cases[i].wanted.address);
		assert_null(strchr(fault.text, '\n'));
		assert_int_equal(model->group_count, 0);
		text = dump(model);
		assert_string_equal(strchr(text, '\n'), "\n");
		free(text);
	}
	/* The same with lookup: what is excluded there is excluded, too. */
	assert_int_equal(model_set_enforce(model, ENFORCE_LOOKUP, &fault), 0);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a", .exclude = "a"), -EINVAL);
	assert_says(fault, "no egress is left");
}

static void vlans_out_of_range_are_refused(void **state)
{
	static const __u32 bad[] = {4095, 4096, 65535, 5u << 16, 4095u << 16 | 5, 5u << 16 | 4095};
	struct group group = {.key.address = make_prefix("239.1.1.1"), .to = make_names("a")};

	strcpy(group.key.from, "in");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		group.key.vlan = bad[i];
		assert_int_equal(model_add_group(*state, &group, &fault), -EINVAL);
		assert_says(fault, "1 to 4094");
	}
	names_free(&group.to);
}

static void limits_are_errors_that_change_nothing(void **state)
{
	struct model *model = *state;
	char *before, *after;

	model->limits =
	    (struct limits){.groups = 3, .entries = 100, .sets = 2, .members = 3, .interfaces = 6};
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a,b,c"), 0);
	assert_int_equal(ADD(model, "239.1.1.2", "in", "a"), 0);
	before = dump(model);
	assert_int_equal(ADD(model, "239.1.1.3", "in", "a,b,c,d"), -E2BIG);
	assert_says(fault, "`limit members 3` is reached; raise it with `limit members N`");
	assert_int_equal(ADD(model, "239.1.1.3", "in", "b"), -E2BIG);
	assert_says(fault, "`limit sets 2` is reached; raise it with `limit sets N`");
	assert_int_equal(ADD(model, "239.1.1.3", "in", "a", .exclude = "x,y,z"), -E2BIG);
	assert_says(fault, "`limit interfaces 6` is reached; raise it with `limit interfaces N`");
	after = dump(model);
	assert_string_equal(before, after);
	free(after);
	free(before);
	/* A member that is the ingress or excluded does not count. */
	assert_int_equal(ADD(model, "239.1.1.3", "in", "a,b,c,in,e", .exclude = "e"), 0);
	assert_int_equal(ADD(model, "239.1.1.4", "in", "a"), -E2BIG);
	assert_says(fault, "`limit groups 3` is reached; raise it with `limit groups N`");
}

static void all_ingresses_or_none(void **state)
{
	struct model *model = *state;
	struct names from = make_names("in1,in2,out,zz");
	struct group group = {.key.address = make_prefix("239.1.1.1"), .to = make_names("out")};

	assert_int_equal(model_add_groups(model, &group, &from, &fault), -EINVAL);
	assert_says(fault, "from out");
	assert_int_equal(model->group_count, 0);
	names_remove(&from, "out");
	assert_int_equal(model_add_groups(model, &group, &from, &fault), 0);
	assert_int_equal(model->group_count, 3);
	assert_int_equal(model_add_groups(model, &group, &from, &fault), 1);
	names_add(&from, "aa"); /* some are there, one is new */
	assert_int_equal(model_add_groups(model, &group, &from, &fault), 0);
	assert_int_equal(model->group_count, 4);
	model_settle(model); /* the same when each is put in its place at once */
	names_add(&from, "ab");
	names_add(&from, "out");
	assert_int_equal(model_add_groups(model, &group, &from, &fault), -EINVAL);
	assert_int_equal(model->group_count, 4);
	assert_null(FIND(model, "239.1.1.1", "ab"));
	names_free(&from);
	names_free(&group.to);
}

static void only_runtime_groups_are_changed_by_verbs(void **state)
{
	struct model *model = *state;
	struct names to = make_names("x"), none = {};
	struct group_key config = make_key(&(struct wanted){.address = "239.1.1.1", .from = "in"});
	struct group_key other = make_key(&(struct wanted){.address = "239.1.1.9", .from = "in"});

	assert_int_equal(ADD(model, "239.1.1.1", "in", "a", .file = "x.conf", .line = 12), 0);
	assert_int_equal(model_del_group(model, &config, &fault), -EPERM);
	assert_says(fault, "x.conf:12");
	assert_int_equal(model_change_group(model, &config, &to, &none, &fault), -EPERM);
	assert_says(fault, "x.conf:12");
	assert_int_equal(model_del_group(model, &other, &fault), -ENOENT);
	assert_says(fault, "239.1.1.9 from in");
	assert_int_equal(model_change_group(model, &other, &to, &none, &fault), -ENOENT);
	names_free(&to);
}

static void a_change_keeps_the_struct(void **state)
{
	struct model *model = *state;
	struct names to = make_names("b,c,d"), exclude = make_names("d"), all = make_names("b,c,d");
	struct group *group;

	assert_int_equal(ADD(model, "239.1.1.1", "in", "a,b"), 0);
	group = FIND(model, "239.1.1.1", "in");
	assert_int_equal(model_change_group(model, &group->key, &to, &exclude, &fault), 0);
	assert_ptr_equal(FIND(model, "239.1.1.1", "in"), group);
	assert_string_equal(list(&group->to), "b,c,d");
	assert_string_equal(list(&group->exclude), "d");
	assert_string_equal(list(&group->set->to), "b,c");
	assert_int_equal(group->set->users, 1);
	assert_int_equal(model_change_group(model, &group->key, &to, &all, &fault), -EINVAL);
	assert_says(fault, "no egress is left");
	assert_string_equal(list(&group->set->to), "b,c");
	names_free(&to);
	names_free(&exclude);
	names_free(&all);
}

static void groups_come_and_go_at_random(void **state)
{
	struct model *model = *state;
	bool there[256] = {};
	unsigned int seed = 7, count = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		unsigned int n = (seed = seed * 1103515245 + 12345) >> 16 & 255;
		char address[32], to[32];
		struct group_key key;

		snprintf(address, sizeof(address), "239.1.%u.%u", n & 3, n);
		snprintf(to, sizeof(to), "out%u,x", n % 5);
		key = make_key(&(struct wanted){.address = address, .from = n & 1 ? "a" : "b"});
		if (there[n]) {
			assert_int_equal(model_del_group(model, &key, &fault), 0);
			count--;
		} else {
			assert_int_equal(ADD(model, address, n & 1 ? "a" : "b", to), 0);
			count++;
		}
		there[n] = !there[n];
		assert_int_equal(model->group_count, count);
		assert_int_equal(model_find_group(model, &key) != NULL, there[n]);
	}
	for (size_t i = 1; i < model->group_count; i++)
		assert_true(group_key_compare(&model->groups[i - 1]->key, &model->groups[i]->key) <
			    0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(groups_are_sorted_when_read),
	    TEST(the_same_again_succeeds_and_says_so),
	    TEST(a_source_of_all_addresses_is_no_source),
	    TEST(the_same_key_with_other_content_is_refused),
	    TEST(what_makes_no_sense_is_refused),
	    TEST(vlans_out_of_range_are_refused),
	    TEST(limits_are_errors_that_change_nothing),
	    TEST(all_ingresses_or_none),
	    TEST(only_runtime_groups_are_changed_by_verbs),
	    TEST(a_change_keeps_the_struct),
	    TEST(groups_come_and_go_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
