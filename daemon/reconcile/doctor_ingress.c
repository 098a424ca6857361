// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be wrong where frames arrive. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/model/reasons.h"
#include "daemon/reconcile/doctor.h"

/* What native XDP needs of a page beside the frame: headroom 256, skb_shared_info 320 (veth.c). */
#define XDP_PAGE_OVERHEAD (256 + 320 + 14)

static unsigned int native_limit(void)
{
	return sysconf(_SC_PAGESIZE) - XDP_PAGE_OVERHEAD;
}

static bool is_detached(const struct examination *e)
{
	const struct interface_wish *wish = model_find_interface(e->r->model, e->iface->name);

	return wish && wish->detached;
}

void check_ingress_link(struct examination *e)
{
	const char *name = e->iface->name;
	char command[512];

	if (!e->link)
		finding_set(e, FINDING_WARNING, "no interface of this name exists: its groups wait",
			    "ip link show %s", name);
	else if (!e->link->up)
		finding_set(e, FINDING_PROBLEM, "it is set down: nothing arrives",
			    "ip link set %s up", name);
	else if (!e->link->lower_up && link_is_veth(e->link)) {
		peer_command(e, command, sizeof(command), "ip link set @ up");
		finding_set(e, FINDING_PROBLEM, "no carrier: the other end of the veth is down",
			    "%s", command);
	} else if (!e->link->lower_up)
		finding_set(e, FINDING_PROBLEM, "no carrier: cable, switch port or other end",
			    "ethtool %s", name);
}

void check_program(struct examination *e)
{
	struct ingress_state state;
	char foreign[FOREIGN_MAX] = "", text[FAULT_TEXT_MAX + 64];
	const char *name = e->iface->name;

	if (!e->link)
		return;
	if (is_detached(e)) {
		finding_set(e, FINDING_WARNING, "detached: its groups are not copied",
			    "xmcastctl attach %s", name);
		return;
	}
	e->r->dp->behind[e->iface->slot] = 0; /* a dispatcher may have lost ours without an event */
	if (dataplane_attached(e->r->dp, e->iface->slot, e->link->ifindex, &state, foreign,
			       sizeof(foreign)))
		return;
	if (state.program_id && e->iface->attached)
		return;
	if (foreign[0]) {
		snprintf(text, sizeof(text), "held by %s", foreign);
		finding_set(e, FINDING_PROBLEM, text, "ip link set dev %s %s off", name,
			    e->link->xdp_mode == LINK_XDP_GENERIC ? "xdpgeneric" : "xdpdrv");
	} else {
		snprintf(text, sizeof(text), "no program is attached%s%s",
			 e->iface->forced[0] ? ": " : "", e->iface->forced);
		finding_set(e, FINDING_PROBLEM, text, "xmcastctl reattach %s", name);
	}
}

/* Those for whose sake an ingress is generic, and the commands that mend them. */
struct blame {
	struct examination *e;
	struct names names;
	char text[256], commands[512];
};

static bool add_blame(const struct link *link, void *data)
{
	struct blame *b = data;
	struct examination other = *b->e;
	char command[sizeof(b->commands)] = "";
	size_t text = strlen(b->text), commands = strlen(b->commands);
	enum xm_reason reason = link_reason(link, true);

	if (names_have(&b->names, link->name) || names_add(&b->names, link->name))
		return true;
	snprintf(b->text + text, sizeof(b->text) - text, "%s%s (%s)", text ? ", " : "", link->name,
		 reason_name(reason));
	other.link = link;
	if (reason == XM_REASON_PEER_NO_NAPI)
		peer_command(&other, command, sizeof(command), "ethtool -K @ gro on");
	if (*command && commands + strlen(command) + 4 < sizeof(b->commands))
		sprintf(b->commands + commands, "%s && ", command);
	return true;
}

/* The MTU of a veth's other end above what native XDP takes; 0: it is not. */
static unsigned int too_large_for_native(const struct link *link)
{
	bool known = link && link_is_veth(link) && link->peer_known;

	return known && link->peer_mtu > native_limit() ? link->peer_mtu : 0;
}

