/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process at a time: locks that end with whoever holds them. A process that was killed keeps
 * its locks until the kernel has torn it down, so who asks waits for one that is just ending.
 */
#ifndef XM_LOCK_LOCK_H
#define XM_LOCK_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#define LOCK_HOLDER_MAX 16 /* a pid in digits */

/* Was it killed, and not torn down yet? Its memory, and so its executable, goes before its files.
 */
bool lock_is_dying(pid_t pid);

/* Locks an open file or directory; waits so many ms for who has it. 0, -EBUSY or another errno. */
int lock_wait(int fd, unsigned int patience);

/*
 * Makes the file PATH, where it is not there, locks it and writes our pid into it. Waits `patience`
 * ms for a holder, and five seconds for one that is dying. Returns a descriptor, which is the lock;
 * -EBUSY with the holder's pid ("": unknown); or another negative errno.
 */
int lock_file(const char *path, mode_t mode, unsigned int patience,
	      char holder[static LOCK_HOLDER_MAX]);

#endif
