// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and the links they are bound to; which of them are ingresses, which are in use. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

int egress_program(const struct reconcile *r, bool native)
{
	if (!native)
		return r->dp->egress_generic_fd;
	return looks_up(r) ? r->dp->egress_native_fd : -1;
}

static void write_unicast(struct reconcile *r, struct iface *iface)
{
	iface->unicast_ifindex = iface->ifindex;
	for (int native = 0; native < 2; native++) {
		int error = dataplane_unicast(r->dp, native, iface->slot, iface->ifindex,
					      egress_program(r, native));
		if (error && error != -ENODEV) { /* it vanished: its event is coming */
			struct fault fault;
			fault_set(&fault, error, "writing %s to the unicast maps: %s", iface->name,
				  strerror(-error));
			note_fault(r, error, &fault);
			iface->unicast_ifindex = -1; /* once more in the next round */
		}
	}
}

static void unbind(struct reconcile *r, struct iface *iface)
{
	if (!iface->ifindex)
		return;
	attach_drop(r, iface);
	dataplane_unmap_interface(r->dp, iface->ifindex, iface->slot);
	iface->ifindex = 0;
	iface->unicast_ifindex = -1;
	iface->decided = iface->tried = false;
	r->dp->interface_records[iface->slot].ifindex = iface->stuck;
	r->entries_dirty |= iface->is_ingress;
}

void interfaces_bind(struct reconcile *r, struct iface *iface)
{
	const struct link *link = netlink_by_name(r->netlink, iface->name);
	int ifindex = link ? link->ifindex : 0;

	if (iface->ifindex != ifindex) {
		unbind(r, iface);
		iface->ifindex = ifindex;
		r->dp->interface_records[iface->slot].ifindex = ifindex;
		r->entries_dirty |= iface->is_ingress;
		if (ifindex)
			dataplane_map_interface(r->dp, ifindex, iface->slot);
	}
	if (iface->unicast_ifindex != ifindex)
		write_unicast(r, iface);
}

/* The names that groups have for their ingresses: few, of many groups. */
static void list_ingresses(struct reconcile *r)
{
	const char *last = "";

	names_free(&r->ingresses);
	for (size_t i = 0; i < r->model->group_count; i++) {
		const char *from = r->model->groups[i]->key.from;
		if (!strcmp(from, last))
			continue;
		last = from;
		if (names_add(&r->ingresses, from))
			note_fault(r, -ENOMEM, &(struct fault){"out of memory for names"});
	}
}

static void mark_ingresses(struct reconcile *r)
{
	if (r->seen_model != r->model->version)
		list_ingresses(r);
	names_free(&r->aliases);
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++)
		if (r->ifaces[slot])
			r->ifaces[slot]->is_ingress = false;
	for (size_t i = 0; i < r->ingresses.count; i++) {
		const char *from = r->ingresses.name[i];
		uint32_t vlan = 0;
		struct iface *iface = resolve_ingress(r, from, &vlan);
		if (iface)
			iface->is_ingress = true;
		if (vlan && names_add(&r->aliases, from))
			note_fault(r, -ENOMEM, &(struct fault){"out of memory for names"});
	}
}

void interfaces_update(struct reconcile *r)
{
	bool other_programs = r->written_lookup != looks_up(r);

	r->written_lookup = looks_up(r);
	if (r->seen_model != r->model->version || r->links_dirty)
		mark_ingresses(r);
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		if (!iface || iface->idle)
			continue;
		if (other_programs)
			iface->unicast_ifindex = -1;
		interfaces_bind(r, iface);
		if (!iface->is_ingress)
			continue;
		if (r->seen_model != r->model->version)
			mode_check_wish(r, iface);
		const struct link *link = netlink_by_index(r->netlink, iface->ifindex);
		if (link && !iface->decided)
			mode_decide(r, iface, link);
	}
}

void interfaces_link_event(struct reconcile *r, int ifindex, const struct link *link)
{
	r->links_dirty = true;
	if (link)
		sets_mark_link(r, link->name);
	else
		excludes_forget_link(r, ifindex);
	sets_mark_left_out(r, ifindex);
	for (struct actual_set *set = r->sets; !link && set; set = set->next)
		levels_lose(set, ifindex);
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		if (!iface || iface->ifindex != ifindex)
			continue;
		if (!link || strcmp(link->name, iface->name))
			sets_mark_link(r, iface->name);
		if (!link)
			unbind(r, iface);
		if (link && (iface->is_ingress || iface->attached || iface->tried))
			attach_check(r, iface, link);
	}
}

void interfaces_resync(struct reconcile *r)
{
	for (struct actual_set *set = r->sets; set; set = set->next)
		set->dirty = set->rebuild = true;
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++)
		if (r->ifaces[slot])
			r->ifaces[slot]->unicast_ifindex = -1;
	excludes_forget_link(r, 0);
	r->links_dirty = true;
}

void interfaces_sweep(struct reconcile *r)
{
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		if (!iface || iface->idle || iface->is_ingress || iface->memberships)
			continue;
		unbind(r, iface);
		write_unicast(r, iface);
		if (numbers_push(&r->old.ifaces, slot))
			continue;
		iface->exclude = 0;
		iface->exclude_closed = iface->decided = iface->tried = iface->has_former = false;
		iface->refused_mode = MODE_AUTO;
		iface->forced[0] = 0;
		iface->quarantined++;
		iface->idle = true;
		iface->idle_since = ++r->idle_count;
	}
}
