/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file and its conf.d. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/config/collect.h"

static struct errors errors;

static int setup(void **state)
{
	(void)state;
	errors = (struct errors){};
	return enter_new_directory();
}

static int teardown(void **state)
{
	(void)state;
	return leave_directory();
}

static void bind_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
}

static int read_all(const char *file, struct model **model)
{
	*model = model_new();
	errors = (struct errors){};
	return config_read(file, false, NULL, *model, collect, &errors);
}

static void conf_d_is_read_beside_the_file(void **state)
{
	struct model *model;
	char path[128];

	(void)state;
	mkdir("conf.d", 0755);
	put_file("x.conf", "group 239.1.1.1 --from in --to a\nlimit groups 5\n");
	put_file("conf.d/a.conf", "group 239.1.1.2 --from in --to a\n");
	put_file("conf.d/b.conf", "interface in --exclude b");
	put_file("conf.d/.hidden.conf", "nonsense\n");
	put_file("conf.d/a.conf~", "nonsense\n");
	put_file("conf.d/a.conf.dpkg-old", "nonsense\n");
	put_file("conf.d/README", "nonsense\n");
	put_file("conf.d/.conf", "nonsense\n");
	assert_int_equal(read_all("x.conf", &model), 0);
	assert_int_equal(model->group_count, 2);
	assert_string_equal(FIND(model, "239.1.1.1", "in")->file, "x.conf");
	assert_string_equal(FIND(model, "239.1.1.2", "in")->file, "conf.d/a.conf");
	assert_string_equal(model->interfaces[0].file, "conf.d/b.conf");
	model_free(model);
	/* The same by its full path. */
	snprintf(path, sizeof(path), "%s/x.conf", dir);
	assert_int_equal(read_all(path, &model), 0);
	assert_int_equal(model->group_count, 2);
	snprintf(path, sizeof(path), "%s/conf.d/a.conf", dir);
	assert_string_equal(FIND(model, "239.1.1.2", "in")->file, path);
	model_free(model);
}

static void files_come_in_the_order_of_versions(void **state)
{
	struct model *model;

	(void)state;
	mkdir("conf.d", 0755);
	put_file("x.conf", "limit groups 1\n");
	put_file("conf.d/9.conf", "limit groups 9\n");
	put_file("conf.d/10.conf", "limit groups 10\n");
	assert_int_equal(read_all("x.conf", &model), 0);
	assert_int_equal(model->limits.groups, 10);
	model_free(model);
}

/* As `save` writes it beside a configuration that states the interface, too. */
static void a_later_file_replaces_what_is_said_of_an_interface(void **state)
{
	struct model *model;

	(void)state;
	mkdir("conf.d", 0755);
	put_file("x.conf",
		 "interface in --mode native --exclude a\ninterface other --mode generic\n");
	put_file("conf.d/saved.conf", "interface in --mode native --detached\n");
	assert_int_equal(read_all("x.conf", &model), 0);
	assert_int_equal(model->interface_count, 2);
	const struct interface_wish *wish = model_find_interface(model, "in");
	assert_non_null(wish);
	assert_true(wish->detached);
	assert_int_equal(wish->exclude.count, 0);
	assert_string_equal(wish->file, "conf.d/saved.conf");
	model_free(model);
	put_file("conf.d/saved.conf", "interface in --detached\ninterface in --mode native\n");
	assert_int_equal(read_all("x.conf", &model), 1);
	assert_non_null(strstr(errors.text, "is stated at conf.d/saved.conf:1 already"));
	model_free(model);
}

static void errors_of_all_files_are_told(void **state)
{
	struct model *model;

	(void)state;
	mkdir("conf.d", 0755);
	put_file("x.conf", "\nwrong\ngroup 239.1.1.1 --from in --to a\n");
	put_file("conf.d/a.conf", "group 239.1.1.1 --from in --to b\n");
	put_file("conf.d/b.conf", "limit groups 0\n");
	assert_int_equal(read_all("x.conf", &model), 3);
	assert_true(!strncmp(errors.text, "x.conf:2: wrong", 15));
	assert_non_null(strstr(errors.text, "conf.d/a.conf:1: group 239.1.1.1 from in: is defined "
					    "otherwise at x.conf:3"));
	assert_non_null(strstr(errors.text, "conf.d/b.conf:1: limit groups 0"));
	model_free(model);
}

static void what_cannot_be_read_is_an_error(void **state)
{
	struct model *model;

	(void)state;
	assert_int_equal(read_all("absent.conf", &model), -ENOENT);
	assert_string_equal(errors.text,
			    "absent.conf:0: cannot be read: No such file or directory\n");
	model_free(model);
	mkdir("folder", 0755);
	assert_int_equal(read_all("folder", &model), -EISDIR);
	model_free(model);
	/* One bad file of conf.d does not hide the errors of the others. */
	mkdir("conf.d", 0755);
	mkdir("conf.d/a.conf", 0755);
	put_file("conf.d/b.conf", "wrong\n");
	put_file("x.conf", "");
	assert_int_equal(read_all("x.conf", &model), -EISDIR);
	assert_non_null(strstr(errors.text, "conf.d/a.conf:0: cannot be read: Is a directory"));
	assert_non_null(strstr(errors.text, "conf.d/b.conf:1: wrong"));
	model_free(model);
}

