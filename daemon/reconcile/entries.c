// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups against map entries: what to insert, what to switch, what to delete. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

/*
 * A wanted entry: what its record and its word are made of. Small: there may be 100,000, and this
 * is when the daemon needs most memory.
 */
struct want {
	const struct entry *from; /* as the model compiled it */
	const struct actual_set *set;
	uint32_t ingress, vlan; /* interface slot and tag that it means */
	uint32_t entry, node;
	uint16_t exclude; /* slot of the exclude map */
	bool fresh;
};

static struct xm_entry_record record_of(const struct want *want)
{
	const struct entry *from = want->from;
	struct xm_entry_record record = {
	    .used = from->is_source ? 2 : 1,
	    .node = want->node,
	    .key = {want->ingress, want->vlan, from->address.address},
	    .len = from->address.len,
	};

	if (from->is_source) {
		record.source = from->source.address;
		record.source_len = from->source.len;
	}
	return record;
}

static int by_record(const void *a, const void *b)
{
	struct xm_entry_record x = record_of(a), y = record_of(b);

	return record_compare(&x, &y);
}

/* Sorting needs memory, too, and one ingress alone is in order as it was compiled. */
static void sort(struct want *wants, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (by_record(&wants[i - 1], &wants[i]) <= 0)
			continue;
		qsort(wants, count, sizeof(*wants), by_record);
		return;
	}
}

/* Where the outer tag is hidden, an inner one with the same number must not pass for it. */
static bool can_match(const struct reconcile *r, const struct iface *ingress, uint32_t vlan)
{
	const struct link *link = netlink_by_index(r->netlink, ingress->ifindex);

	return !vlan || !link || !link_hides_vlans(link);
}

/* Resolves compiled entries to slots. */
static size_t resolve(struct reconcile *r, const struct entry *entries, size_t count,
		      struct want *wants)
{
	const char *last = NULL;
	struct iface *ingress = NULL;
	uint32_t last_vlan = 0, vlan = 0;
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];
		if (!last || last_vlan != entry->vlan || strcmp(last, entry->from)) {
			last = entry->from;
			last_vlan = vlan = entry->vlan;
			ingress = resolve_ingress(r, last, &vlan);
			if (ingress && !can_match(r, ingress, vlan))
				ingress = NULL;
		}
		if (ingress)
			wants[made++] =
			    (struct want){.from = entry, .ingress = ingress->slot, .vlan = vlan};
	}
	sort(wants, made);
	return made;
}

/* Finds the sets and exclude maps; true when slots must grow first. */
static bool prepare(struct reconcile *r, struct want *wants, size_t count)
{
	bool grow = false;
	const struct group *last = NULL;
	const struct exclude_set *exclude = NULL;

	for (size_t i = 0; i < count; i++) {
		struct want *want = &wants[i];
		const struct iface *ingress = r->ifaces[want->ingress];
		if (!want->from->group || !ingress->decided)
			continue;
		want->set = sets_get(r, want->from->group->set, ingress->native);
		if (r->model->enforce != ENFORCE_LOOKUP)
			continue;
		if (want->from->group != last)
			exclude = excludes_get(r, &want->from->group->exclude, &grow);
		last = want->from->group;
		want->exclude = exclude->slot;
		if (exclude->closed || ingress->exclude_closed)
			want->set = NULL;
	}
	return sets_update(r) || grow;
}

/* Gives every want its entry: the one that is there, or a new one. Returns new ones. */
static size_t assign(struct reconcile *r, struct want *wants, size_t count, struct transaction *t)
{
	size_t fresh = 0, at = 0;
	uint32_t node = 0;

	for (size_t i = 0; i < count; i++) {
		struct want *want = &wants[i];
		struct xm_entry_record record = record_of(want);
		int order = -1;
		while (at < r->entry_count) {
			uint32_t entry = r->entries[at];
			order = record_compare(&r->dp->entry_records[entry], &record);
			if (order >= 0)
				break;
			t->deletes[t->delete_count++] = entry;
			at++;
		}
		want->fresh = at == r->entry_count || order;
		want->entry = want->fresh ? numbers_pop(&r->free_entries) : r->entries[at++];
		fresh += want->fresh;
		if (!want->from->is_source)
			node = want->entry;
		else
			want->node = node;
	}
	while (at < r->entry_count)
		t->deletes[t->delete_count++] = r->entries[at++];
	return fresh;
}

