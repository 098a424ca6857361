// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Before kernel 6.3 nobody tells whether a driver takes redirected frames, so a member
 * counts as able until its driver refuses one (ENXIO, EOPNOTSUPP). While such members exist
 * their counters are looked at once a second; one that refused is left out and tried again
 * later. On newer kernels the timer never runs.
 */
#include <errno.h>

#include "daemon/reconcile/internal.h"

#define LOOK_USEC	1000000
#define TRY_AGAIN_LOOKS 10

static bool is_unknown(struct reconcile *r, const struct iface *iface)
{
	const struct link *link = netlink_by_index(r->netlink, iface->ifindex);
	return iface->memberships && link && !link->xdp_features_known;
}

/* True when the interface refused frames since the last look, or is to be tried again. */
static bool look(struct reconcile *r, struct iface *iface)
{
	struct xm_interface_counters c;

	if (counters_interface(r->dp, iface->slot, &c))
		return false;
	uint64_t refusals = c.dropped[XM_REASON_NO_RECEIVER] + c.dropped[XM_REASON_NOT_SUPPORTED];
	bool refuses = refusals != iface->refusals;
	iface->refusals = refusals;
	if (!refuses && iface->refused)
		return !--iface->refused;
	if (!refuses || iface->refused)
		return false;
	iface->refused = TRY_AGAIN_LOOKS;
	return true;
}

static int on_time(sd_event_source *source, uint64_t now, void *data)
{
	struct reconcile *r = data;
	bool changed = false;
	(void)source, (void)now;

	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		if (!iface || !is_unknown(r, iface) || !look(r, iface))
			continue;
		sets_mark_link(r, iface->name);
		changed = true;
	}
	refusal_watch(r);
	if (changed)
		reconcile_step(r);
	return 0;
}

void refusal_watch(struct reconcile *r)
{
	bool wanted = false;

	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces && !wanted; slot++)
		wanted = r->ifaces[slot] && is_unknown(r, r->ifaces[slot]);
	if (!wanted) {
		r->refusal_timer = sd_event_source_disable_unref(r->refusal_timer);
		return;
	}
	if (!r->refusal_timer &&
	    sd_event_add_time_relative(r->event, &r->refusal_timer, CLOCK_MONOTONIC, LOOK_USEC, 0,
				       on_time, r) < 0)
		return;
	sd_event_source_set_time_relative(r->refusal_timer, LOOK_USEC);
	sd_event_source_set_enabled(r->refusal_timer, SD_EVENT_ONESHOT);
}
