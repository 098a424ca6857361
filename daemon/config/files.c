/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where texts come from: streams, the configuration file and its conf.d. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/config/private.h"

/* Names of files that groups came from. There are few, and groups point at them for ever. */
struct file_name {
	struct file_name *next;
	char name[];
};
static struct file_name *file_names;

const char *file_intern(const char *file)
{
	struct file_name *known;

	for (known = file_names; known; known = known->next)
		if (!strcmp(known->name, file))
			return known->name;
	known = malloc(sizeof(*known) + strlen(file) + 1);
	if (!known)
		return NULL;
	strcpy(known->name, file);
	known->next = file_names;
	file_names = known;
	return known->name;
}

/* 1,048,576 groups, the most there can be, of 1 KiB each. */
#define TEXT_BYTES_MAX (1L << 30)

static bool is_null(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/* 0, or why what stands there is not read. */
static int unfit(int fd, bool pipes)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (S_ISREG(st.st_mode))
		return st.st_size > TEXT_BYTES_MAX ? EFBIG : 0;
	return is_null(&st) || (pipes && S_ISFIFO(st.st_mode)) ? 0 : ENOTSUP;
}

FILE *config_open(const char *path, int flags, bool pipes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags | (pipes ? 0 : O_NONBLOCK)), error;
	FILE *stream;

	if (fd < 0)
		return NULL;
	error = unfit(fd, pipes);
	stream = error ? NULL : fdopen(fd, "r");
	if (!stream) {
		error = error ? error : errno;
		close(fd);
		errno = error;
	}
	return stream;
}

const char *config_unreadable(int error)
{
	if (error == -ENOTSUP)
		return "it is no regular file";
	if (error == -EFBIG)
		return "it has more than 1 GiB";
	return strerror(-error);
}

int text_read(struct text *text, FILE *stream)
{
	struct text new = {.file = text->file};
	size_t room = 0;

	errno = 0;
	while (!feof(stream) && !ferror(stream)) {
		if (new.size == room) {
			char *grown = realloc(new.bytes, room += room / 2 + 4096);

			if (!grown) {
				free(new.bytes);
				return -ENOMEM;
			}
			new.bytes = grown;
		}
		new.size += fread(new.bytes + new.size, 1, room - new.size, stream);
		if (new.size > TEXT_BYTES_MAX) {
			free(new.bytes);
			return -EFBIG;
		}
	}
	if (ferror(stream)) {
		free(new.bytes);
		return errno ? -errno : -EIO;
	}
	*text = new;
	return 0;
}

int config_read_stream(FILE *stream, const char *file, bool runtime, struct model *model,
		       config_error report, void *data)
{
	struct text text = {.file = file_intern(file)};
	int r;

	if (!text.file)
		return -ENOMEM;
	r = text_read(&text, stream);
	if (r < 0)
		return r;
	r = config_read_texts(&text, 1, runtime, model, report, data);
	free(text.bytes);
	return r;
}

/* The texts of one configuration. */
struct files {
	struct text *text;
	size_t count;
};

static void files_free(struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->text[i].bytes);
	free(files->text);
}

static int files_add(struct files *files, const char *path)
{
	struct text *grown = reallocarray(files->text, files->count + 1, sizeof(*grown));
	struct text text = {.file = file_intern(path)};
	FILE *stream;
	int r;

	if (grown)
		files->text = grown;
	if (!grown || !text.file)
		return -ENOMEM;
	stream = config_open(path, 0, false);
	if (!stream)
		return -errno;
	r = text_read(&text, stream);
	fclose(stream);
	if (!r)
		files->text[files->count++] = text;
	return r;
}

/* NAME.conf, as `save NAME` writes them; not editors' hidden files. */
static int is_conf(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 5 && !strcmp(entry->d_name + len - 5, ".conf");
}

static void say_unreadable(config_error report, const char *path, int error, void *data)
{
	char words[128];

	snprintf(words, sizeof(words), "cannot be read: %s", config_unreadable(error));
	if (report)
		report(path, 0, words, data);
}

/* Reads DIR/conf.d/NAME and says what it cannot. */
static int add_one(struct files *files, const char *dir, const char *name, config_error report,
		   void *data)
{
	char *path;
	int r;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	r = files_add(files, path);
	if (r < 0)
		say_unreadable(report, path, r, data);
	free(path);
	return r;
}

static int add_dir(struct files *files, const char *dir, config_error report, void *data)
{
	struct dirent **entry;
	int count = scandir(dir, &entry, is_conf, versionsort), r = 0;

	if (count < 0 && errno != ENOENT) {
		r = -errno;
		say_unreadable(report, dir, r, data);
	}
	if (count < 0)
		return r;
	for (int i = 0; i < count; i++) {
		int error = add_one(files, dir, entry[i]->d_name, report, data);

		r = r ? r : error; /* the first, but all are told */
		free(entry[i]);
	}
	free(entry);
	return r;
}

/* The directory beside the file: /etc/xmcast/xmcastd.conf has /etc/xmcast/conf.d. */
static int add_conf_d(struct files *files, const char *file, config_error report, void *data)
{
	char *copy = strdup(file), *dir;
	int r;

	if (!copy)
		return -ENOMEM;
	if (!strchr(file, '/'))
		r = asprintf(&dir, "conf.d");
	else
		r = asprintf(&dir, "%s/conf.d", dirname(copy));
	free(copy);
	if (r < 0)
		return -ENOMEM;
	r = add_dir(files, dir, report, data);
	free(dir);
	return r;
}

int config_read(const char *file, bool optional, struct config_found *found, struct model *model,
		config_error report, void *data)
{
	struct files files = {};
	int r = files_add(&files, file), error;

	if (r == -ENOENT && optional)
		r = 0;
	else if (r < 0)
		say_unreadable(report, file, r, data);
	if (found)
		found->file = files.count;
	error = add_conf_d(&files, file, report, data);
	if (found)
		found->more = files.count - found->file;
	r = r ? r : error;
	error = config_read_texts(files.text, files.count, false, model, report, data);
	files_free(&files);
	return r < 0 ? r : error;
}