void check_mode(struct examination *e)
{
	const struct interface_wish *wish = model_find_interface(e->r->model, e->iface->name);
	const char *name = e->iface->name;
	char text[FAULT_TEXT_MAX + 64], command[512];

	if (!e->iface->attached || e->iface->native || !e->link ||
	    (wish && wish->mode != MODE_AUTO) || !e->iface->forced[0] ||
	    too_large_for_native(e->link)) /* that has a line of its own */
		return;
	snprintf(text, sizeof(text), "generic mode, which is slower: %s", e->iface->forced);
	struct blame b = {.e = e};
	mode_each_blocker(e->r, e->iface, add_blame, &b);
	names_free(&b.names);
	if (b.text[0]) {
		snprintf(text, sizeof(text),
			 "generic mode, which is slower: these cannot receive redirected frames: "
			 "%.220s",
			 b.text);
		finding_set(e, FINDING_WARNING, text, "%sxmcastctl reattach %s", b.commands, name);
	} else if (link_is_veth(e->link) && e->link->xdp_features_known &&
		   !(e->link->xdp_features & LINK_XDP_BASIC)) {
		/* veth.c: no more transmit queues there than receive queues here */
		peer_command(e, command, sizeof(command), "ethtool -L @ tx 1");
		finding_set(e, FINDING_WARNING, text, "%s && xmcastctl reattach %s", command, name);
	} else if (!link_can_native(e->link, command, sizeof(command))) {
		/* a bridge or a macvlan has no other */
		return;
	} else {
		finding_set(e, FINDING_WARNING, text, "xmcastctl reattach %s", name);
	}
}

void check_ingress_mtu(struct examination *e)
{
	const struct interface_wish *wish = model_find_interface(e->r->model, e->iface->name);
	unsigned int mtu = too_large_for_native(e->link);
	char text[200], command[512];

	if (!mtu || (wish && wish->mode == MODE_GENERIC))
		return;
	snprintf(text, sizeof(text),
		 "the MTU of its other end is %u; native XDP takes %u at most (driver veth)", mtu,
		 native_limit());
	peer_command(e, command, sizeof(command), "ip link set @ mtu 1500");
	finding_set(e, FINDING_WARNING, text, "%s && xmcastctl reattach %s", command,
		    e->iface->name);
}

void check_allmulti(struct examination *e)
{
	if (e->link && e->iface->attached && !e->link->allmulti && !e->link->promisc)
		finding_set(e, FINDING_PROBLEM,
			    "allmulticast is off: a NIC drops groups that nobody joined",
			    "ip link set dev %s allmulticast on", e->iface->name);
}

/* --- a snooping bridge on the way to us --- */

static bool examine_bridge(struct examination *e, const struct link *bridge, const char *where)
{
	char text[256];
	bool lacks;

	if (!bridge || strcmp(bridge->kind, "bridge") ||
	    netlink_bridge_lacks_querier(e->r->netlink, bridge->ifindex, &lacks) || !lacks)
		return false;
	snprintf(text, sizeof(text),
		 "bridge %s %s filters multicast by memberships, and no querier asks for them: "
		 "groups dry up after minutes",
		 bridge->name, where);
	finding_set(e, FINDING_WARNING, text, "ip link set dev %s type bridge mcast_querier 1",
		    bridge->name);
	return true;
}

void check_snooping(struct examination *e)
{
	const struct link *peer;

	if (!e->link)
		return;
	if (!strcmp(e->link->kind, "bridge")) {
		examine_bridge(e, e->link, "itself");
		return;
	}
	peer = link_is_veth(e->link) && e->link->lower_nsid < 0
		   ? netlink_by_index(e->r->netlink, e->link->lower)
		   : NULL;
	if (peer && peer->master)
		examine_bridge(e, netlink_by_index(e->r->netlink, peer->master),
			       "behind its other end");
}

void check_bridge(struct examination *e)
{
	if (e->link)
		examine_bridge(e, e->link, "as an egress");
}

/* --- loops --- */

/* Where copies that leave by the veth itself arrive again, as an ingress of ours. */
static const struct iface *other_end(struct reconcile *r, const struct link *link)
{
	if (!link_is_veth(link) || link->lower_nsid >= 0)
		return NULL;
	const struct link *peer = netlink_by_index(r->netlink, link->lower);
	const struct iface *iface = peer ? iface_find(r, peer->name) : NULL;
	return iface && iface->is_ingress ? iface : NULL;
}

