/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The room's state, and how it settles.
 *
 * Theory of operation. A message, or the lack of one after an overrun, changes the facts of a
 * record (apply_*) or marks them as stale; either way the record gets `work`. When everything that
 * was queued is read, settle() works on records until none has work (asks for stale facts,
 * carries facts over to the veth at the other end), then calls link() for each record that
 * differs from what was told last, then settled(). So a burst of messages costs one call per
 * link, and the order in which sockets are read does not matter: whatever was learned too early is
 * put right by the message that is still queued.
 */
#ifndef XM_NETLINK_STATE_H
#define XM_NETLINK_STATE_H

#include "daemon/netlink/cache.h"
#include "daemon/netlink/ethtool.h"
#include "daemon/netlink/features.h"
#include "daemon/netlink/netlink.h"
#include "daemon/netlink/route.h"

struct netlink {
	struct netlink_events events;
	struct cache cache;
	struct route route;
	struct features features;
	struct ethtool ethtool;
	int epoll;
	int timer;	       /* makes the epoll readable when there is work but no message */
	bool resync;	       /* messages were lost: read everything anew, then tell so */
	bool incomplete;       /* something could not be asked: try again */
	unsigned int settling; /* number of the current settling, for record.asked */
	char why[REQUEST_WHY_MAX];
};

/* The facts of one link have arrived, or that it is gone. 0 or -ENOMEM. */
int apply_link(struct netlink *netlink, const struct link *fresh);
void apply_gone(struct netlink *netlink, int ifindex);
void apply_features(int ifindex, uint64_t xdp_features, void *netlink);
/* Something of a link in another namespace changed: refresh veths that have it as their peer. */
void apply_foreign(struct netlink *netlink, int nsid, int ifindex);

/* Asks for one link and applies the answer. 0, -ENODEV (applied, too), negative errno. */
int ask_link(struct netlink *netlink, int ifindex);
/* Asks for all. What was not in the answer is gone. */
int ask_all(struct netlink *netlink);

/* Works until the facts are complete. False: something could not be asked; try again later. */
bool work_all(struct netlink *netlink);

/* Makes netlink_fd() readable in `milliseconds`, 0: at once. */
void wake_in(struct netlink *netlink, unsigned int milliseconds);

#endif
