// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/lock/lock.h"
#include "daemon/place.h"

/* Is this thread there? One that a service manager put there may not be allowed to enter. */
static bool is_in_netns(int fd)
{
	struct stat there, here;

	return !fstat(fd, &there) && !stat("/proc/self/ns/net", &here) &&
	       there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

int place_enter_netns(const char *netns, struct fault *fault)
{
	char path[256];

	snprintf(path, sizeof(path), strchr(netns, '/') ? "%s" : "/run/netns/%s", netns);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fault_set(fault, -errno, "network namespace %s: %s: see `ip netns list`",
				 path, strerror(errno));
	int error = is_in_netns(fd) || !setns(fd, CLONE_NEWNET) ? 0 : -errno;
	close(fd);
	if (error)
		return fault_set(fault, error, "entering network namespace %s: %s", path,
				 strerror(-error));
	return 0;
}

static int make_one(const char *path)
{
	if (mkdir(path, 0755))
		return errno == EEXIST ? 0 : -errno;
	return chmod(path, 0755) ? -errno : 0; /* whatever the umask: users connect there */
}

/* Who can write to a directory above can put another one in our place. */
static int check_parent(const char *path, struct fault *fault)
{
	struct stat st;

	if (stat(path, &st))
		return fault_set(fault, -errno, "%s: %s", path, strerror(errno));
	if ((st.st_uid != geteuid() && st.st_uid) ||
	    (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX)))
		return fault_set(fault, -EPERM,
				 "others can write to %s, and so exchange what is below it: choose "
				 "another --runtime-dir, or run chown root and chmod go-w on it",
				 path);
	return 0;
}

static int make_parents(const char *dir, struct fault *fault)
{
	char path[256];
	int error = 0;

	if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
		return fault_set(fault, -ENAMETOOLONG, "%s is too long", dir);
	for (char *slash = strchr(path + 1, '/'); slash && !error; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		error = make_one(path);
		if (error)
			fault_set(fault, error, "%s: %s", path, strerror(-error));
		else
			error = check_parent(path, fault);
		*slash = '/';
	}
	if (error)
		return error;
	error = make_one(path);
	return error ? fault_set(fault, error, "%s: %s", path, strerror(-error)) : 0;
}

int place_make_dir(const char *dir, struct fault *fault)
{
	struct stat st;

	struct fault why;
	int error = make_parents(dir, &why);
	if (error)
		return fault_set(fault, error, "runtime directory %s: %s", dir, why.text);
	if (lstat(dir, &st))
		return fault_set(fault, -errno, "runtime directory %s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fault_set(fault, -ENOTDIR, "runtime directory %s is not a directory", dir);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return fault_set(fault, -EPERM,
				 "runtime directory %s can be written by others: run chown %u and "
				 "chmod go-w on it",
				 dir, geteuid());
	return 0;
}

int place_lock(const char *dir, struct fault *fault)
{
	char path[280], holder[LOCK_HOLDER_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/lock", dir);
	fd = lock_file(path, 0644, 0, holder);
	if (fd == -EBUSY)
		return fault_set(
		    fault, fd,
		    "another xmcastd runs here: pid %s holds %s; stop it, or use another "
		    "--runtime-dir or --netns",
		    holder[0] ? holder : "(unknown)", path);
	return fd < 0 ? fault_set(fault, fd, "lock %s: %s", path, strerror(-fd)) : fd;
}

void place_remove(const char *dir)
{
	char path[280];

	snprintf(path, sizeof(path), "%s/lock", dir);
	unlink(path);
	rmdir(dir);
}

/* Who holds the name: its pid, 0 unknown; negative: nobody any more, or it is about to tell. */
static int name_owner(const struct sockaddr_un *name, socklen_t size, uid_t *uid)
{
	struct ucred owner = {0};
	socklen_t length = sizeof(owner);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)name, size) && errno != EAGAIN)
		error = -errno;
	if (!error)
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &length);
	close(fd);
	*uid = owner.uid;
	return error ? error : owner.pid;
}

static int bind_or_wait(int fd, const struct sockaddr_un *name, socklen_t size, int *pid,
			uid_t *uid)
{
	int last = -1;

	for (int i = 0; i < 100; i++) {
		if (!bind(fd, (const struct sockaddr *)name, size))
			return listen(fd, SOMAXCONN) ? -errno : 0;
		if (errno != EADDRINUSE)
			return -errno;
		*pid = name_owner(name, size, uid);
		bool lives = *pid == 0 || (*pid > 0 && !lock_is_dying(*pid));
		if (lives && *pid == last) /* twice, for it may have gone before we looked */
			break;
		last = lives ? *pid : -1;
		if (!lives)
			usleep(50000);
	}
	return -EBUSY;
}

int place_lock_netns(struct fault *fault)
{
	static const char text[] = "xmcast/xmcastd";
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + sizeof(text);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), pid = 0;
	uid_t uid = 0;

	if (fd < 0)
		return fault_set(fault, -errno, "a socket: %s", strerror(errno));
	memcpy(name.sun_path + 1, text, sizeof(text) - 1);
	int error = bind_or_wait(fd, &name, size, &pid, &uid);
	if (!error)
		return fd;
	if (error == -EBUSY && pid > 0 && uid && uid != geteuid()) {
		fault_set(
		    fault, error,
		    "pid %d of user %u holds the name that keeps a second xmcastd out of this "
		    "network namespace: going on without it",
		    pid, uid);
		return fd;
	}
	close(fd);
	if (error != -EBUSY)
		return fault_set(fault, error, "locking the network namespace: %s",
				 strerror(-error));
	if (pid > 0)
		return fault_set(
		    fault, error,
		    "another xmcastd works in this network namespace: pid %d; stop it, "
		    "or use another --netns",
		    pid);
	return fault_set(fault, error,
			 "another xmcastd works in this network namespace (its pid is not visible "
			 "here); stop it, or use another --netns");
}
