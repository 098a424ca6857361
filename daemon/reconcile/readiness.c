// SPDX-License-Identifier: GPL-2.0-or-later
/* From the facts of a link to "can it receive copies now", and why not. */
#include <stdio.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

/*
 * Before kernel 6.3 no device tells of its XDP features. Of those made in software, which have a
 * kind, only three have any in 6.1; a NIC is able when it runs a native program.
 */
static bool is_known_unable(const struct link *link)
{
	static const char *const able[] = {"veth", "tun", "bond"};

	if (link->xdp_features_known)
		return false;
	if (!link->kind[0])
		return link->xdp_mode != LINK_XDP_NATIVE && link->xdp_mode != LINK_XDP_MULTI;
	for (size_t i = 0; i < sizeof(able) / sizeof(able[0]); i++)
		if (!strcmp(link->kind, able[i]))
			return false;
	return true;
}

/* Why the driver cannot take redirected frames, which needs ndo_xdp_xmit. */
static enum xm_reason receive_reason(const struct link *link)
{
	if (!strcmp(link->kind, "vlan"))
		return XM_REASON_NEEDS_GENERIC; /* the tag has to be written */
	if (is_known_unable(link))
		return XM_REASON_NO_XDP_XMIT;
	if (!link->xdp_features_known || link->xdp_features & LINK_XDP_NDO_XMIT)
		return XM_REASON_NONE;
	return link_is_veth(link) ? XM_REASON_PEER_NO_NAPI : XM_REASON_NO_XDP_XMIT;
}

enum xm_reason link_reason(const struct link *link, bool native)
{
	if (!link)
		return XM_REASON_ABSENT;
	if (!link->ethernet || link->loopback)
		return XM_REASON_NOT_ETHERNET;
	if (!link->up)
		return XM_REASON_DOWN;
	if (!link->lower_up)
		return XM_REASON_NO_CARRIER;
	return native ? receive_reason(link) : XM_REASON_NONE;
}

bool link_needs_program(const struct link *link)
{
	const uint64_t able = LINK_XDP_BASIC | LINK_XDP_REDIRECT;

	if (link->kind[0] || !link->ethernet)
		return false;
	if (!link->xdp_features_known)
		return is_known_unable(link);
	return (link->xdp_features & (able | LINK_XDP_NDO_XMIT)) == able;
}

bool link_can_receive(const struct link *link)
{
	return receive_reason(link) == XM_REASON_NONE || link_needs_program(link);
}

const struct link *link_over_ports(const struct reconcile *r, const struct link *link)
{
	const struct link *over = link->master ? netlink_by_index(r->netlink, link->master) : NULL;
	bool sends = over && (!strcmp(over->kind, "bridge") || !strcmp(over->kind, "bond") ||
			      !strcmp(over->kind, "team"));

	return sends ? over : NULL;
}

unsigned int link_mtu(const struct link *link)
{
	unsigned int mtu = link->mtu;

	if (link_is_veth(link) && link->peer_known && link->peer_mtu < mtu)
		mtu = link->peer_mtu; /* one frame above it takes its whole bulk along */
	return mtu < 0xffff ? mtu : 0xffff;
}

void link_detail(const struct reconcile *r, const struct link *link, enum xm_reason reason,
		 char *buf, size_t size)
{
	const struct link *peer =
	    link->lower_nsid < 0 ? netlink_by_index(r->netlink, link->lower) : NULL;

	buf[0] = 0;
	if (reason == XM_REASON_DOWN)
		snprintf(buf, size, "run: ip link set %s up", link->name);
	else if (reason == XM_REASON_PEER_NO_NAPI && peer)
		snprintf(buf, size, "run: ethtool -K %s gro on", peer->name);
	else if (reason == XM_REASON_PEER_NO_NAPI)
		snprintf(buf, size,
			 "the veth's other end is in another network namespace: xmcastctl doctor "
			 "%s prints the line",
			 link->name);
	else if (reason == XM_REASON_NO_XDP_XMIT || reason == XM_REASON_NEEDS_GENERIC)
		snprintf(
		    buf, size,
		    "use: interface INGRESS --mode generic: xmcastctl doctor %s prints the line",
		    link->name);
}

bool link_runs_on_ports(const struct link *link)
{
	return !strcmp(link->kind, "bond");
}

bool link_leaves_checksums(const struct link *link)
{
	/* "vif" is xen-netfront, after its device type; frames of a neighbour guest are so */
	static const char *const drivers[] = {"veth", "tun", "vif"};

	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(link->driver, drivers[i]))
			return true;
	return false;
}

bool link_can_native(const struct link *link, char *why, size_t size)
{
	const uint64_t need = LINK_XDP_BASIC | LINK_XDP_REDIRECT;

	if (link_runs_on_ports(link)) {
		snprintf(why, size,
			 "%s is a bond: a native program would run on its ports, where copies are "
			 "not counted",
			 link->name);
		return false;
	}
	if (!strcmp(link->kind, "vlan") || !strcmp(link->kind, "macvlan") ||
	    !strcmp(link->kind, "bridge") || (link->kind[0] && is_known_unable(link))) {
		snprintf(why, size, "%s is a %s, which has no native XDP", link->name, link->kind);
		return false;
	}
	if (link->xdp_features_known && (link->xdp_features & need) != need) {
		snprintf(why, size, "driver %s of %s has no native XDP with redirect",
			 link->driver[0] ? link->driver : "(unknown)", link->name);
		return false;
	}
	return true;
}
