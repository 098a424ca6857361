// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, slots, and the links they are bound to; modes of ingresses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/reasons.h"
#include "daemon/reconcile/internal.h"

/* Where the name is, or would go, in the sorted array. */
static size_t name_place(const struct reconcile *r, const char *name)
{
	size_t low = 0, high = r->iface_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(r->by_name[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct iface *iface_find(const struct reconcile *r, const char *name)
{
	size_t place = name_place(r, name);

	if (place == r->iface_count || strcmp(r->by_name[place]->name, name))
		return NULL;
	return r->by_name[place];
}

struct iface *iface_at(struct reconcile *r, const char *name, uint32_t slot)
{
	struct iface *iface = calloc(1, sizeof(*iface));
	if (!iface)
		return NULL;
	snprintf(iface->name, sizeof(iface->name), "%s", name);
	iface->slot = slot;
	iface->reason = XM_REASON_ABSENT;
	size_t place = name_place(r, name);
	memmove(r->by_name + place + 1, r->by_name + place,
		(r->iface_count - place) * sizeof(*r->by_name));
	r->by_name[place] = iface;
	r->iface_count++;
	r->ifaces[slot] = iface;
	return iface;
}

static void iface_remove(struct reconcile *r, struct iface *iface)
{
	size_t place = name_place(r, iface->name);

	r->iface_count--;
	memmove(r->by_name + place, r->by_name + place + 1,
		(r->iface_count - place) * sizeof(*r->by_name));
	r->ifaces[iface->slot] = NULL;
	free(iface);
}

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

/* Binds to the link of that name, or to none; leads tracepoints there. */
static void bind_link(struct reconcile *r, struct iface *iface)
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

/* The slot of the name that nobody has used for the longest time; 0: none can be had. */
static uint32_t take_idle_slot(struct reconcile *r)
{
	struct iface *oldest = NULL;

	for (size_t i = 0; i < r->iface_count; i++) {
		struct iface *iface = r->by_name[i];
		if (iface->idle && !iface->quarantined && !iface->stuck &&
		    (!oldest || iface->idle_since < oldest->idle_since))
			oldest = iface;
	}
	if (!oldest)
		return 0;
	uint32_t slot = oldest->slot;
	counters_move_interface(r->dp, slot, 0); /* element 0 keeps what the gone ones counted */
	iface_remove(r, oldest);
	return slot;
}

struct iface *iface_get(struct reconcile *r, const char *name)
{
	struct iface *iface = iface_find(r, name);
	if (iface && iface->idle) {
		iface->idle = false;
		bind_link(r, iface);
	}
	if (iface)
		return iface;
	uint32_t slot = numbers_pop(&r->free_ifaces);
	if (!slot && !r->no_slot)
		slot = take_idle_slot(r);
	if (!slot) {
		r->no_slot = true;
		return NULL;
	}
	iface = iface_at(r, name, slot);
	if (!iface) {
		numbers_push(&r->free_ifaces, slot);
		return NULL;
	}
	struct xm_interface_record *record = &r->dp->interface_records[slot];
	*record = (struct xm_interface_record){0};
	memcpy(record->name, iface->name, sizeof(record->name));
	bind_link(r, iface);
	return iface;
}

const char *interfaces_parent(const struct reconcile *r, const char *from, uint32_t *vlan)
{
	const struct link *link = netlink_by_name(r->netlink, from);

	/*
	 * A VLAN netdev means its parent and that tag; the outer tag is the parent's. But itself
	 * where the parent is out of reach, or has no tags to tell VLANs by.
	 */
	while (link && !strcmp(link->kind, "vlan") && *vlan <= 0xfff) {
		const struct link *parent =
		    link->lower_nsid < 0 ? netlink_by_index(r->netlink, link->lower) : NULL;
		if (!parent || link_hides_vlans(parent))
			break;
		*vlan = (uint32_t)link->vlan_id << (*vlan ? 16 : 0) | *vlan;
		from = parent->name;
		link = parent;
	}
	return from;
}

struct iface *interfaces_resolve(struct reconcile *r, const char *from, uint32_t *vlan)
{
	return iface_get(r, interfaces_parent(r, from, vlan));
}

bool interfaces_resolve_key(struct group_key *key, void *data)
{
	const char *name = interfaces_parent(data, key->from, &key->vlan);

	if (!strcmp(name, key->from))
		return false;
	memset(key->from, 0, sizeof(key->from));
	strncpy(key->from, name, sizeof(key->from) - 1);
	return true;
}

/* The model's group of that ingress name, if it means `key`: with no tag of its own, or the inner.
 */
static const struct group *find_by_alias(struct reconcile *r, const char *from,
					 const struct group_key *key)
{
	const uint32_t tags[] = {0, key->vlan & 0xffff};

	for (int i = 0; i < 2; i++) {
		struct group_key own = *key, resolved;
		memset(own.from, 0, sizeof(own.from));
		strncpy(own.from, from, sizeof(own.from) - 1);
		own.vlan = tags[i];
		resolved = own;
		interfaces_resolve_key(&resolved, r);
		if (!group_key_compare(&resolved, key) && model_find_group(r->model, &own))
			return model_find_group(r->model, &own);
	}
	return NULL;
}

const struct group *interfaces_conflict(struct reconcile *r, const struct group *group, bool all)
{
	struct group_key key = group->key;
	bool is_alias = interfaces_resolve_key(&key, r);
	const struct group *found = is_alias ? model_find_group(r->model, &key) : NULL;

	for (size_t i = 0; !found && (is_alias || all) && i < r->aliases.count; i++) {
		if (strcmp(r->aliases.name[i], group->key.from))
			found = find_by_alias(r, r->aliases.name[i], &key);
		else if (!all)
			break;
	}
	return found;
}

/* Of those that need a program of their own, some were found to refuse it. */
static bool can_receive(const struct reconcile *r, const struct link *link)
{
	const struct iface *iface = iface_find(r, link->name);

	return link_can_receive(link) && !(link_needs_program(link) && iface && iface->tried);
}

bool interfaces_each_blocker(struct reconcile *r, const struct iface *iface,
			     bool (*f)(const struct link *link, void *data), void *data)
{
	const struct egress_set *last = NULL;

	for (size_t i = 0; i < r->model->group_count; i++) {
		const struct group *group = r->model->groups[i];
		uint32_t vlan = 0;
		if (group->set == last || interfaces_resolve(r, group->key.from, &vlan) != iface)
			continue;
		last = group->set;
		for (size_t j = 0; j < last->to.count; j++) {
			const struct link *link = netlink_by_name(r->netlink, last->to.name[j]);
			if (link && !names_match(&last->exclude, link->name) &&
			    !can_receive(r, link) && !f(link, data))
				return false;
		}
	}
	return true;
}

static bool blame(const struct link *link, void *data)
{
	struct iface *iface = data;

	snprintf(iface->forced, sizeof(iface->forced),
		 "egress %s cannot receive redirected frames (%s)", link->name,
		 reason_name(link_reason(link, true)));
	return false;
}

static void decide_mode(struct reconcile *r, struct iface *iface, const struct link *link)
{
	const struct interface_wish *wish = model_find_interface(r->model, iface->name);
	enum mode mode = wish ? wish->mode : MODE_AUTO;

	iface->forced[0] = 0;
	bool native =
	    mode == MODE_NATIVE ||
	    (mode == MODE_AUTO && link_can_native(link, iface->forced, sizeof(iface->forced)) &&
	     interfaces_each_blocker(r, iface, blame, iface));
	if (iface->attached && native != iface->native) {
		iface->has_former = iface->receives; /* gone back to when attaching fails */
		attach_drop(r, iface);		     /* the kernel holds one mode at a time */
	}
	iface->native = native;
	iface->decided = true;
	r->entries_dirty = true;
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
		struct iface *iface = interfaces_resolve(r, from, &vlan);
		if (iface)
			iface->is_ingress = true;
		if (vlan && names_add(&r->aliases, from))
			note_fault(r, -ENOMEM, &(struct fault){"out of memory for names"});
	}
}

/*
 * A mode that is wanted strictly now, and differs from what runs, is decided again; but one that
 * was refused, so that the former runs on, is not tried with every change.
 */
static void check_wish(struct reconcile *r, struct iface *iface)
{
	const struct interface_wish *wish = model_find_interface(r->model, iface->name);
	enum mode mode = wish ? wish->mode : MODE_AUTO;

	if (mode != iface->refused_mode)
		iface->refused_mode = MODE_AUTO;
	if (mode == MODE_AUTO || mode == iface->refused_mode || !iface->decided)
		return;
	if (iface->native != (mode == MODE_NATIVE))
		iface->decided = iface->tried = false;
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
		bind_link(r, iface);
		if (!iface->is_ingress)
			continue;
		if (r->seen_model != r->model->version)
			check_wish(r, iface);
		const struct link *link = netlink_by_index(r->netlink, iface->ifindex);
		if (link && !iface->decided)
			decide_mode(r, iface, link);
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

void interfaces_slots_free(struct reconcile *r)
{
	if (!r->no_slot)
		return;
	r->no_slot = false;
	r->links_dirty = true; /* for ingresses */
	sets_mark_left_out(r, 0);
}

bool interfaces_left_out(const struct reconcile *r, char *buf, size_t size)
{
	const char *name = NULL;

	for (size_t i = 0; !name && i < r->ingresses.count; i++) {
		uint32_t vlan = 0;
		name = interfaces_parent(r, r->ingresses.name[i], &vlan);
		if (iface_find(r, name) || !netlink_by_name(r->netlink, name))
			name = NULL;
	}
	for (const struct actual_set *set = r->sets; !name && set; set = set->next)
		if (set->left_out)
			name = set->members[set->member_count].name;
	if (name)
		snprintf(buf, size,
			 "%s, if not others too, is left out: `limit interfaces %u` is reached: "
			 "raise it and restart xmcastd",
			 name, r->model->limits.interfaces);
	return name;
}

unsigned int interfaces_used(const struct reconcile *r)
{
	unsigned int used = 0;

	for (size_t i = 0; i < r->iface_count; i++)
		used += !r->by_name[i]->idle;
	return used;
}

void interfaces_free(struct reconcile *r)
{
	for (size_t i = 0; i < r->iface_count; i++)
		free(r->by_name[i]);
	free(r->by_name);
	free(r->ifaces);
	names_free(&r->aliases);
	names_free(&r->ingresses);
}
