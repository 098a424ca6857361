// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What could not be done for want of memory or descriptors, or because the kernel did not
 * answer, is tried again: after a second, then ever more seldom, and with every change of the
 * model. Rounds in between, for an event or at the end of a grace period, do not look at all of it,
 * so that how they end changes nothing. Other errors wait for a change that may mend them.
 */
#include <errno.h>

#include "daemon/reconcile/internal.h"

#define FIRST_USEC   1000000
#define LONGEST_USEC (32 * FIRST_USEC)

bool retry_helps(int error)
{
	switch (-error) {
	case ENOMEM:
	case ENOBUFS:
	case EMFILE:
	case ENFILE:
	case EAGAIN:
	case EINTR:
	case ETIMEDOUT:
		return true;
	default:
		return false;
	}
}

void retry_all(struct reconcile *r)
{
	for (struct actual_set *set = r->sets; set; set = set->next)
		set->dirty = true;
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		if (iface)
			attach_again(iface);
		if (iface && iface->outdated && iface->outdated_passes)
			iface->adopted = iface->attached;
	}
	r->links_dirty = r->entries_dirty = r->retrying = true;
}

static int on_time(sd_event_source *source, uint64_t now, void *data)
{
	struct reconcile *r = data;
	(void)source, (void)now;

	retry_all(r);
	reconcile_step(r);
	return 0;
}

void retry_with_change(struct reconcile *r)
{
	if (r->retry_usec && !r->retrying && r->seen_model != r->model->version)
		retry_all(r);
}

static bool is_planned(const struct reconcile *r)
{
	int armed = SD_EVENT_OFF;

	return r->retry_timer && sd_event_source_get_enabled(r->retry_timer, &armed) >= 0 &&
	       armed != SD_EVENT_OFF;
}

void retry_plan(struct reconcile *r)
{
	bool in_between = r->retry_usec && !r->retrying;

	r->retrying = false;
	if (in_between && is_planned(r))
		return; /* however it ended: else events keep putting it off */
	if (!r->passing) {
		if (in_between)
			return;
		r->retry_timer = sd_event_source_disable_unref(r->retry_timer);
		r->retry_usec = 0;
		return;
	}
	r->retry_usec = !r->retry_usec		       ? FIRST_USEC
			: r->retry_usec < LONGEST_USEC ? 2 * r->retry_usec
						       : LONGEST_USEC;
	if (!r->retry_timer &&
	    sd_event_add_time_relative(r->event, &r->retry_timer, CLOCK_MONOTONIC, r->retry_usec, 0,
				       on_time, r) < 0)
		return; /* the next change tries, too */
	sd_event_source_set_time_relative(r->retry_timer, r->retry_usec);
	sd_event_source_set_enabled(r->retry_timer, SD_EVENT_ONESHOT);
}
