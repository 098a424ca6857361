/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file and its conf.d. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static void put(const char *name, const char *text)
{
	FILE *stream = fopen(name, "w");

	assert_non_null(stream);
	fputs(text, stream);
	assert_int_equal(fclose(stream), 0);
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
	put("x.conf", "group 239.1.1.1 --from in --to a\nlimit groups 5\n");
	put("conf.d/a.conf", "group 239.1.1.2 --from in --to a\n");
	put("conf.d/b.conf", "interface in --exclude b");
	put("conf.d/.hidden.conf", "nonsense\n");
	put("conf.d/a.conf~", "nonsense\n");
	put("conf.d/a.conf.dpkg-old", "nonsense\n");
	put("conf.d/README", "nonsense\n");
	put("conf.d/.conf", "nonsense\n");
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
	put("x.conf", "limit groups 1\n");
	put("conf.d/9.conf", "limit groups 9\n");
	put("conf.d/10.conf", "limit groups 10\n");
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
	put("x.conf", "interface in --mode native --exclude a\ninterface other --mode generic\n");
	put("conf.d/saved.conf", "interface in --mode native --detached\n");
	assert_int_equal(read_all("x.conf", &model), 0);
	assert_int_equal(model->interface_count, 2);
	const struct interface_wish *wish = model_find_interface(model, "in");
	assert_non_null(wish);
	assert_true(wish->detached);
	assert_int_equal(wish->exclude.count, 0);
	assert_string_equal(wish->file, "conf.d/saved.conf");
	model_free(model);
	put("conf.d/saved.conf", "interface in --detached\ninterface in --mode native\n");
	assert_int_equal(read_all("x.conf", &model), 1);
	assert_non_null(strstr(errors.text, "is stated at conf.d/saved.conf:1 already"));
	model_free(model);
}

static void errors_of_all_files_are_told(void **state)
{
	struct model *model;

	(void)state;
	mkdir("conf.d", 0755);
	put("x.conf", "\nwrong\ngroup 239.1.1.1 --from in --to a\n");
	put("conf.d/a.conf", "group 239.1.1.1 --from in --to b\n");
	put("conf.d/b.conf", "limit groups 0\n");
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
	put("conf.d/b.conf", "wrong\n");
	put("x.conf", "");
	assert_int_equal(read_all("x.conf", &model), -EISDIR);
	assert_non_null(strstr(errors.text, "conf.d/a.conf:0: cannot be read: Is a directory"));
	assert_non_null(strstr(errors.text, "conf.d/b.conf:1: wrong"));
	model_free(model);
}

static void without_conf_d_all_is_well(void **state)
{
	struct model *model;

	(void)state;
	put("x.conf", "group 239.1.1.1 --from in --to a");
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
	errors = (struct errors){};
	mkdir("conf.d", 0755);
	put("conf.d/saved.conf", "group 239.1.1.1 --from in --to a\n");
	assert_int_equal(config_read("absent.conf", true, &found, model, collect, &errors), 0);
	assert_int_equal(model->group_count, 1);
	assert_false(found.file);
	assert_int_equal(found.more, 1);
	model_free(model);
	model = model_new();
	put("absent.conf", "group 239.1.1.2 --from in --to a\n");
	assert_int_equal(config_read("absent.conf", true, &found, model, collect, &errors), 0);
	assert_int_equal(model->group_count, 2);
	assert_true(found.file);
	assert_int_equal(found.more, 1);
	model_free(model);
	model = model_new();
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
	    TEST(what_cannot_be_read_is_an_error),
	    TEST(without_conf_d_all_is_well),
	    TEST(conf_d_is_read_without_an_optional_file),
	    TEST(a_later_file_replaces_what_is_said_of_an_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
