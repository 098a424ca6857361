/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rtnetlink through libnl: notifications of links, and requests about them. */
#ifndef XM_NETLINK_ROUTE_H
#define XM_NETLINK_ROUTE_H

#include <stdbool.h>

#include "daemon/netlink/netlink.h"
#include "daemon/netlink/request.h"

struct nl_sock;

struct route {
	struct nl_sock *events;	  /* non-blocking, group RTNLGRP_LINK */
	struct nl_sock *requests; /* blocking, bounded */
	struct request request;
	bool all_namespaces; /* events also tell of namespaces that have an id here */
};

/* 0 or negative errno; route_close() also after a failure. */
int route_open(struct route *route);
void route_close(struct route *route);
int route_fd(const struct route *route);

/* `nsid` -1: of our own namespace, else of the one with that id here. */
typedef void (*route_message)(const struct nlmsghdr *message, int nsid, void *data);
/*
 * Reads what is queued, at most `budget` datagrams. 0; 1: messages were lost, read everything
 * anew; negative errno.
 */
int route_read(struct route *route, unsigned int budget, route_message each, void *data);

/* All links, as RTM_NEWLINK messages, nsid as in route_get(). Retries while the kernel says that it
 * was not of one piece; *whole is false when it never was. */
int route_dump(struct route *route, int nsid, request_each each, void *data, bool *whole);
/* One link. nsid -1: here; else of that namespace. -ENODEV: no such link. */
int route_get(struct route *route, int ifindex, int nsid, struct link *out);
/* Of a bridge: does it filter by memberships, and does anybody, it or another, ask for them? */
int route_get_bridge(struct route *route, int ifindex, bool *snoops, bool *querier);
/* RTM_SETLINK of the flags in `mask`. The text of an error is in route->request.why. */
int route_set_flags(struct route *route, int ifindex, unsigned int flags, unsigned int mask);
/* The id here of the network namespace behind `fd`. -ENOENT: it has none. */
int route_nsid(struct route *route, int fd, int *nsid);

#endif
