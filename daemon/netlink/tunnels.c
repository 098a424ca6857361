// SPDX-License-Identifier: GPL-2.0-or-later
/* VXLANs of those who send to us. */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "daemon/netlink/link.h"
#include "daemon/netlink/state.h"

struct search {
	int (*f)(const char *name, const uint8_t group[16], void *data);
	void *data;
	bool done;
};

/* The attribute is the remote host's address where that is no group. */
static bool read_group(struct nlattr *data, uint8_t group[16])
{
	struct nlattr *a[IFLA_VXLAN_MAX + 1];
	uint32_t ipv4;

	memset(group, 0, 16);
	if (!data || nla_parse_nested(a, IFLA_VXLAN_MAX, data, NULL) < 0)
		return false;
	if (a[IFLA_VXLAN_GROUP] && nla_len(a[IFLA_VXLAN_GROUP]) == sizeof(ipv4)) {
		memcpy(&ipv4, nla_data(a[IFLA_VXLAN_GROUP]), sizeof(ipv4));
		memset(group + 10, 0xff, 2);
		memcpy(group + 12, &ipv4, sizeof(ipv4));
		return IN_MULTICAST(ntohl(ipv4));
	}
	if (!a[IFLA_VXLAN_GROUP6] || nla_len(a[IFLA_VXLAN_GROUP6]) != 16)
		return false;
	memcpy(group, nla_data(a[IFLA_VXLAN_GROUP6]), 16);
	return group[0] == 0xff;
}

static int look(const struct nlmsghdr *message, void *data)
{
	struct nlattr *info[IFLA_INFO_MAX + 1];
	struct search *search = data;
	uint8_t group[16];
	struct link link;

	if (search->done || link_parse(message, &link) || strcmp(link.kind, "vxlan"))
		return 0;
	struct nlattr *nest =
	    nlmsg_find_attr((struct nlmsghdr *)message, sizeof(struct ifinfomsg), IFLA_LINKINFO);
	if (!nest || nla_parse_nested(info, IFLA_INFO_MAX, nest, NULL) < 0 ||
	    !read_group(info[IFLA_INFO_DATA], group))
		return 0;
	search->done = search->f(link.name, group, search->data);
	return 0;
}

int netlink_peer_vxlans(struct netlink *netlink, int ifindex,
			int (*f)(const char *name, const uint8_t group[16], void *data), void *data)
{
	const struct link *link = netlink_by_index(netlink, ifindex);
	struct search search = {.f = f, .data = data};
	bool whole;

	if (!link || !link_is_veth(link) || !link->lower)
		return -ENODEV;
	return route_dump(&netlink->route, link->lower_nsid, look, &search, &whole);
}
