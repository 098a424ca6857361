// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers taken out of use wait here for a grace period before they are given out again. */
#include <string.h>

#include "daemon/reconcile/internal.h"

bool quarantine_empty(const struct quarantine *q)
{
	return !q->entries.count && !q->sets.count && !q->slots.count && !q->excludes.count &&
	       !q->ifaces.count;
}

void quarantine_begin(struct reconcile *r)
{
	if (worker_busy(r->worker))
		return;
	if (quarantine_empty(&r->leaving)) {
		struct quarantine emptied = r->leaving;
		r->leaving = r->old;
		r->old = emptied;
	}
	r->transaction.begun = r->transaction.wait;
	worker_start(r->worker, WORK_GRACE);
}

void quarantine_end(struct reconcile *r)
{
	struct quarantine *q = &r->leaving;
	uint32_t number;

	if (r->transaction.begun)
		r->transaction.wait = r->transaction.begun = false;
	while ((number = numbers_pop(&q->entries))) {
		dataplane_store_entry(r->dp, number, 0);
		counters_clear_group(r->dp, number);
		dataplane_forget(r->dp, number); /* last: a successor takes it for clean then */
		numbers_push(&r->free_entries, number);
	}
	while ((number = numbers_pop(&q->sets))) {
		word_store(&r->dp->sets[number], 0);
		numbers_push(&r->free_sets, number);
	}
	while ((number = numbers_pop(&q->slots)))
		pool_give(r->dp->set_pool, number);
	while ((number = numbers_pop(&q->excludes)))
		pool_give(r->dp->exclude_pool, number);
	if (q->ifaces.count)
		ifaces_slots_free(r);
	while ((number = numbers_pop(&q->ifaces)))
		r->ifaces[number]->quarantined--;
}

void quarantine_free(struct quarantine *q)
{
	numbers_free(&q->entries);
	numbers_free(&q->sets);
	numbers_free(&q->slots);
	numbers_free(&q->excludes);
	numbers_free(&q->ifaces);
}
