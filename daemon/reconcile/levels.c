// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A set's chain of levels by MTU: level 0 holds every ready member, the next those whose
 * MTU is larger than the smallest of the one before. Members that come and go because
 * of their link are written in place: add, store the word, remove. When the chain changes its
 * shape, new levels are built in unused slots and one store of the head word switches to them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

/* What a level should hold: the members with an MTU of `mtu` or more. */
struct plan {
	unsigned int mtu[XM_MTU_LEVELS], count[XM_MTU_LEVELS];
	unsigned int levels;
};

static bool is_ready(const struct member *m)
{
	return m->reason == XM_REASON_NONE;
}

static unsigned int count_from(const struct actual_set *set, unsigned int mtu)
{
	unsigned int n = 0;
	for (unsigned int i = 0; i < set->member_count; i++)
		n += is_ready(&set->members[i]) && set->members[i].mtu >= mtu;
	return n;
}

/* The smallest MTU of ready members that is at least `from`; 0: none. */
static unsigned int smallest(const struct actual_set *set, unsigned int from)
{
	unsigned int mtu = 0;
	for (unsigned int i = 0; i < set->member_count; i++) {
		const struct member *m = &set->members[i];
		if (is_ready(m) && m->mtu >= from && (!mtu || m->mtu < mtu))
			mtu = m->mtu;
	}
	return mtu;
}

/* Members beyond the longest chain get a reason and are left out. */
static void make_plan(struct actual_set *set, struct plan *plan)
{
	unsigned int mtu = smallest(set, 0);

	*plan = (struct plan){.levels = 1, .mtu = {mtu}};
	for (plan->levels = 0; mtu && plan->levels < XM_MTU_LEVELS; plan->levels++) {
		plan->mtu[plan->levels] = mtu;
		mtu = smallest(set, mtu + 1);
	}
	for (unsigned int i = 0; mtu && i < set->member_count; i++)
		if (is_ready(&set->members[i]) && set->members[i].mtu >= mtu)
			set->members[i].reason = XM_REASON_MTU_LEVELS;
	for (unsigned int i = 0; i < plan->levels; i++)
		plan->count[i] = count_from(set, plan->mtu[i]);
	if (!plan->levels) /* nobody is ready: one empty level */
		plan->levels = 1;
}

static uint64_t level_word(const struct level *level, uint32_t next)
{
	uint32_t ready = 0, only = 0;

	for (unsigned int i = 0; i < level->count; i++) {
		if (level->seats[i].leaving)
			continue;
		if (!ready++)
			only = level->seats[i].iface->slot;
	}
	return ready == 1 ? xm_set_one(level->slot, only, level->mtu)
			  : xm_set(level->slot, next, ready, level->mtu);
}

/* The chain's words, tail first: the head's store is the switch. */
static void store_words(struct reconcile *r, struct actual_set *set)
{
	for (unsigned int i = set->level_count; i-- > 0;) {
		uint32_t next = i + 1 < set->level_count ? set->levels[i + 1].set : 0;
		word_store(&r->dp->sets[set->levels[i].set], level_word(&set->levels[i], next));
	}
}

static bool has_seat(const struct level *level, int ifindex)
{
	for (unsigned int i = 0; i < level->count; i++)
		if (level->seats[i].ifindex == ifindex)
			return true;
	return false;
}

/* The lowest key that no seat has: low keys spread evenly over the devmap's buckets. */
static uint32_t free_key(const struct level *level)
{
	for (uint32_t key = 0;; key++) {
		unsigned int i = 0;
		while (i < level->count && level->seats[i].key != key)
			i++;
		if (i == level->count)
			return key;
	}
}

/* Seats every ready member that has none; -E2BIG: the devmap is too small. */
static int fill_level(struct reconcile *r, struct actual_set *set, struct level *level)
{
	for (unsigned int i = 0; i < set->member_count; i++) {
		const struct member *m = &set->members[i];
		if (!is_ready(m) || m->mtu < level->mtu || has_seat(level, m->ifindex))
			continue;
		if (level->count == pool_capacity(r->dp->set_pool, level->slot))
			return -E2BIG;
		uint32_t key = free_key(level);
		int error = pool_add(r->dp->set_pool, level->slot, key, m->ifindex,
				     egress_program(r, set->native));
		if (error == -ENODEV) /* it vanished: its event is coming */
			continue;
		if (error)
			return error;
		level->seats[level->count++] = (struct seat){
		    .iface = m->iface, .ifindex = m->ifindex, .mtu = m->mtu, .key = key};
	}
	return 0;
}

/* Frames too big for a level are missing at its members with the smallest MTU. */
static void count_too_big(struct reconcile *r, struct level *level)
{
	uint64_t now = 0;

	if (!level->slot || counters_slot_too_big(r->dp, level->slot, &now))
		return;
	for (unsigned int i = 0; now != level->too_big && i < level->count; i++)
		if (level->seats[i].mtu == level->mtu)
			r->dp->interface_records[level->seats[i].iface->slot].too_big +=
			    now - level->too_big;
	level->too_big = now;
}

void levels_count_too_big(struct reconcile *r, struct actual_set *set)
{
	for (unsigned int i = 0; i < set->level_count; i++)
		count_too_big(r, &set->levels[i]);
}

static void mark_leaving(const struct actual_set *set, struct level *level)
{
	for (unsigned int i = 0; i < level->count; i++) {
		struct seat *seat = &level->seats[i];
		seat->leaving = true;
		for (unsigned int j = 0; j < set->member_count; j++) {
			const struct member *m = &set->members[j];
			if (m->ifindex != seat->ifindex)
				continue;
			seat->leaving = !is_ready(m) || m->mtu < level->mtu;
			seat->mtu = m->mtu;
		}
	}
}

