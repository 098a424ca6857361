// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a new directory takes over from older ones, its predecessors: their records become ours, as
 * if an earlier daemon of this layout had left them, so that the reconciler adopts them in its
 * ordinary way. What follows is in succession.c.
 */
#include "daemon/dataplane/succession.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/dataplane/ingress.h"

/* --- interfaces --- */

static uint32_t slot_by_name(const struct dataplane *dp, const char *name)
{
	for (uint32_t slot = 1; slot <= dp->sizes.interfaces; slot++)
		if (!strncmp(dp->interface_records[slot].name, name, XM_NAME_LEN))
			return slot;
	return 0;
}

static uint32_t free_slot(const struct dataplane *dp, uint32_t wanted)
{
	if (wanted <= dp->sizes.interfaces && !dp->interface_records[wanted].name[0])
		return wanted;
	return slot_by_name(dp, "");
}

/* The slot of that name, made from the record if need be; 0: there is no room. */
static uint32_t place_interface(struct dataplane *dp, uint32_t from,
				const struct xm_interface_record *record, bool passed_on)
{
	uint32_t slot = from <= dp->sizes.interfaces && !strncmp(dp->interface_records[from].name,
								 record->name, XM_NAME_LEN)
			    ? from
			    : slot_by_name(dp, record->name);

	if (slot || passed_on)
		return slot;
	slot = free_slot(dp, from);
	if (!slot)
		return 0;
	dp->interface_records[slot] = *record;
	dp->interface_records[slot].name[XM_NAME_LEN - 1] = 0;
	return slot;
}

static struct carried *add(struct succession *s, struct predecessor *p, uint32_t from, uint32_t to)
{
	struct carried *c = &s->carried[s->carried_count++];

	*c = (struct carried){.predecessor = p - s->predecessor, .from = from, .to = to};
	return c;
}

/* An ingress is known by its word. */
static void carry_word(struct dataplane *dp, const struct predecessor *p, uint32_t from,
		       uint32_t to)
{
	const struct xm_interface_record *record = &dp->interface_records[to];

	if (!p->passed_on && !dataplane_ingress(dp, to) && predecessor_receives(p, from))
		dataplane_store_ingress(
		    dp, to,
		    xm_ingress(record->generation, 0,
			       record->flags & XM_RECORD_NATIVE ? 0 : XM_INGRESS_GENERIC));
}

