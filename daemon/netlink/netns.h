/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network namespaces that the kernel only names by an id. */
#ifndef XM_NETLINK_NETNS_H
#define XM_NETLINK_NETNS_H

#include "daemon/netlink/ethtool.h"
#include "daemon/netlink/route.h"

/*
 * A descriptor of the network namespace that has the id `nsid` in ours, found by trying those with
 * a name and those that a process is in. -EXDEV: none of them (it may be held by a descriptor or a
 * mount elsewhere, or we may not look); else a negative errno.
 */
int netns_find(struct route *route, int nsid);
/* The same, and where it was found: "/run/netns/blue". */
int netns_find_path(struct route *route, int nsid, char *path, size_t size);

/* ethtool_open() in the namespace behind `fd`; the calling thread stays where it is. */
int netns_ethtool_open(int fd, struct ethtool *out);

#endif
