// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/dataplane/leaks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DESCRIPTORS "/proc/self/fd"

/* Makes room for the number and marks it. 0, or -1: no memory. */
static int mark(struct leaks *leaks, size_t fd)
{
	if (fd >= leaks->size) {
		size_t size = (fd + 1) * 2;
		unsigned char *open = realloc(leaks->open, size);
		if (!open)
			return -1;
		memset(open + leaks->size, 0, size - leaks->size);
		leaks->open = open;
		leaks->size = size;
	}
	leaks->open[fd] = 1;
	return 0;
}

struct leaks leaks_note(const int *keep)
{
	struct leaks leaks = {.keep = keep};
	DIR *dir = opendir(DESCRIPTORS);
	struct dirent *e;
	int r = 0;

	while (dir && !r && (e = readdir(dir)))
		if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(dir))
			r = mark(&leaks, atoi(e->d_name));
	if (dir)
		closedir(dir);
	if (r) {
		free(leaks.open);
		leaks.open = NULL;
	}
	return leaks;
}

static int is_program(const char *name)
{
	static const char program[] = "anon_inode:bpf-prog";
	char path[64], target[64];

	snprintf(path, sizeof(path), DESCRIPTORS "/%.20s", name);
	ssize_t n = readlink(path, target, sizeof(target));
	return n == sizeof(program) - 1 && !memcmp(target, program, n);
}

void leaks_closep(struct leaks *leaks)
{
	DIR *dir = leaks->open ? opendir(DESCRIPTORS) : NULL;
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		size_t fd = strtoul(e->d_name, NULL, 10);
		if (e->d_name[0] == '.' || (fd < leaks->size && leaks->open[fd]))
			continue;
		if ((!leaks->keep || fd != (size_t)*leaks->keep) && is_program(e->d_name))
			close(fd);
	}
	if (dir)
		closedir(dir);
	free(leaks->open);
}
