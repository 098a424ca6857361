/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/netlink/route.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <string.h>
#include <sys/socket.h>

#include "daemon/netlink/link.h"

/*
 * A notification costs up to 4 KiB of this (the kernel counts whole pages), so it holds about
 * 8,000: four for each of 2,000 links. It is a bound, not an allocation.
 */
#define EVENT_BUFFER_BYTES (32 << 20)
#define DUMP_TRIES	   5

/* libnl's own error numbers lose the errno; the few that its socket calls can give suffice. */
static int from_libnl(int error)
{
	switch (-error) {
	case 0:
		return 0;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_AF_NOSUPPORT:
		return -EAFNOSUPPORT;
	default:
		return errno ? -errno : -EIO;
	}
}

static int open_events(struct route *route)
{
	int fd, bytes = EVENT_BUFFER_BYTES, on = 1, r;

	errno = 0;
	r = from_libnl(nl_connect(route->events, NETLINK_ROUTE));
	if (r)
		return r;
	fd = nl_socket_get_fd(route->events);
	/* FORCE passes the sysctl's limit but wants CAP_NET_ADMIN; the other takes what it gets. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	/* Wants CAP_NET_BROADCAST; without it peers elsewhere are read when our end changes. */
	route->all_namespaces =
	    !setsockopt(fd, SOL_NETLINK, NETLINK_LISTEN_ALL_NSID, &on, sizeof(on));
	errno = 0;
	r = nl_socket_set_nonblocking(route->events);
	if (!r)
		r = nl_socket_add_memberships(route->events, RTNLGRP_LINK, 0);
	return from_libnl(r);
}

int route_open(struct route *route)
{
	int r;

	*route = (struct route){.events = nl_socket_alloc(), .requests = nl_socket_alloc()};
	if (!route->events || !route->requests)
		return -ENOMEM;
	r = open_events(route);
	if (r)
		return r;
	errno = 0;
	r = from_libnl(nl_connect(route->requests, NETLINK_ROUTE));
	return r ? r : request_init(&route->request, nl_socket_get_fd(route->requests));
}

void route_close(struct route *route)
{
	if (route->events)
		nl_socket_free(route->events);
	if (route->requests)
		nl_socket_free(route->requests);
	*route = (struct route){0};
}

int route_fd(const struct route *route)
{
	return nl_socket_get_fd(route->events);
}

/* Only messages of other namespaces carry the note. */
static int get_nsid(struct msghdr *header)
{
	int nsid = -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c))
		if (c->cmsg_level == SOL_NETLINK && c->cmsg_type == NETLINK_LISTEN_ALL_NSID)
			memcpy(&nsid, CMSG_DATA(c), sizeof(nsid));
	return nsid;
}