/* Nobody writes into the FIFO, /dev/zero has no end, and the last file 2 GiB of nothing. */
static void odd_file(const char *path, int kind)
{
	unlink(path);
	if (kind == 0)
		assert_int_equal(mkfifo(path, 0600), 0);
	if (kind == 1)
		assert_int_equal(symlink("/dev/zero", path), 0);
	if (kind == 2)
		bind_socket(path);
	if (kind == 3) {
		put_file(path, "");
		assert_int_equal(truncate(path, 1L << 31), 0);
	}
}

static void what_is_no_text_is_refused_at_once(void **state)
{
	static const char *const words[] = {"it is no regular file", "it is no regular file",
					    "No such device or address", "it has more than 1 GiB"};
	static const char *const paths[] = {"x.conf", "conf.d/a.conf", "state"};
	struct model *model;
	struct fault fault;

	(void)state;
	mkdir("conf.d", 0755);
	put_file("y.conf", "");
	for (int kind = 0; kind < 4; kind++) {
		for (int i = 0; i < 3; i++)
			odd_file(paths[i], kind);
		assert_true(read_all("x.conf", &model) < 0);
		assert_non_null(strstr(errors.text, "x.conf:0: cannot be read: "));
		assert_non_null(strstr(errors.text, "conf.d/a.conf:0: cannot be read: "));
		assert_non_null(strstr(errors.text, words[kind]));
		model_free(model);
		model = model_new();
		assert_true(state_read("state", model, &fault) < 0);
		if (kind != 1) /* a link is none of ours, whatever it leads to */
			assert_non_null(strstr(fault.text, words[kind]));
		odd_file("state.new", kind);
		if (kind != 3)
			assert_true(state_write("state", model, &fault) < 0);
		model_free(model);
	}
	for (int i = 0; i < 2; i++) {
		unlink(paths[i]);
		assert_int_equal(symlink("/dev/null", paths[i]), 0);
	}
	assert_int_equal(read_all("x.conf", &model), 0);
	model_free(model);
}

static void without_conf_d_all_is_well(void **state)
{
	struct model *model;

	(void)state;
	put_file("x.conf", "group 239.1.1.1 --from in --to a");
	assert_int_equal(read_all("x.conf", &model), 0);
	assert_int_equal(model->group_count, 1);
	model_free(model);
}

/* Of the default place: `save` writes conf.d where nobody made the file itself. */
static void conf_d_is_read_without_an_optional_file(void **state)
{
	struct config_found found;
	struct model *model = model_new();

	(void)state;
	mkdir("conf.d", 0755);
	put_file("conf.d/saved.conf", "group 239.1.1.1 --from in --to a\n");
	assert_int_equal(config_read("absent.conf", true, &found, model, collect, &errors), 0);
	assert_int_equal(model->group_count, 1);
	assert_false(found.file);
	assert_int_equal(found.more, 1);
	model_free(model);
}

static void conf_d_is_read_beside_an_optional_file(void **state)
{
	struct config_found found;
	struct model *model = model_new();

	(void)state;
	mkdir("conf.d", 0755);
	put_file("conf.d/saved.conf", "group 239.1.1.1 --from in --to a\n");
	put_file("x.conf", "group 239.1.1.2 --from in --to a\n");
	assert_int_equal(config_read("x.conf", true, &found, model, collect, &errors), 0);
	assert_int_equal(model->group_count, 2);
	assert_true(found.file);
	assert_int_equal(found.more, 1);
	model_free(model);
}

static void an_optional_file_that_is_no_file_is_an_error(void **state)
{
	struct config_found found;
	struct model *model = model_new();

	(void)state;
	mkdir("folder", 0755);
	assert_int_equal(config_read("folder", true, &found, model, collect, &errors), -EISDIR);
	model_free(model);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(conf_d_is_read_beside_the_file),
	    TEST(files_come_in_the_order_of_versions),
	    TEST(errors_of_all_files_are_told),
	    TEST(what_is_no_text_is_refused_at_once),
	    TEST(what_cannot_be_read_is_an_error),
	    TEST(without_conf_d_all_is_well),
	    TEST(conf_d_is_read_without_an_optional_file),
	    TEST(conf_d_is_read_beside_an_optional_file),
	    TEST(an_optional_file_that_is_no_file_is_an_error),
	    TEST(a_later_file_replaces_what_is_said_of_an_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
