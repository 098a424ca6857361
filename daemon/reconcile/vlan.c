// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VLAN tags that XDP never gets to see.
 *
 * A bridge, a macvlan or a bond receives by a handler on the devices below it. Before that the
 * kernel takes the outer tag off the frame and keeps it in the socket buffer
 * (__netif_receive_skb_core(): skb_vlan_untag(), then rx_handler), where generic XDP, which runs
 * on the upper device afterwards, cannot look: xdp_md has no such field, and the kfunc
 * bpf_xdp_metadata_rx_vlan_tag() is for native programs of a few drivers. So there a frame with
 * one tag looks untagged. A VLAN interface on such a device sees the frames of its VLAN alone.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

const char vlans_mixed[] = "XDP sees no VLAN tags there: frames of any VLAN count as untagged";

bool link_hides_vlans(const struct link *link)
{
	static const char *const kinds[] = {"bridge", "macvlan", "macvtap", "ipvlan",
					    "ipvtap", "bond",	 "team",    "openvswitch"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(link->kind, kinds[i]))
			return true;
	return false;
}

bool link_mixes_vlans(const struct link *link)
{
	return link_hides_vlans(link) && !link->filters_vlans;
}

struct vlan_search {
	int parent;
	uint16_t id;
	const char *name;
};

static int is_vlan(const struct link *link, void *data)
{
	struct vlan_search *search = data;

	search->name = link->name;
	return !strcmp(link->kind, "vlan") && link->lower_nsid < 0 &&
	       link->lower == search->parent && link->vlan_id == search->id;
}

static uint16_t outer_of(uint32_t vlan)
{
	return vlan > 0xfff ? vlan >> 16 : vlan;
}

bool link_refuses_vlan(const struct reconcile *r, const struct link *link, uint32_t vlan, char *buf,
		       size_t size)
{
	struct vlan_search search = {.parent = link->ifindex, .id = outer_of(vlan)};
	char inner[24] = "", make[96] = "", name[24];

	buf[0] = 0;
	if (!vlan || !link_hides_vlans(link))
		return false;
	if (vlan > 0xfff)
		snprintf(inner, sizeof(inner), " --vlan %u", vlan & 0xfff);
	if (netlink_each(r->netlink, is_vlan, &search)) {
		snprintf(name, sizeof(name), "%s", search.name);
	} else {
		snprintf(name, sizeof(name), "%.10s.%u", link->name, search.id);
		snprintf(make, sizeof(make), " (ip link add link %s name %s type vlan id %u)",
			 link->name, name, search.id);
	}
	snprintf(buf, size, "XDP sees no VLAN tags on %s, a %s: use --from %s%s%s", link->name,
		 link->kind, name, inner, make);
	return true;
}

void link_vlan_detail(const struct reconcile *r, const struct link *link, uint32_t vlan, char *buf,
		      size_t size)
{
	struct vlan_search search = {.parent = link->ifindex, .id = outer_of(vlan)};

	buf[0] = 0;
	if (search.id && link->drops_vlans && !netlink_each(r->netlink, is_vlan, &search))
		snprintf(buf, size,
			 "%s drops frames of VLANs that have no interface: run: ip link add link "
			 "%s name %.9s.%u type vlan id %u",
			 link->name, link->name, link->name, search.id, search.id);
}
