/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/config/collect.h"

void collect(const char *file, unsigned int line, const char *text, void *data)
{
	struct errors *errors = data;
	size_t used = strlen(errors->text);

	errors->count++;
	snprintf(errors->text + used, sizeof(errors->text) - used, "%s:%u: %s\n", file, line, text);
}

int read_bytes(const void *bytes, size_t size, bool runtime, struct model *model,
	       struct errors *errors)
{
	FILE *stream = fmemopen((void *)bytes, size, "r");
	int r;

	assert_non_null(stream);
	*errors = (struct errors){};
	r = config_read_stream(stream, "test.conf", runtime, model, collect, errors);
	fclose(stream);
	assert_int_equal(r, errors->count);
	return r;
}

int read_string(const char *text, bool runtime, struct model *model, struct errors *errors)
{
	return read_bytes(text, strlen(text), runtime, model, errors);
}

char dir[] = "/tmp/xmcast-test-XXXXXX";

int enter_new_directory(void)
{
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
	(void)s;
	(void)type;
	(void)ftw;
	return remove(path);
}

int leave_directory(void)
{
	return chdir("/") < 0 ? -1 : nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void put_file(const char *name, const char *text)
{
	FILE *stream = fopen(name, "w");

	assert_non_null(stream);
	fputs(text, stream);
	assert_int_equal(fclose(stream), 0);
}
