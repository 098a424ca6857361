// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs for egresses. Most NIC drivers (virtio_net, i40e, ice, ena, mlx5, ...) have queues for
 * redirected frames only while they run an XDP program themselves: their features lack NDO_XMIT
 * until then, and before kernel 6.3, which tells no features, they refuse frames with ENXIO or
 * skip them without a word. Such an egress of a native ingress gets the ingress program with an
 * empty word: it passes every frame uncounted. A driver that refuses it has no native XDP.
 */
#include <stdio.h>

#include "daemon/reconcile/internal.h"

static bool is_native_member(const struct reconcile *r, const struct iface *iface)
{
	for (const struct actual_set *set = r->sets; set; set = set->next)
		for (unsigned int i = 0; set->native && i < set->member_count; i++)
			if (set->members[i].iface == iface)
				return true;
	return false;
}

/* What runs is kept while it is of use: with it, the features do not tell any more. */
bool lend_is_wanted(const struct reconcile *r, const struct iface *iface, const struct link *link)
{
	return iface->memberships && (iface->attached || link_needs_program(link)) &&
	       is_native_member(r, iface);
}

/* Ingresses that wait for their first program, in a mode that `auto` chose, choose again. */
static void decide_again(struct reconcile *r)
{
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		if (!iface || !iface->is_ingress || iface->attached || !iface->native)
			continue;
		const struct interface_wish *wish = model_find_interface(r->model, iface->name);
		if (wish && wish->mode != MODE_AUTO)
			continue;
		iface->decided = false;
		r->links_dirty = true;
	}
}

void lend(struct reconcile *r, struct iface *iface, const struct link *link)
{
	struct fault fault = {0};

	iface->native = true;
	if (attach_one(r, iface, link, &fault)) {
		snprintf(iface->forced, sizeof(iface->forced), "%s", fault.text);
		iface->tried = true;
		decide_again(r);
		tell(r, "attach-failed", "interface", iface->name, fault.text);
		return;
	}
	snprintf(iface->forced, sizeof(iface->forced),
		 "driver %s takes copies only while a program runs there: ours passes everything",
		 link->driver[0] ? link->driver : "(unknown)");
	netlink_refresh(r->netlink, iface->ifindex); /* for its features, now */
	sets_mark_link(r, iface->name);
	r->links_dirty = true;
}
