// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/lock/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP   20   /* ms */
#define DYING  5000 /* ms: large memory takes that long to free */
#define UNSEEN 100  /* ms: who has just taken it, and writes itself into the file */

/* Else it is gone, or hidden from us (proc(5), hidepid). */
static bool is_seen(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !access(path, F_OK);
}

bool lock_is_dying(pid_t pid)
{
	char path[32], exe[8];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, exe, sizeof(exe)) < 0 && errno == ENOENT && is_seen(pid);
}

static int try(int fd)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? -EBUSY : -errno;
}

int lock_wait(int fd, unsigned int patience)
{
	int r = try(fd);

	for (unsigned int waited = 0; r == -EBUSY && waited < patience; waited += STEP) {
		usleep(STEP * 1000);
		r = try(fd);
	}
	return r;
}

/* Who wrote itself into the file; "" nobody yet. */
static void read_holder(int fd, char holder[static LOCK_HOLDER_MAX])
{
	ssize_t got = pread(fd, holder, LOCK_HOLDER_MAX - 1, 0);

	holder[got > 0 ? got : 0] = 0;
	holder[strcspn(holder, "\n")] = 0;
}

/* How many ms this holder is worth waiting for. */
static unsigned int worth(pid_t holder)
{
	return !is_seen(holder) ? UNSEEN : lock_is_dying(holder) ? DYING : 0;
}

static int wait_for_holder(int fd, unsigned int patience, char holder[static LOCK_HOLDER_MAX])
{
	int r = lock_wait(fd, patience);

	for (unsigned int waited = 0; r == -EBUSY; waited += STEP) {
		read_holder(fd, holder);
		if (waited >= worth(atoi(holder)))
			break;
		r = lock_wait(fd, STEP);
	}
	return r;
}

/* False when who had it removed the file between our open and our lock. */
static bool is_there(int fd, const char *path)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !stat(path, &there) && ours.st_ino == there.st_ino &&
	       ours.st_dev == there.st_dev;
}

static int write_holder(int fd)
{
	char text[LOCK_HOLDER_MAX];
	int length = snprintf(text, sizeof(text), "%d\n", getpid());

	if (ftruncate(fd, 0))
		return -errno;
	ssize_t written = pwrite(fd, text, length, 0);
	return written < 0 ? -errno : written != length ? -EIO : 0;
}

int lock_file(const char *path, mode_t mode, unsigned int patience,
	      char holder[static LOCK_HOLDER_MAX])
{
	int fd, r;

	holder[0] = 0;
	for (;;) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
		if (fd < 0)
			return -errno;
		r = wait_for_holder(fd, patience, holder);
		if (r || is_there(fd, path))
			break;
		close(fd);
	}
	r = r ? r : write_holder(fd);
	if (!r)
		return fd;
	close(fd);
	return r;
}