/* The entry that counts for the want's group: its own, unless it is a copy. */
static uint32_t home(const struct want *wants, size_t count, const struct want *want)
{
	if (!want->from->group)
		return 0;
	if (!want->from->copied)
		return want->entry;
	const struct group_key *key = &want->from->group->key;
	struct entry own = {
	    .address = key->address, .source = key->source, .is_source = key->source.len};
	struct want probe = {.from = &own, .ingress = want->ingress, .vlan = want->vlan};
	const struct want *found = bsearch(&probe, wants, count, sizeof(*wants), by_record);
	return found ? found->entry : 0;
}

static uint64_t word_of(const struct want *wants, size_t count, const struct want *want)
{
	uint32_t set = want->set && want->set->level_count ? want->set->head : 0;
	uint64_t flags = (want->from->has_sources ? XM_ENTRY_SOURCES : 0) |
			 (want->from->control ? XM_ENTRY_CONTROL : 0);
	return xm_entry(home(wants, count, want), set, want->exclude, flags);
}

/*
 * The sources of a node that could not be written: no frame finds them, and the node's number
 * becomes another's. With the node they are missing as a whole, and written as a whole next time.
 *
 * The inserts that follow need not wait for a grace period, though they may recycle the elements of
 * these keys: that is foreign only to who has found one of them by its former key, and nobody has.
 * No frame holds the number of a fresh node: it was out of use for a grace period, and the key
 * that leads to it was never there.
 */
static void take_back_sources(struct reconcile *r, struct want *wants, size_t count, size_t node)
{
	for (size_t i = node + 1; i < count && wants[i].from->is_source; i++) {
		if (!wants[i].entry)
			continue;
		r->dp->entry_records[wants[i].entry].leaving = 1;
		dataplane_delete(r->dp, wants[i].entry);
		numbers_push(&r->old.entries, wants[i].entry);
		wants[i].entry = 0;
	}
}

/* From the most specific to the least, a node after its sources. */
static void insert(struct reconcile *r, struct want *wants, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		struct want *want = &wants[i];
		if (!want->fresh || !want->entry)
			continue;
		dataplane_store_entry(r->dp, want->entry, word_of(wants, count, want));
		struct xm_entry_record record = record_of(want);
		int error = dataplane_insert(r->dp, want->entry, &record);
		if (!error)
			continue;
		struct fault fault;
		fault_set(&fault, error, "writing a group to the kernel: %s", strerror(-error));
		note_fault(r, error, &fault);
		numbers_push(&r->old.entries, want->entry);
		want->entry = 0;
		if (!want->from->is_source)
			take_back_sources(r, wants, count, i);
	}
}

static void collect_switches(struct reconcile *r, struct want *wants, size_t count)
{
	struct transaction *t = &r->transaction;

	for (size_t i = 0; i < count; i++) {
		struct want *want = &wants[i];
		if (want->fresh || !want->entry)
			continue;
		uint64_t was = dataplane_entry(r->dp, want->entry),
			 word = word_of(wants, count, want);
		if (was == word)
			continue;
		t->switches[t->switch_count] = want->entry;
		t->words[t->switch_count++] = word;
		/* a node that only had sources gets a group: it counts from zero */
		if (xm_entry_group(word) == want->entry && xm_entry_group(was) != want->entry)
			counters_clear_group(r->dp, want->entry);
	}
}

static int check_room(struct reconcile *r, size_t fresh)
{
	struct fault fault;

	if (fresh <= r->free_entries.count)
		return 0;
	fault_set(&fault, -ENOSPC,
		  "%zu map entries are needed at once, %zu are free: raise `limit entries` and "
		  "restart",
		  fresh, r->free_entries.count);
	note_fault(r, -ENOSPC, &fault);
	return -ENOSPC;
}

