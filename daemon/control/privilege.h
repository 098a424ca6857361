/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is at the other end of a UNIX socket, and what they may do. */
#ifndef XM_CONTROL_PRIVILEGE_H
#define XM_CONTROL_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

#define CONTROL_GROUP "xmcast"

/* The gid of the group xmcast, or (gid_t)-1: there is none. May ask the name service: call it once.
 */
gid_t privilege_group(void);
/* Fills uid and may_change (root, or a member of `group`). 0 or negative errno. */
int privilege_of(int fd, gid_t group, uid_t *uid, bool *may_change);

#endif
