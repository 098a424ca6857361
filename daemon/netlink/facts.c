/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asked only when somebody wants to know why something does not work. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/netlink/link.h"
#include "daemon/netlink/netns.h"
#include "daemon/netlink/state.h"

int netlink_peer_prefix(struct netlink *netlink, int ifindex, char *buf, size_t size)
{
	const struct link *link = netlink_by_index(netlink, ifindex);
	char path[400];
	int fd;

	buf[0] = 0;
	if (!link || !link_is_veth(link) || !link->lower)
		return -ENODEV;
	if (link->lower_nsid < 0)
		return 0;
	fd = netns_find_path(&netlink->route, link->lower_nsid, path, sizeof(path));
	if (fd < 0)
		return fd;
	close(fd);
	snprintf(buf, size, "nsenter --net=%s ", path);
	return 0;
}

int netlink_merging_offloads(struct netlink *netlink, int ifindex, char *buf, size_t size)
{
	static const unsigned int bits[] = {OFFLOAD_LRO, OFFLOAD_GRO_HW, OFFLOAD_GRO_LIST,
					    OFFLOAD_UDP_GRO};
	struct offloads offloads;
	size_t used = 0;
	int r = ethtool_get_offloads(&netlink->ethtool, ifindex, &offloads);

	buf[0] = 0;
	for (size_t i = 0; !r && i < sizeof(bits) / sizeof(*bits) && used < size; i++)
		if (offloads.active & bits[i])
			used += snprintf(buf + used, size - used, "%s%s", used ? "," : "",
					 offload_name(bits[i]));
	return r;
}

int netlink_bridge_lacks_querier(struct netlink *netlink, int ifindex, bool *lacks)
{
	bool snoops = false, querier = false;
	int r = route_get_bridge(&netlink->route, ifindex, &snoops, &querier);

	*lacks = !r && snoops && !querier;
	return r;
}
