/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/netlink/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

static void parse_vlan(struct link *out, struct nlattr *data)
{
	struct nlattr *a[IFLA_VLAN_MAX + 1];

	if (!data || strcmp(out->kind, "vlan") ||
	    nla_parse_nested(a, IFLA_VLAN_MAX, data, NULL) < 0)
		return;
	if (a[IFLA_VLAN_ID])
		out->vlan_id = nla_get_u16(a[IFLA_VLAN_ID]);
	if (a[IFLA_VLAN_PROTOCOL])
		out->vlan_protocol = ntohs(nla_get_u16(a[IFLA_VLAN_PROTOCOL]));
}

static void parse_bridge(struct link *out, struct nlattr *data)
{
	struct nlattr *a[IFLA_BR_MAX + 1];

	if (!data || strcmp(out->kind, "bridge") ||
	    nla_parse_nested(a, IFLA_BR_MAX, data, NULL) < 0)
		return;
	out->filters_vlans = a[IFLA_BR_VLAN_FILTERING] && nla_get_u8(a[IFLA_BR_VLAN_FILTERING]);
}

static void parse_info(struct link *out, struct nlattr *info)
{
	struct nlattr *a[IFLA_INFO_MAX + 1];

	if (!info || nla_parse_nested(a, IFLA_INFO_MAX, info, NULL) < 0)
		return;
	if (a[IFLA_INFO_KIND])
		nla_strlcpy(out->kind, a[IFLA_INFO_KIND], sizeof(out->kind));
	/* The kernel writes the kind of the master here, not one of the port. */
	if (a[IFLA_INFO_SLAVE_KIND])
		nla_strlcpy(out->master_kind, a[IFLA_INFO_SLAVE_KIND], sizeof(out->master_kind));
	parse_vlan(out, a[IFLA_INFO_DATA]);
	parse_bridge(out, a[IFLA_INFO_DATA]);
}

static uint32_t get_u32(struct nlattr *a)
{
	return a ? nla_get_u32(a) : 0;
}

static void parse_xdp(struct link *out, struct nlattr *xdp)
{
	struct nlattr *a[IFLA_XDP_MAX + 1];

	if (!xdp || nla_parse_nested(a, IFLA_XDP_MAX, xdp, NULL) < 0 || !a[IFLA_XDP_ATTACHED])
		return;
	switch (nla_get_u8(a[IFLA_XDP_ATTACHED])) {
	case XDP_ATTACHED_DRV:
	case XDP_ATTACHED_HW: /* in front of the driver: as occupied as native */
		out->xdp_mode = LINK_XDP_NATIVE;
		out->xdp_program_id = get_u32(a[IFLA_XDP_PROG_ID]);
		break;
	case XDP_ATTACHED_SKB:
		out->xdp_mode = LINK_XDP_GENERIC;
		out->xdp_program_id = get_u32(a[IFLA_XDP_PROG_ID]);
		break;
	case XDP_ATTACHED_MULTI: /* PROG_ID is absent then */
		out->xdp_mode = LINK_XDP_MULTI;
		out->xdp_program_id = get_u32(a[IFLA_XDP_DRV_PROG_ID]);
		break;
	}
}

static void parse_counters(struct link *out, struct nlattr *stats)
{
	struct rtnl_link_stats64 s = {0};

	if (!stats)
		return;
	nla_memcpy(&s, stats, sizeof(s));
	out->tx_dropped = s.tx_dropped;
}

static void parse_flags(struct link *out, const struct ifinfomsg *info)
{
	out->ethernet = info->ifi_type == ARPHRD_ETHER;
	out->loopback = info->ifi_flags & IFF_LOOPBACK;
	out->up = info->ifi_flags & IFF_UP;
	out->lower_up = info->ifi_flags & IFF_LOWER_UP;
	out->allmulti = info->ifi_flags & IFF_ALLMULTI;
	out->promisc = info->ifi_flags & IFF_PROMISC;
}

int link_parse(const struct nlmsghdr *message, struct link *out)
{
	struct nlmsghdr *h = (struct nlmsghdr *)message;
	struct nlattr *a[IFLA_MAX + 1];
	struct ifinfomsg *info = nlmsg_data(h);

	if (!nlmsg_valid_hdr(h, sizeof(*info)))
		return -EBADMSG;
	if (info->ifi_family != AF_UNSPEC)
		return -EAGAIN;
	if (nlmsg_parse(h, sizeof(*info), a, IFLA_MAX, NULL) < 0)
		return -EBADMSG;
	if (!a[IFLA_IFNAME] || !a[IFLA_MTU] || !a[IFLA_XDP])
		return -EAGAIN;
	memset(out, 0, sizeof(*out));
	out->ifindex = info->ifi_index;
	nla_strlcpy(out->name, a[IFLA_IFNAME], sizeof(out->name));
	parse_flags(out, info);
	/* Ports of bridges are promiscuous by count, without the flag. */
	out->promisc |= get_u32(a[IFLA_PROMISCUITY]) > 0;
	out->mtu = nla_get_u32(a[IFLA_MTU]);
	out->rx_queues = get_u32(a[IFLA_NUM_RX_QUEUES]);
	out->tx_queues = get_u32(a[IFLA_NUM_TX_QUEUES]);
	out->lower = get_u32(a[IFLA_LINK]);
	out->lower_nsid = a[IFLA_LINK_NETNSID] ? nla_get_s32(a[IFLA_LINK_NETNSID]) : -1;
	out->master = get_u32(a[IFLA_MASTER]);
	parse_info(out, a[IFLA_LINKINFO]);
	parse_xdp(out, a[IFLA_XDP]);
	parse_counters(out, a[IFLA_STATS64]);
	return 0;
}

void link_set_peer(struct link *link, const struct link *peer)
{
	static const struct link unknown;

	link->peer_known = peer;
	peer = peer ? peer : &unknown;
	memcpy(link->peer_name, peer->name, sizeof(link->peer_name));
	link->peer_up = peer->up;
	link->peer_mtu = peer->mtu;
	link->peer_rx_queues = peer->rx_queues;
	link->peer_tx_queues = peer->tx_queues;
	link->peer_xdp_native = link_xdp_native(peer);
}

bool link_same(const struct link *a, const struct link *b)
{
	struct link copy;

	/* Whole structs are only ever zeroed and copied, so their padding compares too. */
	memcpy(&copy, a, sizeof(copy));
	copy.tx_dropped = b->tx_dropped;
	return !memcmp(&copy, b, sizeof(copy));
}
