/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of one statement, as the CLI hands them over. */
#include <errno.h>
#include <string.h>

#include "tests/unit/config/collect.h"

#define WORDS(...) ((const char *[]){__VA_ARGS__, NULL})
#define PARSE(need, ...)                                                                           \
	group_statement_parse(sizeof(WORDS(__VA_ARGS__)) / sizeof(char *) - 1, WORDS(__VA_ARGS__), \
			      need, &out, &fault)

static void all_options_are_understood(void **state)
{
	struct group_statement out;
	struct prefix address = make_prefix("239.1.1.0/24"), source = make_prefix("10.0.0.0/8");
	struct fault fault;

	(void)state;
	assert_int_equal(PARSE(true, "239.1.1.0/24", "--from", "b,a", "--to=x*", "--to", "y",
			       "--source", "10.0.0.0/8", "--vlan", "5.6", "--exclude", "x1",
			       "--pending"),
			 0);
	assert_int_equal(prefix_compare(&out.address, &address), 0);
	assert_int_equal(prefix_compare(&out.source, &source), 0);
	assert_int_equal(out.vlan, 5 << 16 | 6);
	assert_string_equal(list(&out.from), "a,b");
	assert_string_equal(list(&out.to), "x*,y");
	assert_string_equal(list(&out.exclude), "x1");
	assert_true(out.pending);
	group_statement_free(&out);
	/* Options may stand before the address. */
	assert_int_equal(PARSE(true, "--to", "x", "--from", "a", "ff05::1"), 0);
	assert_false(out.pending);
	assert_int_equal(out.vlan, 0);
	assert_int_equal(out.source.len, 0);
	group_statement_free(&out);
	/* del-group needs neither. */
	assert_int_equal(PARSE(false, "239.1.1.1"), 0);
	assert_int_equal(out.from.count + out.to.count + out.exclude.count, 0);
	group_statement_free(&out);
}

static void every_mistake_is_named(void **state)
{
	static const struct {
		const char *words[8], *says;
	} cases[] = {
	    {{"--from", "a", "--to", "b"}, "a word is missing"},
	    {{"239.1.1.1", "239.1.1.2", "--from", "a", "--to", "b"},
	     "239.1.1.2 is one word too many"},
	    {{"239.1.1", "--from", "a", "--to", "b"}, "239.1.1: is not an"},
	    {{"239.1.1.1", "--to", "b"}, "--from is missing"},
	    {{"239.1.1.1", "--from", "a"}, "--to is missing"},
	    {{"239.1.1.1", "--from", "a", "--to"}, "--to: missing argument"},
	    {{"239.1.1.1", "--from", "a", "--too", "b"}, "--too: unknown option"},
	    {{"239.1.1.1", "--from", "a", "--to", "b,,c"}, "--to b,,c: is not a list"},
	    {{"239.1.1.1", "--from", "a", "--to", "b/c"}, "--to b/c: is not a list"},
	    {{"239.1.1.1", "--from", "a", "--to", ""}, "is not a list"},
	    {{"239.1.1.1", "--vlan", "4095"}, "--vlan 4095: is not a VLAN"},
	    {{"239.1.1.1", "--source", "x"}, "--source x: is not an"},
	    {{"239.1.1.1", "--source", "10.0.0.1/8"}, "bits set behind"},
	    {{"239.1.1.1", "--vlan", "1", "--vlan", "1"}, "--vlan is given twice"},
	    {{"239.1.1.1", "--pending", "--pending"}, "--pending is given twice"},
	    {{"239.1.1.1", "--mode", "native"}, "--mode does not belong here"},
	    {{"239.1.1.1", "--enforce", "fold"}, "--enforce does not belong here"},
	    {{"239.1.1.1", "--detached"}, "--detached does not belong here"},
	    {{"239.1.1.1", "-x"}, "-x: unknown option"},
	    {{"239.1.1.1", "--pending=yes"}, "--pending"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct group_statement out;
		struct fault fault = {};
		int argc = 0;

		while (cases[i].words[argc])
			argc++;
		if (group_statement_parse(argc, (const char **)cases[i].words, true, &out,
					  &fault) != -EINVAL)
			fail_msg("taken: %s", cases[i].says);
		assert_says(fault, cases[i].says);
		assert_true(!strncmp(fault.text, "group", 5));
		assert_null(strchr(fault.text, '\n'));
	}
}

static void a_huge_word_does_not_drown_its_reason(void **state)
{
	static char word[100000];
	struct group_statement out;
	struct fault fault;

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	assert_int_equal(PARSE(true, word, "--from", "a", "--to", "b"), -EINVAL);
	assert_says(fault, "is not an IPv4");
	assert_int_equal(PARSE(true, "239.1.1.1", "--from", word, "--to", "b"), -EINVAL);
	assert_says(fault, "is not a list");
}

static void one_group_per_ingress_all_or_none(void **state)
{
	struct model *model = model_new();
	struct group_statement out;
	struct fault fault;

	(void)state;
	assert_int_equal(PARSE(true, "239.1.1.1", "--from", "a,b,c", "--to", "c"), 0);
	assert_int_equal(group_statement_add(&out, model, NULL, 0, &fault), -EINVAL);
	assert_says(fault, "from c");
	assert_int_equal(model->group_count, 0);
	names_remove(&out.from, "c");
	assert_int_equal(group_statement_add(&out, model, NULL, 0, &fault), 0);
	assert_int_equal(model->group_count, 2);
	assert_int_equal(group_statement_add(&out, model, NULL, 0, &fault), 1);
	group_statement_free(&out);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_options_are_understood),
	    cmocka_unit_test(every_mistake_is_named),
	    cmocka_unit_test(a_huge_word_does_not_drown_its_reason),
	    cmocka_unit_test(one_group_per_ingress_all_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
