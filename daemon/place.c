// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/place.h"

int place_enter_netns(const char *netns, struct fault *fault)
{
	char path[256];

	snprintf(path, sizeof(path), strchr(netns, '/') ? "%s" : "/run/netns/%s", netns);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fault_set(fault, -errno, "network namespace %s: %s: see `ip netns list`",
				 path, strerror(errno));
	int error = setns(fd, CLONE_NEWNET) ? -errno : 0;
	close(fd);
	if (error)
		return fault_set(fault, error, "entering network namespace %s: %s", path,
				 strerror(-error));
	return 0;
}

static int make_parents(const char *dir)
{
	char path[256];

	if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(path, 0755) && errno != EEXIST ? -errno : 0;
}

int place_make_dir(const char *dir, struct fault *fault)
{
	struct stat st;

	int error = make_parents(dir);
	if (!error && lstat(dir, &st))
		error = -errno;
	if (error)
		return fault_set(fault, error, "runtime directory %s: %s", dir, strerror(-error));
	if (!S_ISDIR(st.st_mode))
		return fault_set(fault, -ENOTDIR, "runtime directory %s is not a directory", dir);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return fault_set(fault, -EPERM,
				 "runtime directory %s can be written by others: run chown %u and "
				 "chmod go-w on it",
				 dir, geteuid());
	return 0;
}

/* A killed process keeps its lock until the kernel has torn it down; its memory, and so exe, goes
 * first. */
static bool is_dying(const char *pid)
{
	char path[64], exe[8];

	snprintf(path, sizeof(path), "/proc/%.20s/exe", pid);
	return readlink(path, exe, sizeof(exe)) < 0 && errno == ENOENT;
}

static int lock_or_wait(int fd, char *pid, size_t size)
{
	for (int i = 0; i < 100; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		ssize_t got = pread(fd, pid, size - 1, 0);
		pid[got > 0 ? strcspn(pid, "\n") : 0] = 0;
		if (!is_dying(pid))
			break;
		usleep(50000);
	}
	return -EWOULDBLOCK;
}

int place_lock(const char *dir, struct fault *fault)
{
	char path[280], pid[32] = "";

	snprintf(path, sizeof(path), "%s/lock", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return fault_set(fault, -errno, "lock %s: %s", path, strerror(errno));
	int locked = lock_or_wait(fd, pid, sizeof(pid));
	if (locked) {
		int error = locked == -EWOULDBLOCK ? -EBUSY : locked;
		close(fd);
		return fault_set(
		    fault, error,
		    "another xmcastd runs here: pid %s holds %s; stop it, or use another "
		    "--runtime-dir or --netns",
		    pid[0] ? pid : "(unknown)", path);
	}
	int length = snprintf(pid, sizeof(pid), "%d\n", getpid());
	if (ftruncate(fd, 0) || pwrite(fd, pid, length, 0) != length) {
		int error = -errno;
		close(fd);
		return fault_set(fault, error, "writing %s: %s", path, strerror(-error));
	}
	return fd;
}
