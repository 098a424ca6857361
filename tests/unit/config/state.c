/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state file: comes back whole, or not at all and is kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/config/collect.h"

static struct fault fault;

/* Each test starts in an empty directory with a model of two runtime groups. */
static int setup(void **state)
{
	struct model *model = model_new();

	*state = model;
	if (enter_new_directory() < 0)
		return -1;
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a,b", .exclude = "b"), 0);
	assert_int_equal(ADD(model, "ff05::1", "in", "veth*", .source = "2001:db8::/32"), 0);
	assert_int_equal(wish(model, "in", "c", true, NULL, &fault), 0);
	model_settle(model);
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return leave_directory();
}

static char *slurp(const char *path, size_t *size)
{
	FILE *stream = fopen(path, "r");
	char *bytes = malloc(65536);

	assert_non_null(stream);
	*size = fread(bytes, 1, 65535, stream);
	bytes[*size] = '\0';
	fclose(stream);
	return bytes;
}

static void put(const char *path, const char *bytes, size_t size)
{
	FILE *stream = fopen(path, "w");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	assert_int_equal(fclose(stream), 0);
}

static void what_was_written_comes_back(void **state)
{
	struct model *model = *state, *again = model_new();
	struct stat s;
	char *before, *after;

	assert_int_equal(state_write("state", model, &fault), 0);
	assert_int_equal(stat("state", &s), 0);
	assert_int_equal(s.st_mode & 0777, 0600);
	assert_int_equal(access("state.new", F_OK), -1);
	assert_int_equal(state_read("state", again, &fault), 0);
	assert_string_equal(fault.text, "");
	before = dump(model);
	after = dump(again);
	assert_string_equal(before, after);
	free(before);
	free(after);
	model_free(again);
}

/* The sum is that of sha256sum(1), so that people can check a file by hand. */
static void the_sum_is_sha256_of_what_stands_before(void **state)
{
	size_t size;
	char *bytes, *tail, tool[128] = "";
	FILE *pipe;

	assert_int_equal(state_write("state", *state, &fault), 0);
	bytes = slurp("state", &size);
	assert_true(!strncmp(bytes, "# xmcast state 1\n", 17));
	tail = strstr(bytes, "# sha256 ");
	assert_non_null(tail);
	pipe = popen("grep -v '^# sha256 ' state | sha256sum", "r");
	assert_non_null(pipe);
	assert_non_null(fgets(tool, sizeof(tool), pipe));
	pclose(pipe);
	assert_memory_equal(tail + 9, tool, 64);
	assert_string_equal(tail + 9 + 64, "\n");
	free(bytes);
}

static void damaged(const char *what, const char *bytes, size_t size)
{
	struct model *model = model_new();
	size_t kept_size;
	char *kept;

	unlink("state.damaged");
	put("state", bytes, size);
	if (state_read("state", model, &fault) != -EBADMSG)
		fail_msg("%s was taken", what);
	assert_says(fault, "kept as state.damaged");
	assert_null(strchr(fault.text, '\n'));
	assert_int_equal(model->group_count + model->interface_count, 0);
	assert_int_equal(access("state", F_OK), -1);
	kept = slurp("state.damaged", &kept_size);
	assert_int_equal(kept_size, size);
	assert_memory_equal(kept, bytes, size);
	free(kept);
	model_free(model);
}

static void any_cut_and_any_flipped_bit_is_seen(void **state)
{
	size_t size;
	char *bytes;

	assert_int_equal(state_write("state", *state, &fault), 0);
	bytes = slurp("state", &size);
	for (size_t i = 0; i < size; i++) {
		damaged("a file that was cut short", bytes, i);
		bytes[i] ^= 1 << i % 8;
		damaged("a file with a flipped bit", bytes, size);
		bytes[i] ^= 1 << i % 8;
	}
	bytes[size] = '\n';
	damaged("a file with a byte too many", bytes, size + 1);
	put("state", bytes, size); /* and the file itself was good all the time */
	assert_int_equal(state_read("state", *state, &fault), 0);
	free(bytes);
}

static void a_good_sum_over_nonsense_is_damage_too(void **state)
{
	size_t size;
	char *bytes;

	(void)state;
	assert_int_equal(
	    system("{ echo '# xmcast state 1'; echo 'group nonsense'; } > body && "
		   "{ cat body; printf '# sha256 %s\\n' $(sha256sum < body | cut -c1-64); "
		   "} > state"),
	    0);
	bytes = slurp("state", &size);
	damaged("nonsense", bytes, size);
	assert_says(fault, "state:2: group: nonsense: is not an");
	free(bytes);
}

