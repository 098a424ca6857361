// SPDX-License-Identifier: GPL-2.0-or-later
/* Exclude maps (--enforce lookup): one DEVMAP_HASH for each different list of excludes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

static struct exclude_set *find(struct reconcile *r, const struct names *names)
{
	struct exclude_set *set = r->excludes;
	while (set && !names_equal(&set->names, names))
		set = set->next;
	return set;
}

struct gather {
	struct exclude_set *set;
	int *ifindexes;
	unsigned int count, room;
	bool failed;
};

static int match_link(const struct link *link, void *data)
{
	struct gather *g = data;

	if (!names_match(&g->set->names, link->name))
		return 0;
	if (g->count == g->room) {
		unsigned int room = g->room ? g->room * 2 : 16;
		int *grown = reallocarray(g->ifindexes, room, sizeof(int));
		if (!grown)
			return -ENOMEM;
		g->ifindexes = grown;
		g->room = room;
	}
	g->ifindexes[g->count++] = link->ifindex;
	return 0;
}

static bool has(const int *ifindexes, unsigned int count, int ifindex)
{
	for (unsigned int i = 0; i < count; i++)
		if (ifindexes[i] == ifindex)
			return true;
	return false;
}

#define LEAST_ROOM 128 /* interfaces: a map that grew in vain costs memory only */

/*
 * A map with room for `count`, for the set that has none or one that is too small: the entries that
 * name the old one are switched to it. 1: a slot must grow first.
 */
static int take_map(struct reconcile *r, struct exclude_set *set, unsigned int count)
{
	unsigned int room = count > LEAST_ROOM ? count : LEAST_ROOM;
	uint32_t slot = pool_take(r->dp->exclude_pool, room);

	if (!slot) {
		int error = pool_want(r->dp->exclude_pool, room, 1);
		return error ? error : 1;
	}
	if (set->slot) {
		numbers_push(&r->old.excludes, set->slot);
		r->entries_dirty = r->excludes_moving = true;
	}
	set->slot = slot;
	free(set->ifindexes);
	set->ifindexes = NULL;
	set->count = 0;
	return 0;
}

/*
 * Writes the difference; adds first, so that a renamed interface is never let through. 1: a slot
 * must grow first.
 */
static int fill(struct reconcile *r, struct exclude_set *set)
{
	struct gather g = {.set = set};
	int error = netlink_each(r->netlink, match_link, &g);

	if (!error && (!set->slot || g.count > pool_capacity(r->dp->exclude_pool, set->slot)))
		error = take_map(r, set, g.count);
	for (unsigned int i = 0; i < g.count && !error; i++) {
		int ifindex = g.ifindexes[i];
		if (has(set->ifindexes, set->count, ifindex))
			continue;
		error = pool_add(r->dp->exclude_pool, set->slot, ifindex, ifindex, -1);
		if (error != -ENODEV)
			continue;
		g.ifindexes[i] = -1; /* it vanished: its event is coming */
		error = 0;
	}
	for (unsigned int i = 0; i < set->count && !error; i++)
		if (!has(g.ifindexes, g.count, set->ifindexes[i]))
			pool_remove(r->dp->exclude_pool, set->slot, set->ifindexes[i]);
	if (error) {
		free(g.ifindexes);
		return error;
	}
	free(set->ifindexes);
	set->ifindexes = g.ifindexes;
	set->count = g.count;
	return 0;
}

/*
 * A set whose map does not hold all it must is closed: its groups are copied to nobody rather than
 * to who is excluded.
 */
static void fill_or_close(struct reconcile *r, struct exclude_set *set, bool *grow)
{
	struct fault fault;
	int error = fill(r, set);

	*grow |= error == 1;
	if (set->closed != (error != 0))
		r->entries_dirty = r->excludes_moving = true;
	set->closed = error;
	if (error >= 0)
		return;
	if (error == -E2BIG)
		fault_set(
		    &fault, error,
		    "an exclude list matches more than %u interfaces: its groups are copied to "
		    "nobody; shorten it, or use `daemon --enforce fold`",
		    r->dp->sizes.exclude_members);
	else
		fault_set(&fault, error, "writing an exclude map: %s", strerror(-error));
	note_fault(r, error, &fault);
}

void excludes_forget_link(struct reconcile *r, int ifindex)
{
	for (struct exclude_set *set = r->excludes; set; set = set->next)
		for (unsigned int i = 0; i < set->count; i++)
			if ((!ifindex || set->ifindexes[i] == ifindex) &&
			    !pool_has(r->dp->exclude_pool, set->slot, set->ifindexes[i]))
				set->ifindexes[i] = -1; /* fill() writes it again */
}

