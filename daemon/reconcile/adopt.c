// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes over what an earlier daemon left: slots keep their names, entries their keys and
 * counters, attached programs go on running. What the old sets hold is not known to this
 * process: they are built anew beside the old ones, entries are switched over, and only what no
 * entry leads to any more is given back, after a grace period.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

static int by_record(const void *a, const void *b, void *data)
{
	const struct reconcile *r = data;
	return record_compare(&r->dp->entry_records[*(const uint32_t *)a],
			      &r->dp->entry_records[*(const uint32_t *)b]);
}

/* Takes its key out and quarantines it. */
static int leave_entry(struct reconcile *r, uint32_t entry)
{
	int error = dataplane_delete(r->dp, entry);

	return error ? error : numbers_push(&r->old.entries, entry);
}

static bool has_node(const struct reconcile *r, const struct xm_entry_record *source)
{
	const struct xm_entry_record *node = &r->dp->entry_records[source->node];

	return source->node <= r->dp->sizes.entries && node->used == 1 &&
	       node->len == source->len && !memcmp(&node->key, &source->key, sizeof(node->key));
}

/*
 * A daemon that died between inserting sources and their node left sources that no frame
 * reaches. They go, since the number of their node may become another's.
 */
static int adopt_sources(struct reconcile *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->entry_count; i++) {
		uint32_t entry = r->entries[i];
		const struct xm_entry_record *record = &r->dp->entry_records[entry];
		if (record->used != 2 || has_node(r, record)) {
			r->entries[kept++] = entry;
			continue;
		}
		int error = leave_entry(r, entry);
		if (error)
			return error;
	}
	r->entry_count = kept;
	return 0;
}

static int adopt_entries(struct reconcile *r)
{
	struct dataplane *dp = r->dp;
	size_t count = 0;

	for (uint32_t i = 1; i <= dp->sizes.entries; i++)
		count += dp->entry_records[i].used != 0;
	r->entries = calloc(count + 1, sizeof(*r->entries));
	if (!r->entries)
		return -ENOMEM;
	for (uint32_t i = dp->sizes.entries; i > 0; i--) {
		int error = 0;
		if (dp->entry_records[i].leaving)
			error = leave_entry(r, i);
		else if (dp->entry_records[i].used)
			r->entries[r->entry_count++] = i;
		else
			error = numbers_push(&r->free_entries, i);
		if (error)
			return error;
	}
	qsort_r(r->entries, r->entry_count, sizeof(*r->entries), by_record, r);
	/* two entries of one key: a daemon died between a delete and a new insert */
	size_t kept = 0;
	for (size_t i = 0; i < r->entry_count; i++) {
		uint32_t entry = r->entries[i];
		if (kept && !by_record(&r->entries[kept - 1], &entry, r)) {
			if (numbers_push(&r->old.entries, entry))
				return -ENOMEM;
			continue;
		}
		r->entries[kept++] = entry;
	}
	r->entry_count = kept;
	return adopt_sources(r);
}

/*
 * A key that was being inserted or deleted when the daemon died is in the map again after this.
 * Some were taken out just now, by it or by us, and what they held may be used again.
 */
static int adopt_keys(struct reconcile *r)
{
	int grace = r->old.entries.count ? dataplane_grace(r->dp) : 0;

	if (grace)
		return grace;
	for (size_t i = 0; i < r->entry_count; i++) {
		uint32_t entry = r->entries[i];
		struct xm_entry_record record = r->dp->entry_records[entry];
		int error = dataplane_insert(r->dp, entry, &record);
		if (error && error != -EEXIST)
			return error;
	}
	return 0;
}

static int adopt_sets(struct reconcile *r)
{
	struct dataplane *dp = r->dp;

	for (uint32_t i = dp->sizes.sets; i > 0; i--) {
		uint64_t word = dp->sets[i];
		if (!word) {
			if (numbers_push(&r->free_sets, i))
				return -ENOMEM;
			continue;
		}
		pool_reserve(dp->set_pool, xm_set_slot(word));
		if (numbers_push(&r->adopted.sets, i))
			return -ENOMEM;
	}
	return 0;
}

static int adopt_excludes(struct reconcile *r)
{
	unsigned char *used = calloc(XM_EXCLUDES_MAX + 65536, 1);
	int error = used ? 0 : -ENOMEM;

	for (size_t i = 0; !error && i < r->entry_count; i++)
		used[xm_entry_exclude(dataplane_entry(r->dp, r->entries[i]))] = 1;
	for (uint32_t i = 1; !error && i <= r->dp->sizes.interfaces; i++)
		used[xm_ingress_exclude(dataplane_ingress(r->dp, i))] = 1;
	for (uint32_t i = 1; !error && i <= r->dp->sizes.excludes; i++) {
		if (!used[i])
			continue;
		pool_reserve(r->dp->exclude_pool, i);
		error = numbers_push(&r->adopted.excludes, i);
	}
	free(used);
	return error;
}

static void adopt_program(struct reconcile *r, struct iface *iface,
			  const struct xm_interface_record *record)
{
	char foreign[FOREIGN_MAX];

	iface->generation = record->generation;
	r->generation = record->generation > r->generation ? record->generation : r->generation;
	if (!record->ifindex || !record->generation)
		return;
	int error = dataplane_attached(r->dp, iface->slot, iface->ifindex, &iface->state, foreign,
				       sizeof(foreign));
	if (error || !iface->state.program_id)
		return;
	iface->attached = iface->adopted = iface->decided = true;
	iface->native = record->flags & XM_RECORD_NATIVE;
	iface->receives = xm_ingress_generation(dataplane_ingress(r->dp, iface->slot));
}

static int adopt_interfaces(struct reconcile *r)
{
	for (uint32_t i = r->dp->sizes.interfaces; i > 0; i--) {
		const struct xm_interface_record *record = &r->dp->interface_records[i];
		if (!record->name[0]) {
			if (numbers_push(&r->free_ifaces, i))
				return -ENOMEM;
			continue;
		}
		char name[IF_NAMESIZE] = "";
		memcpy(name, record->name, sizeof(name) - 1);
		struct iface *iface = iface_at(r, name, i);
		if (!iface)
			return -ENOMEM;
		iface->ifindex = record->ifindex;
		iface->exclude = xm_ingress_exclude(dataplane_ingress(r->dp, i));
		if (!xm_ingress_generation(dataplane_ingress(r->dp, i)))
			dataplane_store_ingress(r->dp, i, 0); /* it was leaving */
		adopt_program(r, iface, record);
	}
	return 0;
}

int adopt(struct reconcile *r)
{
	int error = adopt_interfaces(r);
	if (!error)
		error = adopt_entries(r);
	if (!error)
		error = adopt_keys(r);
	if (!error)
		error = adopt_sets(r);
	if (!error)
		error = adopt_excludes(r);
	if (!error)
		transaction_flags(r); /* the words of ingresses say which tables to ask */
	return error;
}
