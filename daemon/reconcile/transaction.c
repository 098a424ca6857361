// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of a change: insert | grace | switch | grace | delete. A frame may have looked
 * at one map before a step and look at the next one after it; the grace periods in between keep it
 * from following a mixture of the old and the new configuration.
 */
#include <stdlib.h>

#include "daemon/reconcile/internal.h"

void transaction_free(struct reconcile *r)
{
	struct transaction *t = &r->transaction;
	free(t->switches);
	free(t->words);
	free(t->deletes);
	*t = (struct transaction){0};
}

static void count_prefixes(struct reconcile *r, uint32_t entry)
{
	const struct xm_entry_record *record = &r->dp->entry_records[entry];
	struct iface *iface = r->ifaces[record->key.ingress];

	if (!iface)
		return;
	if (record->used == 1)
		iface->prefixes += record->len < 128;
	else
		iface->source_prefixes += record->source_len < 128;
}

void transaction_flags(struct reconcile *r)
{
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++)
		if (r->ifaces[slot])
			r->ifaces[slot]->prefixes = r->ifaces[slot]->source_prefixes = 0;
	for (size_t i = 0; i < r->entry_count; i++)
		count_prefixes(r, r->entries[i]);
	for (size_t i = 0; i < r->transaction.delete_count; i++)
		count_prefixes(r, r->transaction.deletes[i]);
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++)
		if (r->ifaces[slot])
			attach_store_word(r, r->ifaces[slot]);
}

bool transaction_advance(struct reconcile *r)
{
	struct transaction *t = &r->transaction;

	if (t->wait || t->stage == STAGE_IDLE)
		return t->wait;
	if (t->stage == STAGE_INSERTED) {
		for (size_t i = 0; i < t->switch_count; i++)
			dataplane_store_entry(r->dp, t->switches[i], t->words[i]);
		t->stage = STAGE_SWITCHED;
		t->wait = t->switch_count && t->delete_count;
		if (t->wait)
			return true;
	}
	for (size_t i = 0; i < t->delete_count; i++) {
		/* first, so that a successor does not take it for one being inserted */
		r->dp->entry_records[t->deletes[i]].leaving = 1;
		dataplane_delete(r->dp, t->deletes[i]);
		numbers_push(&r->old.entries, t->deletes[i]);
	}
	size_t deleted = t->delete_count;
	transaction_free(r);
	if (deleted)
		transaction_flags(r);
	return false;
}