/* 1: read one; 0: nothing left; negative errno, -ENOBUFS: something was lost. */
static int read_event(int fd, route_message each, void *data)
{
	char buffer[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
	char control[256] __attribute__((aligned(8)));
	struct sockaddr_nl from = {0};
	struct iovec piece = {.iov_base = buffer, .iov_len = sizeof(buffer)};
	struct msghdr header = {.msg_name = &from,
				.msg_namelen = sizeof(from),
				.msg_iov = &piece,
				.msg_iovlen = 1,
				.msg_control = control,
				.msg_controllen = sizeof(control)};
	struct nlmsghdr *message = (struct nlmsghdr *)buffer;
	ssize_t length = recvmsg(fd, &header, 0);
	int left, nsid;

	if (length < 0)
		return errno == EAGAIN ? 0 : errno == EINTR ? 1 : -errno;
	if (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return -ENOBUFS;
	if (from.nl_pid != 0) /* not the kernel */
		return 1;
	nsid = get_nsid(&header);
	for (left = length; nlmsg_ok(message, left); message = nlmsg_next(message, &left))
		each(message, nsid, data);
	return 1;
}

int route_read(struct route *route, unsigned int budget, route_message each, void *data)
{
	bool lost = false;
	int r = 1;

	while (r > 0 && budget--) {
		r = read_event(route_fd(route), each, data);
		if (r == -ENOBUFS) {
			lost = true;
			r = 1;
		}
	}
	return r < 0 ? r : lost;
}

/* The request of `type` with the header of `size` bytes in front of attributes, or NULL. */
static struct nl_msg *new_request(int type, int flags, void *header, size_t size)
{
	struct nl_msg *message = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (message && nlmsg_append(message, header, size, NLMSG_ALIGNTO) < 0) {
		nlmsg_free(message);
		return NULL;
	}
	return message;
}

int route_dump(struct route *route, int nsid, request_each each, void *data, bool *whole)
{
	struct ifinfomsg info = {.ifi_family = AF_UNSPEC};
	struct nl_msg *message = new_request(RTM_GETLINK, NLM_F_DUMP, &info, sizeof(info));
	int r = 0;

	if (!message)
		return -ENOMEM;
	if (nsid >= 0 && nla_put_s32(message, IFLA_TARGET_NETNSID, nsid) < 0)
		r = -ENOMEM;
	for (int i = 0; !r && i < DUMP_TRIES; i++) {
		r = request_run(&route->request, nlmsg_hdr(message), each, data);
		*whole = !route->request.interrupted;
		if (r < 0 || *whole)
			break;
	}
	nlmsg_free(message);
	return r;
}

static int get_link(const struct nlmsghdr *message, void *data)
{
	return message->nlmsg_type == RTM_NEWLINK ? link_parse(message, data) : 0;
}

int route_get(struct route *route, int ifindex, int nsid, struct link *out)
{
	struct ifinfomsg info = {.ifi_family = AF_UNSPEC, .ifi_index = ifindex};
	struct nl_msg *message = new_request(RTM_GETLINK, 0, &info, sizeof(info));
	int r;

	*out = (struct link){0};
	if (!message)
		return -ENOMEM;
	if (nsid >= 0 && nla_put_s32(message, IFLA_TARGET_NETNSID, nsid) < 0)
		r = -ENOMEM;
	else
		r = request_run(&route->request, nlmsg_hdr(message), get_link, out);
	nlmsg_free(message);
	if (!r && out->ifindex != ifindex) /* an answer, but not to that */
		r = -EBADMSG;
	return r;
}

int route_set_flags(struct route *route, int ifindex, unsigned int flags, unsigned int mask)
{
	struct ifinfomsg info = {
	    .ifi_family = AF_UNSPEC, .ifi_index = ifindex, .ifi_flags = flags, .ifi_change = mask};
	struct nl_msg *message = new_request(RTM_SETLINK, NLM_F_ACK, &info, sizeof(info));
	int r;

	if (!message)
		return -ENOMEM;
	r = request_run(&route->request, nlmsg_hdr(message), NULL, NULL);
	nlmsg_free(message);
	return r;
}

static int get_nsid_answer(const struct nlmsghdr *message, void *data)
{
	struct nlattr *a;

	if (message->nlmsg_type != RTM_NEWNSID)
		return 0;
	a = nlmsg_find_attr((struct nlmsghdr *)message, sizeof(struct rtgenmsg), NETNSA_NSID);
	*(int *)data = a ? nla_get_s32(a) : NETNSA_NSID_NOT_ASSIGNED;
	return 0;
}

int route_nsid(struct route *route, int fd, int *nsid)
{
	struct rtgenmsg header = {.rtgen_family = AF_UNSPEC};
	struct nl_msg *message = new_request(RTM_GETNSID, 0, &header, sizeof(header));
	int id = NETNSA_NSID_NOT_ASSIGNED, r;

	if (!message)
		return -ENOMEM;
	if (nla_put_u32(message, NETNSA_FD, fd) < 0)
		r = -ENOMEM;
	else
		r = request_run(&route->request, nlmsg_hdr(message), get_nsid_answer, &id);
	nlmsg_free(message);
	if (r)
		return r;
	if (id < 0)
		return -ENOENT;
	*nsid = id;
	return 0;
}

struct bridge {
	bool snoops, querier;
};

static int get_bridge(const struct nlmsghdr *message, void *data)
{
	struct nlattr *info[IFLA_INFO_MAX + 1], *a[IFLA_BR_MAX + 1], *state;
	struct bridge *out = data;
	struct nlattr *link =
	    nlmsg_find_attr((struct nlmsghdr *)message, sizeof(struct ifinfomsg), IFLA_LINKINFO);

	if (!link || nla_parse_nested(info, IFLA_INFO_MAX, link, NULL) < 0 ||
	    !info[IFLA_INFO_DATA] ||
	    nla_parse_nested(a, IFLA_BR_MAX, info[IFLA_INFO_DATA], NULL) < 0)
		return 0;
	state = a[IFLA_BR_MCAST_QUERIER_STATE]; /* names the querier there is, since 5.16 */
	out->snoops = a[IFLA_BR_MCAST_SNOOPING] && nla_get_u8(a[IFLA_BR_MCAST_SNOOPING]);
	out->querier = (a[IFLA_BR_MCAST_QUERIER] && nla_get_u8(a[IFLA_BR_MCAST_QUERIER])) ||
		       (state && nla_len(state));
	return 0;
}

int route_get_bridge(struct route *route, int ifindex, bool *snoops, bool *querier)
{
	struct ifinfomsg header = {.ifi_family = AF_UNSPEC, .ifi_index = ifindex};
	struct nl_msg *message = new_request(RTM_GETLINK, 0, &header, sizeof(header));
	struct bridge bridge = {};
	int r;

	if (!message)
		return -ENOMEM;
	r = request_run(&route->request, nlmsg_hdr(message), get_bridge, &bridge);
	nlmsg_free(message);
	*snoops = bridge.snoops;
	*querier = bridge.querier;
	return r;
}
