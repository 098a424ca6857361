// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors and cleanup. */
#include "daemon/dataplane/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void freep(void *pointer)
{
	free(*(void **)pointer);
}

int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

int duplicate_fd(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : copy;
}

size_t page_align(size_t n)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

uint64_t hash_bytes(const void *bytes, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (const unsigned char *at = bytes, *end = at + size; at < end; at++)
		hash = (hash ^ *at) * 0x100000001b3;
	return hash;
}

uint64_t fd_memory(int fd)
{
	char path[64], line[128];
	uint64_t bytes = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "memlock:\t%" SCNu64, &bytes) == 1)
			break;
	fclose(file);
	return bytes;
}
