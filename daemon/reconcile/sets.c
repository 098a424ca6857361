// SPDX-License-Identifier: GPL-2.0-or-later
/* Members of each set: names and patterns against the links there are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/reasons.h"
#include "daemon/reconcile/internal.h"

struct actual_set *sets_get(struct reconcile *r, struct egress_set *wanted, bool native)
{
	struct actual_set *set = wanted->actual;
	bool lookup = native && r->model->enforce == ENFORCE_LOOKUP;

	while (set && (set->native != native || set->lookup != lookup))
		set = set->sibling;
	if (set)
		return set;
	set = calloc(1, sizeof(*set));
	if (!set) {
		note_fault(r, -ENOMEM, &(struct fault){"out of memory for an egress set"});
		return NULL;
	}
	set->head = numbers_pop(&r->free_sets);
	if (!set->head) {
		free(set);
		note_fault(r, -ENOSPC,
			   &(struct fault){"no room for another egress set: raise `limit sets` and "
					   "restart"});
		return NULL;
	}
	set->wanted = wanted;
	set->native = native;
	set->lookup = lookup;
	set->dirty = true;
	set->sibling = wanted->actual;
	wanted->actual = set;
	set->next = r->sets;
	r->sets = set;
	return set;
}

void sets_gone(struct egress_set *wanted, void *data)
{
	(void)data;
	for (struct actual_set *set = wanted->actual; set; set = set->sibling)
		set->wanted = NULL;
	wanted->actual = NULL;
}

static void drop_members(struct actual_set *set)
{
	for (unsigned int i = 0; i < set->member_count; i++)
		set->members[i].iface->memberships--;
	free(set->members);
	set->members = NULL;
	set->member_count = set->left_out = 0;
}

struct gather {
	struct reconcile *r;
	struct actual_set *set;
	struct member *members;
	unsigned int count, left_out, room; /* count: all of them */
};

