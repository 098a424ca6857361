// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reconcile/frame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/reasons.h"

uint32_t frame_needed_mtu(uint32_t size, uint32_t vlan)
{
	uint32_t uncounted = vlan ? 18 : 14;

	return size > uncounted ? size - uncounted : 0;
}

/* The copies of the frame that was reported last. */
static struct copy_report *copies;
static size_t copy_count, copy_room;

static struct copy_report *add_copy(const char *interface)
{
	if (copy_count == copy_room) {
		size_t room = copy_room ? 2 * copy_room : 64;
		struct copy_report *grown = reallocarray(copies, room, sizeof(*grown));
		if (!grown)
			return NULL;
		copies = grown;
		copy_room = room;
	}
	struct copy_report *copy = &copies[copy_count++];
	*copy = (struct copy_report){.outcome = "transmitted", .reason = XM_REASON_NONE};
	snprintf(copy->interface, sizeof(copy->interface), "%s", interface);
	return copy;
}

static void drop(struct copy_report *copy, enum xm_reason reason)
{
	copy->outcome = "dropped";
	copy->reason = reason;
}

/* What the kernel does with a copy that its map sends there, as the link is now. */
static enum xm_reason reason_of(const struct link *link, bool native, uint32_t needed)
{
	enum xm_reason reason = link_reason(link, native);

	if (reason == XM_REASON_DOWN)
		return XM_REASON_LINK_DOWN;
	if (reason == XM_REASON_NONE && needed > link_mtu(link))
		return XM_REASON_TOO_BIG;
	return reason;
}

/*
 * Reasons that the maps and links cannot tell of a frame that has not come: what the driver or the
 * allocator says then, and what a link becomes before netlink has told of it.
 */
static uint32_t unforeseen(const struct explain *explain, bool native)
{
	uint32_t any = 1u << XM_REASON_LINK_DOWN | 1u << XM_REASON_NO_MEMORY;

	if (!native)
		return any;
	if (xm_ingress_flags(explain->ingress_word) & XM_INGRESS_LOOKUP &&
	    (xm_entry_exclude(explain->word) || xm_ingress_exclude(explain->ingress_word)))
		any |= 1u << XM_REASON_NO_METADATA;
	return any | 1u << XM_REASON_NO_RECEIVER | 1u << XM_REASON_QUEUE_FULL |
	       1u << XM_REASON_NOT_SUPPORTED | 1u << XM_REASON_DRIVER_ERROR;
}

/*
 * What has gone wrong before, of what cannot be foreseen. Redirects that failed are counted where
 * the frame arrives.
 */
static void tell_past(const struct reconcile *r, const char *interface, char *buf, size_t size)
{
	const struct iface *iface = iface_find(r, interface);
	struct xm_interface_counters c;
	size_t used = 0;

	if (!iface || counters_interface(r->dp, iface->slot, &c))
		return;
	for (int i = 0; i < XM_REASONS_COUNTED && used < size; i++)
		if (c.dropped[i] && i != XM_REASON_NO_EGRESS && i != XM_REASON_TOO_BIG)
			used += snprintf(buf + used, size - used, "%s%llu %s",
					 used ? ", " : "dropped there so far: ",
					 (unsigned long long)c.dropped[i], reason_name(i));
}

/* A copy that came. Of what was skipped nobody tells: then the link must. */
static void report_fate(struct reconcile *r, const struct copy_fate *fate, enum xm_reason as_is,
			const struct link *link, bool native, struct copy_report *copy)
{
	if (fate->fate == FATE_LOST) {
		drop(copy, fate->reason);
	} else if (fate->fate == FATE_UNSURE) {
		copy->outcome = "unknown";
		snprintf(copy->detail, sizeof(copy->detail),
			 "some of those that left together were dropped: %s",
			 reason_name(fate->reason));
	} else if (fate->fate == FATE_OPEN && as_is != XM_REASON_NONE) {
		drop(copy, as_is);
		if (link)
			link_detail(r, link, link_reason(link, native), copy->detail,
				    sizeof(copy->detail));
	} else if (fate->fate == FATE_OPEN) {
		copy->outcome = "unknown";
		snprintf(copy->detail, sizeof(copy->detail), "the kernel told nothing of it");
	}
}

static int report_copy(struct reconcile *r, const struct explain_copy *from, bool native,
		       uint32_t needed, const struct copy_fate *fate)
{
	const struct link *link = netlink_by_index(r->netlink, from->ifindex);
	struct copy_report *copy = add_copy(link ? link->name : "?");

	if (!copy)
		return -ENOMEM;
	enum xm_reason reason = reason_of(link, native, needed);
	if (fate) {
		report_fate(r, fate, reason, link, native, copy);
	} else if (from->too_big || reason == XM_REASON_TOO_BIG) {
		drop(copy, XM_REASON_TOO_BIG);
		snprintf(copy->detail, sizeof(copy->detail), "it needs an MTU of %u", needed);
	} else if (from->excluded) {
		drop(copy, XM_REASON_EXCLUDED);
	} else if (reason != XM_REASON_NONE) {
		drop(copy, reason);
		if (link)
			link_detail(r, link, link_reason(link, native), copy->detail,
				    sizeof(copy->detail));
	} else {
		tell_past(r, copy->interface, copy->detail, sizeof(copy->detail));
	}
	return 0;
}