struct ports {
	struct reconcile *r;
	int over;
	const struct iface *back;
};

static int comes_back_by_port(const struct link *link, void *data)
{
	struct ports *ports = data;

	if (link->master == ports->over)
		ports->back = other_end(ports->r, link);
	return ports->back != NULL;
}

/* The same for any egress: a bridge sends by its ports. NULL: nowhere. */
static const struct iface *comes_back(struct reconcile *r, const struct link *link)
{
	struct ports ports = {.r = r, .over = link ? link->ifindex : 0};

	if (!link || link_is_veth(link))
		return link ? other_end(r, link) : NULL;
	netlink_each(r->netlink, comes_back_by_port, &ports);
	return ports.back;
}

/* A group of this ingress whose set has what the ingress is a port of. */
static const struct group *leaves_again(const struct examination *e, const struct link *over)
{
	const struct model *model = e->r->model;

	for (size_t i = 0; over && i < model->group_count; i++) {
		const struct group *group = model->groups[i];
		if (!strcmp(group->key.from, e->iface->name) &&
		    names_match(&group->set->to, over->name) &&
		    !names_match(&group->set->exclude, over->name))
			return group;
	}
	return NULL;
}

struct walk {
	struct examination *e;
	const struct iface *visited[64];
	size_t count;
	const struct group *group; /* the step that closes it */
	const char *egress;
};

static const struct actual_set *set_of(const struct group *group)
{
	return group->set->actual;
}

/* Does what arrives on `iface` for `address` come back to where the walk began? */
static bool walk(struct walk *w, const struct iface *iface, const struct prefix *address)
{
	struct reconcile *r = w->e->r;

	if (w->count == sizeof(w->visited) / sizeof(*w->visited))
		return false;
	w->visited[w->count++] = iface;
	for (size_t i = 0; i < r->model->group_count; i++) {
		const struct group *group = r->model->groups[i];
		const struct actual_set *set = set_of(group);
		if (strcmp(group->key.from, iface->name) || !set ||
		    (address && !prefix_contains(address, &group->key.address) &&
		     !prefix_contains(&group->key.address, address)))
			continue;
		for (unsigned int m = 0; m < set->member_count; m++) {
			const struct iface *back =
			    comes_back(r, netlink_by_index(r->netlink, set->members[m].ifindex));
			if (!back)
				continue;
			w->group = group;
			w->egress = set->members[m].iface->name;
			if (back == w->e->iface)
				return true;
			bool seen = false;
			for (size_t v = 0; v < w->count; v++)
				seen |= w->visited[v] == back;
			const struct group *here = w->group;
			const char *egress = w->egress;
			if (!seen && walk(w, back, &group->key.address)) {
				w->group = here;
				w->egress = egress;
				return true;
			}
		}
	}
	return false;
}

static bool any_comes_back(struct reconcile *r)
{
	for (size_t i = 0; i < r->iface_count; i++)
		if (r->by_name[i]->memberships &&
		    comes_back(r, netlink_by_index(r->netlink, r->by_name[i]->ifindex)))
			return true;
	return false;
}

void check_loop(struct examination *e)
{
	struct walk w = {.e = e};
	char text[256], address[PREFIX_TEXT_MAX];

	const struct link *over = e->link ? link_over_ports(e->r, e->link) : NULL;
	const struct group *again = leaves_again(e, over);
	if (again) {
		prefix_format(&again->key.address, address);
		snprintf(text, sizeof(text),
			 "it is a port of %s: copies of %s leave by it again, to where they came "
			 "from",
			 over->name, address);
		finding_set(e, FINDING_PROBLEM, text, "xmcastctl add-exclude %s %s --from %s",
			    address, over->name, e->iface->name);
		return;
	}
	if (!any_comes_back(e->r) || !walk(&w, e->iface, NULL))
		return;
	prefix_format(&w.group->key.address, address);
	snprintf(text, sizeof(text),
		 "copies of %s that leave by %s come back to %s, and are copied for ever", address,
		 w.egress, e->iface->name);
	finding_set(e, FINDING_PROBLEM, text, "xmcastctl add-exclude %s %s --from %s", address,
		    w.egress, w.group->key.from);
}