static int carry_interfaces(struct dataplane *dp, struct predecessor *p)
{
	uint32_t count = predecessor_count(p, MAP_INTERFACE_RECORDS);

	p->slot_here = calloc(count + 1, sizeof(*p->slot_here));
	if (!p->slot_here)
		return -ENOMEM;
	if (count) /* element 0 keeps what gone interfaces counted */
		add(dp->succession, p, 0, 0);
	for (uint32_t from = 1; from < count; from++) {
		struct xm_interface_record record = {};
		predecessor_record(p, MAP_INTERFACE_RECORDS, from, &record);
		uint32_t to = record.name[0] ? place_interface(dp, from, &record, p->passed_on) : 0;
		if (!to)
			continue;
		p->slot_here[from] = to;
		add(dp->succession, p, from, to);
		carry_word(dp, p, from, to);
		int ifindex = dp->interface_records[to].ifindex;
		int r = ifindex ? dataplane_map_interface(dp, ifindex, to) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* What is attached to a slot's device is that slot's program, whoever made it. */
static int carry_programs(struct dataplane *dp, const struct predecessor *p)
{
	uint32_t count = predecessor_count(p, MAP_INTERFACE_RECORDS);

	for (unsigned int i = 0; i < p->program_count; i++) {
		uint32_t to = p->slot[i] < count ? p->slot_here[p->slot[i]] : 0;
		int ifindex = to ? dp->interface_records[to].ifindex : 0;
		if (!ifindex || !ingress_is_on(ifindex, p->program[i]))
			continue;
		int fd = duplicate_fd(p->program[i]);
		if (fd < 0)
			return fd;
		closep(&dp->ingress_fd[to]);
		dp->ingress_fd[to] = fd;
	}
	return 0;
}

/* --- entries --- */

static void collect_entries(struct dataplane *dp, struct predecessor *p)
{
	uint32_t count = predecessor_count(p, MAP_ENTRY_RECORDS),
		 slots = predecessor_count(p, MAP_INTERFACE_RECORDS);

	for (uint32_t from = 1; from < count && !p->passed_on; from++) {
		struct xm_entry_record record = {};
		predecessor_record(p, MAP_ENTRY_RECORDS, from, &record);
		if (!record.used || record.leaving || record.key.ingress >= slots)
			continue;
		record.key.ingress = p->slot_here[record.key.ingress];
		if (record.key.ingress)
			add(dp->succession, p, from, 0)->record = record;
	}
}

static void collect_own(struct dataplane *dp)
{
	struct succession *s = dp->succession;

	for (uint32_t entry = 1; entry <= dp->sizes.entries; entry++)
		if (dp->entry_records[entry].used)
			s->carried[s->carried_count++] = (struct carried){
			    .predecessor = OURS, .to = entry, .record = dp->entry_records[entry]};
}

/* What was here comes first of its key. */
static int by_record(const void *a, const void *b)
{
	const struct carried *x = a, *y = b;
	int order = record_compare(&x->record, &y->record);

	if (order)
		return order;
	if ((x->predecessor == OURS) != (y->predecessor == OURS))
		return x->predecessor == OURS ? -1 : 1;
	return x->predecessor < y->predecessor ? -1 : x->predecessor > y->predecessor;
}

static uint32_t next_free_entry(const struct dataplane *dp, uint32_t from)
{
	while (from <= dp->sizes.entries && dp->entry_records[from].used)
		from++;
	return from;
}

/* Gives every key its entry here; keys without room are not carried. A node precedes its sources.
 */
static void place_entries(struct dataplane *dp, struct carried *carried, size_t count)
{
	uint32_t node = 0, free = 1;

	for (size_t i = 0; i < count; i++) {
		struct carried *c = &carried[i];
		if (i && !record_compare(&carried[i - 1].record, &c->record)) {
			c->to = carried[i - 1].to;
			continue;
		}
		if (c->predecessor != OURS) {
			free = next_free_entry(dp, free);
			c->to = free <= dp->sizes.entries ? free : 0;
			c->record.node = c->record.used == 2 ? node : 0;
			if (c->to) {
				/* no set yet; the group is its own, so that its counts stay */
				dataplane_store_entry(dp, c->to, xm_entry(c->to, 0, 0, 0));
				dp->entry_records[c->to] = c->record;
			}
		}
		if (c->record.used == 1)
			node = c->to;
	}
}

/* --- both --- */

static int make_room(struct dataplane *dp)
{
	struct succession *s = dp->succession;
	size_t most = dp->sizes.entries;

	for (unsigned int i = 0; i < s->count; i++)
		most += predecessor_count(&s->predecessor[i], MAP_INTERFACE_RECORDS) +
			predecessor_count(&s->predecessor[i], MAP_ENTRY_RECORDS);
	s->carried = calloc(most + 1, sizeof(*s->carried));
	return s->carried ? 0 : -ENOMEM;
}

/* Records of interfaces: the youngest knows best what was set on the link, and so comes first. */
static int carry_all(struct dataplane *dp)
{
	struct succession *s = dp->succession;
	int r = make_room(dp);

	for (unsigned int i = s->count; !r && i-- > 0;) {
		r = carry_interfaces(dp, &s->predecessor[i]);
		if (!r)
			r = carry_programs(dp, &s->predecessor[i]);
	}
	if (r < 0)
		return r;
	struct carried *entries = s->carried + s->carried_count;
	collect_own(dp);
	for (unsigned int i = 0; i < s->count; i++)
		collect_entries(dp, &s->predecessor[i]);
	size_t count = s->carried + s->carried_count - entries;
	if (count)
		qsort(entries, count, sizeof(*entries), by_record);
	place_entries(dp, entries, count);
	succession_count(dp);
	return 0;
}

int carry(struct dataplane *dp, struct fault *fault)
{
	struct succession *s = dp->succession;
	int r = 0;
	bool final = dp->pin_dir[0] && pin_is_there(dp->pin_dir, PIN_CARRIED);

	for (unsigned int i = s ? s->count : 0; !r && i-- > 0;) {
		s->predecessor[i].passed_on = final;
		r = predecessor_open(&s->predecessor[i]);
		final |= pin_is_there(s->predecessor[i].dir, PIN_CARRIED);
	}
	if (!r && s && s->count)
		r = carry_all(dp);
	return r < 0 ? fault_set(fault, r, "cannot take over from older pins in %s: %s", s->base,
				 strerror(-r))
		     : 0;
}