const struct exclude_set *excludes_get(struct reconcile *r, const struct names *names, bool *grow)
{
	static const struct exclude_set none = {0}, failed = {.closed = true};

	if (!names->count)
		return &none;
	struct exclude_set *set = find(r, names);
	if (set)
		return set;
	set = calloc(1, sizeof(*set));
	if (!set || names_copy(&set->names, names)) {
		free(set);
		note_fault(r, -ENOMEM,
			   &(struct fault){"out of memory for an exclude list: its groups are "
					   "copied to nobody until it is tried again"});
		return &failed;
	}
	set->next = r->excludes;
	r->excludes = set;
	fill_or_close(r, set, grow);
	return set;
}

/* Does a group or an ingress of the model have that list? */
static bool is_wanted(const struct reconcile *r, const struct exclude_set *set)
{
	const struct model *model = r->model;

	if (model->enforce != ENFORCE_LOOKUP)
		return false;
	for (size_t i = 0; i < model->group_count; i++)
		if (names_equal(&model->groups[i]->exclude, &set->names))
			return true;
	for (size_t i = 0; i < model->interface_count; i++)
		if (names_equal(&model->interfaces[i].exclude, &set->names))
			return true;
	return false;
}

/* The ingresses' own lists, and all maps against the links there are now. */
bool excludes_update(struct reconcile *r)
{
	bool grow = false;

	for (struct exclude_set *set = r->excludes; set; set = set->next)
		if (set->closed ? is_wanted(r, set) : r->links_dirty)
			fill_or_close(r, set, &grow);
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		if (!iface || !iface->is_ingress)
			continue;
		const struct interface_wish *wish = model_find_interface(r->model, iface->name);
		static const struct names none = {0};
		if (r->model->enforce != ENFORCE_LOOKUP)
			continue; /* what it has goes when no entry needs it: excludes_sweep() */
		const struct exclude_set *set =
		    excludes_get(r, wish ? &wish->exclude : &none, &grow);
		if (iface->exclude_closed != set->closed)
			r->entries_dirty = true;
		iface->exclude_closed = set->closed;
		if (grow || set->slot == iface->exclude)
			continue;
		iface->exclude = set->slot;
		attach_store_word(r, iface);
	}
	return grow;
}

/* All sets are folded now: what ingresses excluded by lookup is in them. */
static void leave_lookup(struct reconcile *r)
{
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		if (!iface || !iface->exclude)
			continue;
		iface->exclude = 0;
		attach_store_word(r, iface);
	}
}

/* The same for exclude maps of an earlier daemon. */
static void leave_adopted(struct reconcile *r, const unsigned char *used)
{
	struct numbers *excludes = &r->adopted.excludes;
	size_t kept = 0;

	for (size_t i = 0; i < excludes->count; i++) {
		uint32_t slot = excludes->number[i];
		if (used[slot])
			excludes->number[kept++] = slot;
		else
			numbers_push(&r->old.excludes, slot);
	}
	excludes->count = kept;
}

void excludes_sweep(struct reconcile *r)
{
	if (r->model->enforce != ENFORCE_LOOKUP && !r->error)
		leave_lookup(r);
	if (!r->excludes && !r->adopted.excludes.count)
		return;
	unsigned char *used = calloc(r->dp->sizes.excludes + 1, 1);
	for (size_t i = 0; used && i < r->entry_count; i++) {
		uint32_t slot = xm_entry_exclude(dataplane_entry(r->dp, r->entries[i]));
		if (slot <= r->dp->sizes.excludes)
			used[slot] = 1;
	}
	for (uint32_t slot = 1; used && slot <= r->dp->sizes.interfaces; slot++)
		if (r->ifaces[slot])
			used[r->ifaces[slot]->exclude] = 1;
	if (used)
		leave_adopted(r, used);
	for (struct exclude_set **at = &r->excludes; used && *at;) {
		struct exclude_set *set = *at;
		if (set->slot ? used[set->slot] : is_wanted(r, set)) {
			at = &set->next;
			continue;
		}
		*at = set->next;
		if (set->slot)
			numbers_push(&r->old.excludes, set->slot);
		names_free(&set->names);
		free(set->ifindexes);
		free(set);
	}
	free(used);
}

void excludes_free(struct reconcile *r)
{
	while (r->excludes) {
		struct exclude_set *set = r->excludes;
		r->excludes = set->next;
		names_free(&set->names);
		free(set->ifindexes);
		free(set);
	}
}
