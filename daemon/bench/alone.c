// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/alone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PLACE "/run/xmcast-bench" /* as in xmcast-bench@.service; root's alone */
#define TRIES 20		  /* two seconds: whoever was killed frees its memory first */

static int lock(int fd)
{
	struct timespec pause = {.tv_nsec = 100000000};
	int tries = TRIES;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return -errno;
		if (!--tries)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Takes over the descriptor. */
static int say_who(int fd, struct fault *fault)
{
	char holder[32] = "";
	ssize_t got = pread(fd, holder, sizeof(holder) - 1, 0);

	holder[got > 0 ? strcspn(holder, "\n") : 0] = 0;
	close(fd);
	return fault_set(fault, -EBUSY,
			 "another measurement runs on this machine (process %s), and each would be "
			 "in the other's figures: wait for it, or end it",
			 holder);
}

int alone_begin(struct fault *fault)
{
	int fd, r;

	mkdir(PLACE, 0700); /* what is wrong with it, open() says */
	fd = open(PLACE "/lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	r = fd < 0 ? -errno : lock(fd);
	if (r == -EBUSY)
		return say_who(fd, fault);
	if (!r && (ftruncate(fd, 0) || dprintf(fd, "%d\n", getpid()) < 0))
		r = -errno;
	if (r && fd >= 0)
		close(fd);
	return r ? fault_set(fault, r, "%s/lock: %s", PLACE, strerror(-r)) : 0;
}
