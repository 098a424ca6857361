/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generic netlink through libmnl. */
#ifndef XM_NETLINK_GENL_H
#define XM_NETLINK_GENL_H

#include <stdint.h>

#include "daemon/netlink/request.h"

#define GENL_REQUEST_MAX 1024

struct mnl_socket;

struct genl_family {
	uint16_t id;
	uint32_t group; /* of the group asked for; 0: the family has none of that name */
};

/* A blocking, bounded socket in the caller's network namespace. 0 or negative errno. */
int genl_open(struct mnl_socket **out, struct request *request);
/* -ENOENT: the kernel has no such family. `group` may be NULL. */
int genl_resolve(struct request *request, const char *name, const char *group,
		 struct genl_family *out);
/* Starts a message in `buffer`, which is of GENL_REQUEST_MAX bytes: our longest has some 300. */
struct nlmsghdr *genl_message(void *buffer, uint16_t family, uint16_t flags, uint8_t command);

#endif
