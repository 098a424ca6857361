// SPDX-License-Identifier: GPL-2.0-or-later
/* The pins of one directory, see directory.c for which. bpffs takes no dots in names. */
#include "daemon/dataplane/internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBXDP_PINS "/sys/fs/bpf/xdp"
#define PATH_LEN    (PIN_DIR_MAX + PIN_NAME_MAX)

static int pin_path(const char *dir, const char *name, char path[static PATH_LEN])
{
	int n = snprintf(path, PATH_LEN, "%s/%s", dir, name);

	return n < 0 || (size_t)n >= PATH_LEN ? -ENAMETOOLONG : 0;
}

int pin_set(const struct dataplane *dp, int fd, const char *name)
{
	char path[PATH_LEN];
	int r;

	if (!dp->pin_dir[0])
		return 0;
	r = pin_path(dp->pin_dir, name, path);
	if (r < 0)
		return r;
	r = bpf_obj_pin(fd, path);
	if (r != -EEXIST)
		return r;
	/* beside the old one first, so that there always is one */
	char beside[PATH_LEN + 4];
	snprintf(beside, sizeof(beside), "%s_new", path);
	unlink(beside);
	r = bpf_obj_pin(fd, beside);
	if (!r && rename(beside, path) < 0) {
		r = -errno;
		unlink(beside);
	}
	return r;
}

int pin_get_in(const char *dir, const char *name)
{
	char path[PATH_LEN];
	int r = dir[0] ? pin_path(dir, name, path) : -ENOENT;

	return r < 0 ? r : bpf_obj_get(path);
}

int pin_get(const struct dataplane *dp, const char *name)
{
	return pin_get_in(dp->pin_dir, name);
}

bool pin_is_there(const char *dir, const char *name)
{
	char path[PATH_LEN];

	return !pin_path(dir, name, path) && !access(path, F_OK);
}

void pin_remove(const struct dataplane *dp, const char *name)
{
	char path[PATH_LEN];

	if (dp->pin_dir[0] && !pin_path(dp->pin_dir, name, path))
		unlink(path);
}

int pins_each(const char *dir, int (*f)(const char *name, void *token), void *token)
{
	DIR *stream = opendir(dir);
	struct dirent *e;
	int r = 0;

	if (!stream)
		return errno == ENOENT ? 0 : -errno;
	while (!r && (e = readdir(stream)))
		if (e->d_name[0] != '.')
			r = f(e->d_name, token);
	closedir(stream);
	return r;
}

static int remove_one(const char *name, void *token)
{
	const char *dir = token;
	char path[PATH_LEN];
	int r = pin_path(dir, name, path);

	if (r < 0)
		return r;
	return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

int pins_remove(const char *dir)
{
	char base[PIN_DIR_MAX];
	int r = remove_one(PIN_FIELDS, (void *)dir); /* first: the rest is a part from now on */

	if (!r)
		r = pins_each(dir, remove_one, (void *)dir);
	if (r < 0)
		return r;
	if (rmdir(dir) < 0 && errno != ENOENT)
		return -errno;
	snprintf(base, sizeof(base), "%s", dir);
	*strrchr(base, '/') = 0;
	rmdir(base);	    /* others may have their pins there: then it stays */
	rmdir(LIBXDP_PINS); /* libxdp makes it for the dispatcher and never removes it */
	return 0;
}