static int begin(struct reconcile *r, struct want *wants, size_t count)
{
	struct transaction *t = &r->transaction;
	uint32_t *entries = calloc(count + 1, sizeof(*entries));
	size_t kept_most = count < r->entry_count ? count : r->entry_count;

	t->deletes = calloc(r->entry_count + 1, sizeof(*t->deletes));
	t->switches = calloc(kept_most + 1, sizeof(*t->switches));
	t->words = calloc(kept_most + 1, sizeof(*t->words));
	if (!entries || !t->deletes || !t->switches || !t->words) {
		free(entries);
		transaction_free(r);
		return -ENOMEM;
	}
	size_t fresh = assign(r, wants, count, t), kept = 0;
	insert(r, wants, count);
	collect_switches(r, wants, count);
	for (size_t i = 0; i < count; i++)
		if (wants[i].entry)
			entries[kept++] = wants[i].entry;
	free(r->entries);
	r->entries = entries;
	r->entry_count = kept;
	t->stage = STAGE_INSERTED;
	t->wait = fresh && (t->switch_count || t->delete_count);
	transaction_flags(r);
	return 0;
}

/* How many entries would be inserted. */
static size_t count_fresh(struct reconcile *r, const struct want *wants, size_t count)
{
	size_t at = 0, fresh = 0;

	for (size_t i = 0; i < count; i++) {
		struct xm_entry_record record = record_of(&wants[i]);
		int order = -1;
		while (at < r->entry_count &&
		       (order = record_compare(&r->dp->entry_records[r->entries[at]], &record)) < 0)
			at++;
		if (at == r->entry_count || order)
			fresh++;
		else
			at++;
	}
	return fresh;
}

static enum entries_result begin_or_wait(struct reconcile *r, struct want *wants, size_t count)
{
	size_t fresh = count_fresh(r, wants, count);

	/* hash elements are recycled at once: no insert before a delete's grace period is over */
	if (fresh && (r->old.entries.count || r->leaving.entries.count))
		return ENTRIES_WAIT;
	int error = check_room(r, fresh);
	if (!error)
		error = begin(r, wants, count);
	if (error == -ENOMEM) {
		struct fault fault;
		fault_set(&fault, error, "out of memory for %zu map entries", count);
		note_fault(r, error, &fault);
	}
	return ENTRIES_DONE;
}

enum entries_result entries_update(struct reconcile *r)
{
	struct entry *compiled = NULL;
	struct group *shadows = NULL;
	size_t count = 0;
	struct fault fault = {0};
	enum entries_result result = ENTRIES_DONE;
	unsigned int faults = r->faults;

	int error =
	    model_compile_resolved(r->model, resolve_key, r, &shadows, &compiled, &count, &fault);
	struct want *wants = error ? NULL : calloc(count + 1, sizeof(*wants));
	if (!error && !wants)
		error = fault_set(&fault, -ENOMEM, "out of memory for %zu map entries", count);
	if (!error) {
		count = resolve(r, compiled, count, wants);
		if (prepare(r, wants, count))
			result = ENTRIES_GROW;
		else
			result = begin_or_wait(r, wants, count);
	}
	if (error)
		note_fault(r, error, &fault);
	if (result == ENTRIES_DONE) {
		r->entries_dirty = false;
		r->entries_failed = r->faults != faults;
	}
	free(wants);
	free(compiled);
	free(shadows);
	return result;
}

uint32_t entries_of_group(struct reconcile *r, const struct group *group)
{
	uint32_t vlan = group->key.vlan;
	const struct iface *ingress = resolve_ingress(r, group->key.from, &vlan);
	if (!ingress)
		return 0;
	struct xm_entry_record probe = {
	    .used = group->key.source.len ? 2 : 1,
	    .key = {.ingress = ingress->slot, .vlan = vlan, .address = group->key.address.address},
	    .len = group->key.address.len,
	    .source = group->key.source.address,
	    .source_len = group->key.source.len,
	};
	size_t low = 0, high = r->entry_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t entry = r->entries[middle];
		int order = record_compare(&r->dp->entry_records[entry], &probe);
		if (!order)
			return entry;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}
