/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/netlink/genl.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <string.h>
#include <sys/socket.h>

int genl_open(struct mnl_socket **out, struct request *request)
{
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	int r;

	if (!socket)
		return -errno;
	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0)
		r = -errno;
	else
		r = request_init(request, mnl_socket_get_fd(socket));
	if (r) {
		mnl_socket_close(socket);
		return r;
	}
	*out = socket;
	return 0;
}

struct nlmsghdr *genl_message(void *buffer, uint16_t family, uint16_t flags, uint8_t command)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *header;

	message->nlmsg_type = family;
	message->nlmsg_flags = NLM_F_REQUEST | flags;
	header = mnl_nlmsg_put_extra_header(message, sizeof(*header));
	header->cmd = command;
	header->version = 1; /* of every family that is used here */
	return message;
}

struct resolving {
	const char *group;
	struct genl_family family;
};

static void read_group(const struct nlattr *nest, struct resolving *resolving)
{
	const struct nlattr *a;
	const char *name = NULL;
	uint32_t id = 0;

	mnl_attr_for_each_nested(a, nest)
	{
		if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GRP_NAME &&
		    !mnl_attr_validate(a, MNL_TYPE_NUL_STRING))
			name = mnl_attr_get_str(a);
		else if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GRP_ID)
			id = mnl_attr_get_u32(a);
	}
	if (name && resolving->group && !strcmp(name, resolving->group))
		resolving->family.group = id;
}

static int read_family(const struct nlmsghdr *message, void *data)
{
	struct resolving *resolving = data;
	const struct nlattr *a, *group;

	mnl_attr_for_each(a, message, sizeof(struct genlmsghdr))
	{
		if (mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_ID)
			resolving->family.id = mnl_attr_get_u16(a);
		else if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GROUPS)
			mnl_attr_for_each_nested(group, a) read_group(group, resolving);
	}
	return 0;
}

int genl_resolve(struct request *request, const char *name, const char *group,
		 struct genl_family *out)
{
	char buffer[GENL_REQUEST_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *message = genl_message(buffer, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	struct resolving resolving = {.group = group};
	int r;

	mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, name);
	r = request_run(request, message, read_family, &resolving);
	if (r)
		return r;
	if (!resolving.family.id)
		return -ENOENT;
	*out = resolving.family;
	return 0;
}
