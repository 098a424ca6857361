/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The VLAN offloads that hide a tag from XDP. On a NIC that is its own receive offload. On a veth
 * it is the transmit offload of the other end: with it on, that end hands over the tag beside the
 * frame; the receive offload changes nothing there.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/netlink/link.h"
#include "daemon/netlink/netns.h"
#include "daemon/netlink/state.h"

/* The device that has the offload, and a socket of its namespace. */
struct target {
	struct ethtool *ethtool;
	struct ethtool elsewhere; /* open when the device is in another namespace */
	int ifindex;
	unsigned int bits;
};

static int find_elsewhere(struct netlink *netlink, const struct link *link, struct target *out)
{
	int fd = netns_find(&netlink->route, link->lower_nsid), r;

	if (fd < 0)
		return fd;
	r = netns_ethtool_open(fd, &out->elsewhere);
	close(fd);
	if (!r)
		out->ethtool = &out->elsewhere;
	return r;
}

static int find_target(struct netlink *netlink, const struct link *link, struct target *out)
{
	*out = (struct target){
	    .ethtool = &netlink->ethtool, .ifindex = link->ifindex, .bits = OFFLOAD_RX};
	if (!link_is_veth(link))
		return 0;
	out->ifindex = link->lower;
	out->bits = OFFLOAD_TX;
	if (!link->lower)
		return -EXDEV;
	return link->lower_nsid < 0 ? 0 : find_elsewhere(netlink, link, out);
}

/* What to say of a failure: the kernel's own words, if it had any. */
static const char *explain(struct netlink *netlink, const struct target *target, int error)
{
	const char *said = target->ethtool ? target->ethtool->request.why : "";

	if (error == -EXDEV)
		said = "the network namespace of the veth's peer could not be found";
	else if (error == -EOPNOTSUPP && !said[0])
		said = "the driver does not let its VLAN offload be changed";
	snprintf(netlink->why, sizeof(netlink->why), "%s", said);
	return netlink->why;
}

/* Most drivers cannot switch these off: no reason to give up the rest. */
static unsigned int fixed_filters(const struct offloads *offloads)
{
	return OFFLOAD_FILTER & ~offloads->changeable;
}

/* What `link`, or a veth's other end, does now; *bits are those that hide tags. */
static int read_offloads(struct netlink *netlink, const struct link *link,
			 struct offloads *offloads, unsigned int *bits)
{
	struct target target;
	int r = find_target(netlink, link, &target);

	if (!r)
		r = ethtool_get_offloads(target.ethtool, target.ifindex, offloads);
	*bits = target.bits;
	ethtool_close(&target.elsewhere);
	return r;
}

int netlink_get_vlan_offload(struct netlink *netlink, int ifindex, bool *hides_tags)
{
	const struct link *link = netlink_by_index(netlink, ifindex);
	struct offloads offloads;
	unsigned int bits;
	int r = link ? read_offloads(netlink, link, &offloads, &bits) : -ENODEV;

	if (!r)
		*hides_tags = offloads.active & bits & ~fixed_filters(&offloads);
	return r;
}

int netlink_peer_leaves_sums(struct netlink *netlink, int ifindex, bool *leaves)
{
	const struct link *link = netlink_by_index(netlink, ifindex);
	struct offloads offloads;
	unsigned int bits;
	int r =
	    link && link_is_veth(link) ? read_offloads(netlink, link, &offloads, &bits) : -ENODEV;

	if (!r)
		*leaves = offloads.active & OFFLOAD_TX_SUMS;
	return r;
}

/* Changes `bits`, all of them or -EOPNOTSUPP; 1: nothing to do. */
static int change(struct target *target, unsigned int bits, bool on, unsigned int *changed)
{
	struct offloads before, after;
	int r = ethtool_get_offloads(target->ethtool, target->ifindex, &before);

	if (r)
		return r;
	bits &= (on ? ~before.active : before.active) & ~fixed_filters(&before);
	*changed = bits;
	if (!bits)
		return 1;
	if (bits & ~before.changeable)
		return -EOPNOTSUPP;
	r = ethtool_set_offloads(target->ethtool, target->ifindex, on ? bits : 0, bits);
	if (!r)
		r = ethtool_get_offloads(target->ethtool, target->ifindex, &after);
	if (r)
		return r;
	return (after.active & bits) == (on ? bits : 0) ? 0 : -EOPNOTSUPP;
}

int netlink_set_vlan_offload(struct netlink *netlink, int ifindex, bool hide_tags, const char **why)
{
	struct record *record = cache_find(&netlink->cache, ifindex);
	struct target target = {0};
	unsigned int bits, changed;
	int r = -ENODEV;

	if (record && record->present)
		r = find_target(netlink, &record->now, &target);
	if (!r) {
		bits = target.bits;
		/*
		 * Back to what it was before us. After a restart nobody remembers: both kinds
		 * are on by default on a veth, but S-tags are off on most NICs.
		 */
		if (hide_tags && record->hid_vlans)
			bits = record->hid_vlans;
		else if (hide_tags && bits == OFFLOAD_RX)
			bits = OFFLOAD_RX_CTAG | OFFLOAD_FILTER_CTAG;
		r = change(&target, bits, hide_tags, &changed);
		if (!r)
			record->hid_vlans = hide_tags ? 0 : record->hid_vlans | changed;
	}
	if (r < 0 && why)
		*why = explain(netlink, &target, r);
	ethtool_close(&target.elsewhere);
	return r;
}
