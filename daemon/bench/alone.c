// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/alone.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/lock/lock.h"

#define PLACE	 "/run/xmcast-bench" /* as in xmcast-bench@.service; root's alone */
#define PATIENCE 2000		     /* ms: one that was told to end takes its interfaces down */

int alone_begin(struct fault *fault)
{
	char holder[LOCK_HOLDER_MAX];
	int fd;

	mkdir(PLACE, 0700); /* what is wrong with it, lock_file() says */
	fd = lock_file(PLACE "/lock", 0600, PATIENCE, holder);
	if (fd == -EBUSY)
		return fault_set(
		    fault, fd,
		    "another measurement runs on this machine (process %s), and each would be "
		    "in the other's figures: wait for it, or end it",
		    holder[0] ? holder : "unknown");
	return fd < 0 ? fault_set(fault, fd, "%s/lock: %s", PLACE, strerror(-fd)) : 0;
}