static int add_member(struct gather *g, const char *name, const struct link *link)
{
	if (g->count == g->room) {
		unsigned int room = g->room ? g->room * 2 : 8;
		struct member *grown = reallocarray(g->members, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		g->members = grown;
		g->room = room;
	}
	struct iface *iface = iface_get(g->r, name);
	if (!iface && !g->r->no_slot)
		return -ENOMEM;
	struct member *m = &g->members[g->count++];
	*m = (struct member){
	    .iface = iface,
	    .reason = link_reason(link, g->set->native),
	    .mtu = link ? link_mtu(link) : 0,
	    .ifindex = link ? link->ifindex : 0,
	};
	snprintf(m->name, sizeof(m->name), "%s", name);
	if (!iface) {
		m->reason = XM_REASON_INTERFACES_LIMIT;
		g->left_out++;
		return 0;
	}
	if (m->reason == XM_REASON_NONE && g->set->native && iface->refused)
		m->reason = XM_REASON_REFUSED;
	iface->memberships++;
	return 0;
}

/* Links that only a pattern means; literal names are looked up directly. */
static int match_link(const struct link *link, void *data)
{
	struct gather *g = data;
	const struct egress_set *wanted = g->set->wanted;

	if (names_have(&wanted->to, link->name) || !names_match(&wanted->to, link->name) ||
	    names_match(&wanted->exclude, link->name))
		return 0;
	return add_member(g, link->name, link);
}

static bool has_pattern(const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (name_is_pattern(names->name[i]))
			return true;
	return false;
}

static uint32_t place_of(const struct member *m)
{
	return m->iface ? m->iface->slot : UINT32_MAX;
}

static int by_slot(const void *a, const void *b)
{
	return (place_of(a) > place_of(b)) - (place_of(a) < place_of(b));
}

static void tell_changes(struct reconcile *r, struct actual_set *set)
{
	for (unsigned int i = 0; i < set->member_count; i++) {
		struct iface *iface = set->members[i].iface;
		enum xm_reason reason = set->members[i].reason;
		if (iface->reason == reason)
			continue;
		enum xm_reason before = iface->reason;
		char was[32] = "";
		iface->reason = reason;
		if (reason == XM_REASON_NONE && before != XM_REASON_ABSENT) /* as all begin */
			snprintf(was, sizeof(was), "was %s", reason_name(before));
		tell(r, reason == XM_REASON_NONE ? "ready" : "not-ready", "interface", iface->name,
		     reason == XM_REASON_NONE ? was : reason_name(reason));
	}
}

/* Looks the members up again. On failure the set keeps those it had. */
static int refresh(struct reconcile *r, struct actual_set *set)
{
	struct gather g = {.r = r, .set = set};
	const struct names *to = &set->wanted->to;
	int error = 0;

	for (size_t i = 0; i < to->count && !error; i++)
		if (!name_is_pattern(to->name[i]) &&
		    !names_match(&set->wanted->exclude, to->name[i]))
			error =
			    add_member(&g, to->name[i], netlink_by_name(r->netlink, to->name[i]));
	if (!error && has_pattern(to))
		error = netlink_each(r->netlink, match_link, &g);
	if (error) {
		for (unsigned int i = 0; i < g.count; i++)
			if (g.members[i].iface)
				g.members[i].iface->memberships--;
		free(g.members);
		return error;
	}
	drop_members(set);
	if (g.count)
		qsort(g.members, g.count, sizeof(*g.members), by_slot);
	set->members = g.members;
	set->member_count = g.count - g.left_out;
	set->left_out = g.left_out;
	unsigned int taken = 0;
	for (unsigned int i = 0; i < set->member_count; i++)
		if (++taken > r->model->limits.members)
			set->members[i].reason = XM_REASON_MEMBERS_LIMIT;
	tell_changes(r, set);
	return 0;
}

bool sets_update(struct reconcile *r)
{
	bool grow = false;

	for (struct actual_set *set = r->sets; set; set = set->next) {
		if (!set->dirty || !set->wanted)
			continue;
		/* who came and is excluded by a map that no word names yet must wait for it */
		if (r->excludes_moving && set->level_count)
			continue;
		struct fault fault;
		int error = refresh(r, set);
		if (!error)
			error = levels_apply(r, set);
		if (error == 1) {
			grow = true; /* stays dirty */
			continue;
		}
		set->dirty = error; /* the next round tries again */
		if (!error)
			continue;
		if (error == -ENOSPC)
			fault_set(&fault, error,
				  "no room for another egress set: raise `limit sets` and restart");
		else
			fault_set(&fault, error, "writing an egress set: %s", strerror(-error));
		note_fault(r, error, &fault);
	}
	return grow;
}

void sets_mark_link(struct reconcile *r, const char *name)
{
	for (struct actual_set *set = r->sets; set; set = set->next)
		if (set->wanted && !set->dirty)
			set->dirty = names_match(&set->wanted->to, name) &&
				     !names_match(&set->wanted->exclude, name);
}

void sets_mark_left_out(struct reconcile *r, int ifindex)
{
	for (struct actual_set *set = r->sets; set; set = set->next)
		for (unsigned int i = 0; i < set->left_out; i++)
			set->dirty |=
			    !ifindex || set->members[set->member_count + i].ifindex == ifindex;
}

static void unlink_sibling(struct actual_set *set)
{
	if (!set->wanted)
		return;
	struct actual_set *first = set->wanted->actual;
	if (first == set) {
		set->wanted->actual = set->sibling;
		return;
	}
	while (first && first->sibling != set)
		first = first->sibling;
	if (first)
		first->sibling = set->sibling;
}

static void destroy(struct actual_set *set)
{
	drop_members(set);
	levels_free(set);
	free(set);
}

/* Marks what the words of entries lead to, by set number: heads and their chains. */
static unsigned char *mark_used(struct reconcile *r)
{
	unsigned char *used = calloc(r->dp->sizes.sets + 1, 1);
	for (size_t i = 0; used && i < r->entry_count; i++) {
		uint32_t set = xm_entry_set(dataplane_entry(r->dp, r->entries[i]));
		while (set && set <= r->dp->sizes.sets && !used[set]) {
			used[set] = 1;
			set = xm_set_next(r->dp->sets[set]);
		}
	}
	return used;
}

/* Quarantines the sets of an earlier daemon that no entry leads to any more. */
static void leave_adopted(struct reconcile *r, const unsigned char *used)
{
	struct numbers *sets = &r->adopted.sets;
	size_t kept = 0;

	for (size_t i = 0; i < sets->count; i++) {
		uint32_t set = sets->number[i];
		if (used[set]) {
			sets->number[kept++] = set;
			continue;
		}
		numbers_push(&r->old.sets, set);
		numbers_push(&r->old.slots, xm_set_slot(r->dp->sets[set]));
	}
	sets->count = kept;
}

void sets_sweep(struct reconcile *r)
{
	unsigned char *used = mark_used(r);

	if (used)
		leave_adopted(r, used);
	for (struct actual_set **at = &r->sets; used && *at;) {
		struct actual_set *set = *at;
		if (used[set->head]) {
			at = &set->next;
			continue;
		}
		*at = set->next;
		unlink_sibling(set);
		if (set->level_count)
			levels_retire(r, set); /* its first level's set is the head */
		else
			numbers_push(&r->old.sets, set->head);
		destroy(set);
	}
	free(used);
}

void sets_free(struct reconcile *r)
{
	while (r->sets) {
		struct actual_set *set = r->sets;
		r->sets = set->next;
		if (set->wanted)
			set->wanted->actual = NULL;
		destroy(set);
	}
}
