/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/netlink/features.h"

#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <sys/socket.h>

/* From the kernel's include/uapi/linux/netdev.h (6.3), which Debian 12 does not ship. */
#define NETDEV_FAMILY_NAME "netdev"
#define NETDEV_MCGRP_MGMT  "mgmt"
enum { NETDEV_A_DEV_IFINDEX = 1, NETDEV_A_DEV_XDP_FEATURES = 3 };
enum {
	NETDEV_CMD_DEV_GET = 1,
	NETDEV_CMD_DEV_ADD_NTF,
	NETDEV_CMD_DEV_DEL_NTF,
	NETDEV_CMD_DEV_CHANGE_NTF
};

/* A notification is small, so this holds some ten thousand. A bound, not an allocation. */
#define EVENT_BUFFER_BYTES (8 << 20)

struct reader {
	features_each each;
	void *data;
};

static int read_device(const struct nlmsghdr *message, void *data)
{
	const struct genlmsghdr *header = mnl_nlmsg_get_payload(message);
	const struct reader *reader = data;
	const struct nlattr *a;
	uint32_t ifindex = 0;
	uint64_t value = 0;
	bool have = false;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*header) ||
	    header->cmd == NETDEV_CMD_DEV_DEL_NTF) /* RTM_DELLINK tells that */
		return 0;
	mnl_attr_for_each(a, message, sizeof(*header))
	{
		if (mnl_attr_get_type(a) == NETDEV_A_DEV_IFINDEX) {
			ifindex = mnl_attr_get_u32(a);
		} else if (mnl_attr_get_type(a) == NETDEV_A_DEV_XDP_FEATURES) {
			value = mnl_attr_get_u64(a);
			have = true;
		}
	}
	if (ifindex && have)
		reader->each(ifindex, value, reader->data);
	return 0;
}

static int open_events(struct features *features)
{
	int fd, bytes = EVENT_BUFFER_BYTES, group = features->family.group;

	features->events = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!features->events || mnl_socket_bind(features->events, 0, MNL_SOCKET_AUTOPID) < 0)
		return -errno;
	fd = mnl_socket_get_fd(features->events);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (mnl_socket_setsockopt(features->events, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
		return -errno;
	return 0;
}

int features_open(struct features *features)
{
	int r;

	*features = (struct features){0};
	r = genl_open(&features->requests, &features->request);
	if (r)
		return r;
	r = genl_resolve(&features->request, NETDEV_FAMILY_NAME, NETDEV_MCGRP_MGMT,
			 &features->family);
	if (r == -ENOENT || (!r && !features->family.group)) {
		features_close(features);
		return 0;
	}
	if (r)
		return r;
	features->known = true;
	return open_events(features);
}

void features_close(struct features *features)
{
	if (features->events)
		mnl_socket_close(features->events);
	if (features->requests)
		mnl_socket_close(features->requests);
	*features = (struct features){0};
}

int features_fd(const struct features *features)
{
	return features->events ? mnl_socket_get_fd(features->events) : -1;
}

int features_read(struct features *features, unsigned int budget, features_each each, void *data)
{
	char buffer[8192] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct reader reader = {.each = each, .data = data};
	bool lost = false;
	ssize_t length;
	int left;

	while (features->known && budget--) {
		struct nlmsghdr *message = (struct nlmsghdr *)buffer;

		length = recv(features_fd(features), buffer, sizeof(buffer), MSG_TRUNC);
		if (length < 0 && errno == EAGAIN)
			break;
		if (length < 0 && errno != ENOBUFS && errno != EINTR)
			return -errno;
		lost |= (length < 0 && errno == ENOBUFS) || length > (ssize_t)sizeof(buffer);
		if (length < 0 || length > (ssize_t)sizeof(buffer))
			continue;
		/* mnl_nlmsg_ok() takes a length above 2^31 for a negative one, and so for short */
		for (left = length; left > 0 && NLMSG_OK(message, (size_t)left);
		     message = NLMSG_NEXT(message, left))
			if (message->nlmsg_type == features->family.id)
				read_device(message, &reader);
	}
	return lost;
}

int features_get(struct features *features, int ifindex, features_each each, void *data)
{
	char buffer[GENL_REQUEST_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct reader reader = {.each = each, .data = data};
	struct nlmsghdr *message;

	if (!features->known)
		return -EOPNOTSUPP;
	message =
	    genl_message(buffer, features->family.id, ifindex ? 0 : NLM_F_DUMP, NETDEV_CMD_DEV_GET);
	if (ifindex)
		mnl_attr_put_u32(message, NETDEV_A_DEV_IFINDEX, ifindex);
	return request_run(&features->request, message, read_device, &reader);
}