/* Who is wanted, but not in the kernel's set. */
static int report_missing(struct reconcile *r, uint32_t set)
{
	const struct actual_set *actual = r->sets;

	while (actual && actual->head != set)
		actual = actual->next;
	for (unsigned int i = 0; actual && i < actual->member_count + actual->left_out; i++) {
		const struct member *m = &actual->members[i];
		if (m->reason == XM_REASON_NONE)
			continue;
		struct copy_report *copy = add_copy(m->name);
		if (!copy)
			return -ENOMEM;
		copy->outcome = "not-ready";
		copy->reason = m->reason;
		const struct link *link = netlink_by_index(r->netlink, m->ifindex);
		if (link)
			link_detail(r, link, m->reason, copy->detail, sizeof(copy->detail));
	}
	return 0;
}

static void name_group(const struct reconcile *r, uint32_t entry, struct frame_report *out)
{
	if (!entry || entry > r->dp->sizes.entries)
		return;
	const struct xm_entry_record *record = &r->dp->entry_records[entry];
	if (!record->used || record->key.ingress > r->dp->sizes.interfaces)
		return;
	out->has_group = true;
	out->entry = entry;
	out->group = (struct group_key){.vlan = record->key.vlan};
	memcpy(out->group.from, r->dp->interface_records[record->key.ingress].name,
	       sizeof(out->group.from) - 1);
	out->group.address = (struct prefix){record->key.address, record->len};
	if (record->used == 2)
		out->group.source = (struct prefix){record->source, record->source_len};
}

int frame_fill(struct reconcile *r, const struct explain *explain, uint32_t needed,
	       const struct copy_fate *fates, struct frame_report *out)
{
	bool native = !(xm_ingress_flags(explain->ingress_word) & XM_INGRESS_GENERIC);
	int error = 0;

	copy_count = 0;
	name_group(r, explain->group, out);
	out->mode = native ? "native" : "generic";
	out->set = explain->set;
	out->due = explain->due;
	for (size_t i = 0; !error && i < explain->copies; i++)
		error = report_copy(r, &explain->copy[i], native, needed, fates ? &fates[i] : NULL);
	if (!error && explain->set)
		error = report_missing(r, explain->set);
	if (!fates && explain->verdict == EXPLAIN_COPIED) {
		tell_past(r, out->ingress, out->detail, sizeof(out->detail));
		out->unforeseen = unforeseen(explain, native);
	}
	if (!explain->complete)
		snprintf(out->detail, sizeof(out->detail),
			 "the members could not be read: their map is of an earlier daemon, and "
			 "opening it by its id needs CAP_SYS_ADMIN");
	out->copies = copies;
	out->copy_count = copy_count;
	return error;
}

/* The node of a group that would match but for its VLAN (same_ingress) or its ingress. */
static const struct xm_entry_record *find_near(const struct reconcile *r,
					       const struct explain_frame *frame, bool same_ingress)
{
	struct prefix whole = {frame->key.address, 128};

	for (uint32_t i = 1; i <= r->dp->sizes.entries; i++) {
		const struct xm_entry_record *record = &r->dp->entry_records[i];
		struct prefix p = {record->key.address, record->len};
		bool same = record->key.ingress == frame->key.ingress;
		if (record->used && same == same_ingress && prefix_contains(&p, &whole) &&
		    (!same || record->key.vlan != frame->key.vlan))
			return record;
	}
	return NULL;
}

void frame_why_unmatched(struct reconcile *r, const struct explain_frame *frame,
			 const struct explain *explain, char *buf, size_t size)
{
	const struct xm_entry_record *near;
	char vlan[VLAN_TEXT_MAX];

	if (explain->node && explain->word & XM_ENTRY_SOURCES)
		snprintf(buf, size, "the groups of this address are for other sources");
	else if (frame->control)
		snprintf(buf, size,
			 "control traffic is always passed, unless a group lies wholly in its "
			 "range");
	else if ((near = find_near(r, frame, true)))
		snprintf(buf, size, "a group of this address is there, but for %s %s",
			 near->key.vlan ? "VLAN" : "untagged",
			 near->key.vlan ? vlan_format(near->key.vlan, vlan) : "frames");
	else if ((near = find_near(r, frame, false)))
		snprintf(buf, size, "a group of this address is there, but from %s",
			 r->dp->interface_records[near->key.ingress].name);
	else
		snprintf(buf, size, "no group covers this address");
}