static void remove_leaving(struct reconcile *r, struct level *level)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < level->count; i++) {
		if (level->seats[i].leaving) /* -ENOENT: the kernel took a dead device out */
			pool_remove(r->dp->set_pool, level->slot, level->seats[i].key);
		else
			level->seats[kept++] = level->seats[i];
	}
	level->count = kept;
}

static int change_in_place(struct reconcile *r, struct actual_set *set, const struct plan *plan)
{
	levels_count_too_big(r, set);
	for (unsigned int i = 0; i < plan->levels; i++) {
		set->levels[i].mtu = plan->mtu[i];
		mark_leaving(set, &set->levels[i]);
		int error = fill_level(r, set, &set->levels[i]);
		if (error)
			return error;
	}
	store_words(r, set);
	for (unsigned int i = 0; i < plan->levels; i++)
		remove_leaving(r, &set->levels[i]);
	return 0;
}

/* Quarantines what frames may still be using. */
static void level_retire(struct reconcile *r, struct level *level, bool keep_set)
{
	count_too_big(r, level);
	if (level->slot)
		numbers_push(&r->old.slots, level->slot);
	if (level->set && !keep_set)
		numbers_push(&r->old.sets, level->set);
	free(level->seats);
	*level = (struct level){0};
}

/* Gives back at once what no word ever referred to. */
static void level_undo(struct reconcile *r, struct level *level, bool keep_set)
{
	if (level->slot)
		pool_give(r->dp->set_pool, level->slot);
	if (level->set && !keep_set)
		numbers_push(&r->free_sets, level->set);
	free(level->seats);
}

/* Seats that the set may ever fill: members beyond the limit get none. */
static unsigned int seats_of(struct reconcile *r, const struct actual_set *set)
{
	unsigned int most = r->model->limits.members;

	return set->member_count < most ? set->member_count : most;
}

/* A level in an unused slot; 1: slots must grow first. */
static int level_make(struct reconcile *r, struct actual_set *set, struct level *level,
		      unsigned int count)
{
	/* room for every member that may become ready, so that this happens in place */
	level->slot = pool_take(r->dp->set_pool, count ? count : 1);
	if (!level->slot) {
		int error = pool_want(r->dp->set_pool, count ? count : 1, 1);
		return error ? error : 1;
	}
	counters_slot_too_big(r->dp, level->slot, &level->too_big); /* of its earlier life */
	level->seats = calloc(pool_capacity(r->dp->set_pool, level->slot), sizeof(struct seat));
	if (!level->seats)
		return -ENOMEM;
	if (!level->set)
		level->set = numbers_pop(&r->free_sets);
	if (!level->set)
		return -ENOSPC;
	return fill_level(r, set, level);
}

/* Builds the whole chain beside the old one, then switches by the head's word. */
static int build(struct reconcile *r, struct actual_set *set, const struct plan *plan)
{
	struct level made[XM_MTU_LEVELS] = {{.set = set->head}};
	int error = 0;

	for (unsigned int i = 0; i < plan->levels; i++) {
		unsigned int room = i ? plan->count[i] : seats_of(r, set);
		made[i].mtu = plan->mtu[i];
		int made_error = level_make(r, set, &made[i], room);
		if (made_error < 0 || !error) /* go on after 1: all that is wanted grows at once */
			error = made_error;
		if (error < 0)
			break;
	}
	if (error) {
		for (unsigned int i = 0; i < plan->levels; i++)
			level_undo(r, &made[i], i == 0);
		return error;
	}
	struct level old[XM_MTU_LEVELS];
	unsigned int old_count = set->level_count;
	memcpy(old, set->levels, sizeof(old));
	memcpy(set->levels, made, sizeof(made));
	set->level_count = plan->levels;
	store_words(r, set);
	for (unsigned int i = 0; i < old_count; i++)
		level_retire(r, &old[i], i == 0);
	return 0;
}

/* The kernel walks every bucket for every frame: a devmap four times too large costs. */
static bool too_roomy(struct reconcile *r, const struct actual_set *set)
{
	return pool_capacity(r->dp->set_pool, set->levels[0].slot) > 4 * (seats_of(r, set) + 1);
}

int levels_apply(struct reconcile *r, struct actual_set *set)
{
	struct plan plan;

	make_plan(set, &plan);
	if (plan.levels == set->level_count && !set->rebuild && !too_roomy(r, set)) {
		int error = change_in_place(r, set, &plan);
		if (error != -E2BIG)
			return error;
	}
	int error = build(r, set, &plan);
	set->rebuild = set->rebuild && error;
	return error;
}

/* The kernel has taken the device out of every devmap; it may come back with the same ifindex. */
void levels_lose(struct actual_set *set, int ifindex)
{
	for (unsigned int i = 0; i < set->level_count; i++)
		for (unsigned int j = 0; j < set->levels[i].count; j++)
			if (set->levels[i].seats[j].ifindex == ifindex)
				set->levels[i].seats[j].ifindex = -1;
}

void levels_retire(struct reconcile *r, struct actual_set *set)
{
	for (unsigned int i = 0; i < set->level_count; i++)
		level_retire(r, &set->levels[i], false);
	set->level_count = 0;
}

void levels_free(struct actual_set *set)
{
	for (unsigned int i = 0; i < set->level_count; i++)
		free(set->levels[i].seats);
}
