/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/privilege.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/socket.h>

gid_t privilege_group(void)
{
	const struct group *group = getgrnam(CONTROL_GROUP);

	return group ? group->gr_gid : (gid_t)-1;
}

/* SO_PEERCRED has the primary group only; the supplementary ones are asked for apart. */
static int has_group(int fd, gid_t group, bool *out)
{
	socklen_t len = 64 * sizeof(gid_t);
	gid_t *groups = NULL, *larger;
	int r;

	do {
		larger = realloc(groups, len ? len : 1);
		if (!larger) {
			free(groups);
			return -ENOMEM;
		}
		groups = larger;
		r = getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len);
	} while (r < 0 && errno == ERANGE); /* len is now what it takes */
	r = r < 0 ? -errno : 0;
	for (size_t i = 0; r == 0 && i < len / sizeof(gid_t); i++)
		*out |= groups[i] == group;
	free(groups);
	return r;
}

int privilege_of(int fd, gid_t group, uid_t *uid, bool *may_change)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	*uid = cred.uid;
	*may_change = cred.uid == 0 || (group != (gid_t)-1 && cred.gid == group);
	if (*may_change || group == (gid_t)-1)
		return 0;
	return has_group(fd, group, may_change);
}
