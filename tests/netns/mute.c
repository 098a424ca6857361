/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into the daemon: what it sends over sockets of the family whose number stands in the
 * file $MUTE is lost, as if the other side had gone deaf. Its systemd is not concerned.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

ssize_t send(int fd, const void *bytes, size_t size, int flags);

static int muted(void)
{
	const char *path = getenv("MUTE");
	FILE *file = path ? fopen(path, "re") : NULL;
	int family = -1;

	if (file && fscanf(file, "%d", &family) != 1)
		family = -1;
	if (file)
		fclose(file);
	return family;
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
	static ssize_t (*next)(int fd, const void *bytes, size_t size, int flags);
	int family = 0;
	socklen_t len = sizeof(family);

	if (!next)
		next = (ssize_t(*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len) == 0 && family == muted())
		return size;
	return next(fd, bytes, size, flags);
}
