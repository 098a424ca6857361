/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines to statements: all errors with their lines, whatever the bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/config/collect.h"

static struct errors errors;

static int setup(void **state)
{
	return !(*state = model_new());
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static void statements_take_effect(void **state)
{
	static const char text[] = "# what we forward\n"
				   "\n"
				   "group 239.1.1.1 --from in --to a,b # don't forget\n"
				   "  group\t239.1.1.2 --from 'in' --to \"a\",b\n"
				   "interface in --mode native --exclude c --detached\n"
				   "limit groups 7\n"
				   "daemon --enforce lookup\n"
				   "daemon\n"
				   "'group' 239.1.1.3 --from in --to a";
	struct model *model = *state;

	assert_int_equal(read_string(text, false, model, &errors), 0);
	assert_int_equal(model->group_count, 3);
	assert_string_equal(list(&FIND(model, "239.1.1.2", "in")->to), "a,b");
	assert_int_equal(FIND(model, "239.1.1.2", "in")->line, 4);
	assert_string_equal(FIND(model, "239.1.1.2", "in")->file, "test.conf");
	assert_non_null(FIND(model, "239.1.1.3", "in"));
	assert_int_equal(model->limits.groups, 7);
	assert_int_equal(model->enforce, ENFORCE_LOOKUP);
	assert_int_equal(model->interfaces[0].mode, MODE_NATIVE);
	assert_true(model->interfaces[0].detached);
	assert_string_equal(list(&model->interfaces[0].exclude), "c");
	assert_string_equal(model->interfaces[0].file, "test.conf");
	assert_int_equal(model->interfaces[0].line, 5);
}

static void the_order_of_lines_does_not_matter(void **state)
{
	static const char text[] = "group 239.1.1.2 --from in --to a,b\n"
				   "group 239.1.1.1 --from in --to a,b\n"
				   "interface in --exclude b\n"
				   "limit groups 2\n"
				   "limit members 1\n";
	struct model *model = *state;

	assert_int_equal(read_string(text, false, model, &errors), 0);
	assert_string_equal(list(&FIND(model, "239.1.1.1", "in")->set->to), "a");
	assert_true(group_key_compare(&model->groups[0]->key, &model->groups[1]->key) < 0);
}

static void every_error_has_its_line_and_they_come_in_order(void **state)
{
	static const char text[] = "groop 239.1.1.1 --from in --to a\n"	 /* 1 */
				   "group 239.1.1.1 --from in --to in\n" /* 2 */
				   "limit groups none\n"		 /* 3 */
				   "\n"					 /* 4 */
				   "interface in --mode fast\n"		 /* 5 */
				   "group 239.1.1.9 --from in --to a\n"	 /* 6: good */
				   "group 239.1.1.9 --from in --to b\n"	 /* 7 */
				   "daemon --enforce no\n"		 /* 8 */
				   "interface x --exclude a\n"		 /* 9: good */
				   "interface x --exclude b\n"		 /* 10 */
				   "limit speed 5\n"			 /* 11 */
				   "limit groups\n"			 /* 12 */
				   "daemon now\n"			 /* 13 */
				   "group 10.0.0.1 --from in --to a\n"	 /* 14 */
				   "limit members 1024";		 /* 15 */
	static const struct {
		unsigned int line;
		const char *says;
	} wanted[] = {
	    {1, "groop: there is no such statement"},
	    {2, "no egress is left"},
	    {3, "limit groups none: must be a number from 1"},
	    {5, "--mode fast: is none of auto, native, generic"},
	    {7, "defined otherwise at test.conf:6"},
	    {8, "--enforce no: is none of fold, lookup"},
	    {10, "interface x: is stated at test.conf:9"},
	    {11, "limit speed: there is no such limit: name one of groups, entries"},
	    {12, "a word is missing: write `limit NAME N`"},
	    {13, "now is one word too many"},
	    {14, "is not multicast"},
	    {15, "must be a number from 1 to 1023"},
	};
	size_t count = sizeof(wanted) / sizeof(*wanted);
	const char *at;

	assert_int_equal(read_string(text, false, *state, &errors), count);
	at = errors.text;
	for (size_t i = 0; i < count; i++) {
		char place[32];
		const char *end = strchr(at, '\n'), *found = strstr(at, wanted[i].says);

		snprintf(place, sizeof(place), "test.conf:%u: ", wanted[i].line);
		if (strncmp(at, place, strlen(place)) || !found || found > end)
			fail_msg("not %s%s:\n%s", place, wanted[i].says, at);
		at = end + 1;
	}
}

static void broken_bytes_are_errors_of_their_line(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *says;
	} cases[] = {
#define BYTES(text) text, sizeof(text) - 1
	    {BYTES("\ngroup 239.1.1.1\0 --from in --to a\n"), "test.conf:2: the line holds a "
							      "control character (byte 0x00)"},
	    {BYTES("\0"), "test.conf:1: the line holds a control character"},
	    {BYTES("\n\ngroup \x1b[2J\n"), "test.conf:3: the line holds a control character (byte "
					   "0x1b)"},
	    {BYTES("group 239.1.1.1 --from 'in --to a\n"), "a quotation mark is not closed"},
	    {BYTES("group 239.1.1.1 --from \"in\n--to a\"\n"), "test.conf:1: a quotation mark"},
	    {BYTES("# fine\ngroup 239.1.1.1 \\\n --from in --to a\n"),
	     "test.conf:2: a \\ ends the line"},
	    {BYTES("group 239.1.1.1 --from in --to a\rgroup\n"), "control character (byte 0x0d)"},
	    {BYTES("gro\xc3\xbcp 239.1.1.1\n"), "there is no such statement"},
	    {BYTES("group 239.1.1.1 --from in --to \xc3\xbc\n"), "is not a list"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (!read_bytes(cases[i].bytes, cases[i].size, false, *state, &errors))
			fail_msg("taken: %s", cases[i].says);
		if (!strstr(errors.text, cases[i].says))
			fail_msg("\"%s\" does not say \"%s\"", errors.text, cases[i].says);
	}
	assert_int_equal(((struct model *)*state)->group_count, 0);
}

static void what_editors_of_other_systems_write_is_read(void **state)
{
	static const char text[] =
	    "# first\r\n\r\ngroup 239.1.1.1 --from in --to a\r\n"
	    "group 239.1.1.2 --from in --to a\r\n\tgroup 239.1.1.3 --from in "
	    "--to a";
	struct model *model = *state;

	assert_int_equal(read_string(text, false, model, &errors), 0);
	assert_int_equal(model->group_count, 3);
	assert_string_equal(list(&FIND(model, "239.1.1.1", "in")->to), "a");
}

static void a_line_too_long_is_one_error(void **state)
{
	static const char behind[] = "\ngroup 239.1.1.1 --from in --to a\n";
	size_t size = 70000 + sizeof(behind);
	char *text = calloc(1, size);

	memset(text, 'x', 70000);
	memcpy(text + 70000, behind, sizeof(behind));
	assert_int_equal(read_bytes(text, size - 1, false, *state, &errors), 1);
	assert_non_null(strstr(errors.text, "test.conf:1: the line has 70000 bytes"));
	assert_int_equal(((struct model *)*state)->group_count, 1);
	free(text);
}

/* A thousand members make a long line, and it is a good one. */
static void a_long_line_that_means_something_is_read(void **state)
{
	struct model *model = *state;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	limits_raise(&model->limits);
	fputs("group 239.1.1.1 --from in --to a", stream);
	for (unsigned int i = 0; i < XM_MEMBERS_MAX - 1; i++)
		fprintf(stream, ",interface%u", i);
	fclose(stream);
	assert_int_equal(read_string(text, false, model, &errors), 0);
	assert_int_equal(FIND(model, "239.1.1.1", "in")->set->to.count, XM_MEMBERS_MAX);
	free(text);
}

static void at_run_time_limits_and_daemon_are_refused(void **state)
{
	static const char text[] = "limit groups 5\ndaemon --enforce lookup\n"
				   "group 239.1.1.1 --from in --to a\ninterface in --detached\n";
	struct model *model = *state;

	assert_int_equal(read_string(text, true, model, &errors), 2);
	assert_non_null(strstr(errors.text, "test.conf:1: limit and daemon belong in the "
					    "configuration file"));
	assert_non_null(strstr(errors.text, "test.conf:2: "));
	assert_int_equal(model->limits.groups, (LIMITS_DEFAULT).groups);
	assert_null(FIND(model, "239.1.1.1", "in")->file);
	assert_null(model_find_interface(model, "in")->file);
}

static void nothing_is_nothing(void **state)
{
	assert_int_equal(read_string("\n", false, *state, &errors), 0);
	assert_int_equal(read_string("   \t \n#\n #group\n", false, *state, &errors), 0);
	assert_int_equal(((struct model *)*state)->group_count, 0);
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void a_hundred_thousand_lines(void **state)
{
	struct model *model = *state;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	double start;

	limits_raise(&model->limits);
	for (unsigned int i = 0; i < 100000; i++)
		fprintf(stream, "group 239.%u.%u.%u --from in%u --to veth%u,veth%u,veth%u\n",
			i >> 16, i >> 8 & 255, i & 255, i % 4, i % 100, i % 100 + 1, i % 100 + 2);
	fclose(stream);
	start = cpu_ms();
	assert_int_equal(read_bytes(text, size, false, model, &errors), 0);
	start = cpu_ms() - start;
	printf("# %.0f ms of CPU\n", start);
	assert_true(start < 5000); /* generous: what takes the square is far above */
	assert_int_equal(model->group_count, 100000);
	free(text);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(statements_take_effect),
	    TEST(the_order_of_lines_does_not_matter),
	    TEST(every_error_has_its_line_and_they_come_in_order),
	    TEST(broken_bytes_are_errors_of_their_line),
	    TEST(what_editors_of_other_systems_write_is_read),
	    TEST(a_line_too_long_is_one_error),
	    TEST(a_long_line_that_means_something_is_read),
	    TEST(at_run_time_limits_and_daemon_are_refused),
	    TEST(nothing_is_nothing),
	    TEST(a_hundred_thousand_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