static void no_file_is_no_error_of_the_file(void **state)
{
	assert_int_equal(state_read("state", *state, &fault), -ENOENT);
	assert_int_equal(access("state.damaged", F_OK), -1);
	assert_int_equal(state_read("body/state", *state, &fault), -ENOENT);
	assert_int_equal(mkdir("state", 0755), 0);
	assert_int_equal(state_read("state", *state, &fault), -EISDIR);
}

static void config_wins_over_what_it_defines_by_now(void **state)
{
	struct model *model = model_new();

	assert_int_equal(state_write("state", *state, &fault), 0);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "z", .file = "x.conf", .line = 1), 0);
	assert_int_equal(state_read("state", model, &fault), 0);
	assert_string_equal(fault.text, "");
	assert_int_equal(model->group_count, 2);
	assert_string_equal(list(&FIND(model, "239.1.1.1", "in")->to), "z");
	assert_non_null(FIND(model, "ff05::1", "in", .source = "2001:db8::/32"));
	model_free(model);
}

static void what_is_refused_today_is_left_out_and_kept(void **state)
{
	struct model *model = model_new();
	size_t size, kept_size;
	char *bytes, *kept;

	assert_int_equal(state_write("state", *state, &fault), 0);
	model->limits.groups = 1;
	assert_int_equal(state_read("state", model, &fault), 0);
	assert_says(fault, "1 statements were left out");
	assert_says(fault, "`limit groups 1`");
	assert_says(fault, "state.refused");
	assert_int_equal(model->group_count, 1);
	bytes = slurp("state", &size);
	kept = slurp("state.refused", &kept_size);
	assert_string_equal(bytes, kept);
	free(bytes);
	free(kept);
	model_free(model);
}

static void more_groups_than_the_default_limit_come_back(void **state)
{
	struct model *model = *state, *again = model_new();
	char address[32];

	model->limits.groups = again->limits.groups = 6000;
	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(address, sizeof(address), "239.2.%u.%u", i >> 8, i & 255);
		assert_int_equal(ADD(model, address, "in", "a"), 0);
	}
	assert_int_equal(state_write("state", model, &fault), 0);
	assert_int_equal(state_read("state", again, &fault), 0);
	assert_string_equal(fault.text, "");
	assert_int_equal(again->group_count, 5002);
	model_free(again);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
	struct model *empty = model_new();
	size_t size, size_after;
	char *bytes, *after;

	assert_int_equal(state_write("state", *state, &fault), 0);
	bytes = slurp("state", &size);
	assert_int_equal(symlink("/dev/full", "state.new"), 0); /* not followed */
	assert_true(state_write("state", empty, &fault) < 0);
	assert_says(fault, "state state: cannot be written");
	after = slurp("state", &size_after);
	assert_string_equal(bytes, after);
	assert_int_equal(state_write("absent/state", empty, &fault), -ENOENT);
	free(bytes);
	free(after);
	model_free(empty);
}

static void what_a_killed_writer_left_goes(void **state)
{
	assert_int_equal(state_write("state", *state, &fault), 0);
	put("state.new", "group", 5);
	assert_int_equal(state_read("state", *state, &fault), 0);
	assert_int_equal(access("state.new", F_OK), -1);
	put("state.new", "group", 5);
	assert_int_equal(state_remove("state", &fault), 0);
	assert_int_equal(access("state.new", F_OK), -1);
	assert_int_equal(access("state", F_OK), -1);
	assert_int_equal(state_remove("state", &fault), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(what_was_written_comes_back),
	    TEST(what_a_killed_writer_left_goes),
	    TEST(the_sum_is_sha256_of_what_stands_before),
	    TEST(any_cut_and_any_flipped_bit_is_seen),
	    TEST(a_good_sum_over_nonsense_is_damage_too),
	    TEST(no_file_is_no_error_of_the_file),
	    TEST(config_wins_over_what_it_defines_by_now),
	    TEST(what_is_refused_today_is_left_out_and_kept),
	    TEST(more_groups_than_the_default_limit_come_back),
	    TEST(a_failed_write_leaves_the_old_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
