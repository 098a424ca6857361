/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts that are stale are asked for. */
#include <errno.h>
#include <string.h>

#include "daemon/netlink/link.h"
#include "daemon/netlink/state.h"

int ask_link(struct netlink *netlink, int ifindex)
{
	struct link fresh;
	int r = route_get(&netlink->route, ifindex, -1, &fresh);

	if (r == -ENODEV)
		apply_gone(netlink, ifindex);
	return r ? r : apply_link(netlink, &fresh);
}

static int apply_dumped(const struct nlmsghdr *message, void *data)
{
	struct link fresh;
	int r = link_parse(message, &fresh);

	return r ? r : apply_link(data, &fresh);
}

/* What the dump did not show is gone; when it was not of one piece, ask whether it is. */
static int sweep(struct netlink *netlink, bool whole)
{
	struct record *record;

	for (int at = 0; (record = cache_after(&netlink->cache, at));) {
		int r = 0;

		at = record->now.ifindex;
		if (!record->present || record->seen)
			continue;
		if (whole)
			apply_gone(netlink, at);
		else
			r = ask_link(netlink, at);
		if (r && r != -ENODEV)
			return r;
	}
	return 0;
}

int ask_all(struct netlink *netlink)
{
	bool whole = false;
	int r;

	for (size_t i = 0; i < netlink->cache.count; i++) {
		netlink->cache.by_index[i]->seen = false;
		netlink->cache.by_index[i]->peer_stale = true;
	}
	r = route_dump(&netlink->route, -1, apply_dumped, netlink, &whole);
	if (!r)
		r = sweep(netlink, whole);
	if (!r && netlink->features.known)
		r = features_get(&netlink->features, 0, apply_features, netlink);
	return r;
}

/* Asks for a link itself again, once in a settling. */
static void doubt(struct netlink *netlink, struct record *record)
{
	if (record->asked == netlink->settling)
		return;
	record->self_stale = true;
	cache_touch(&netlink->cache, record);
}

/* One of our own namespace: its record knows. Give it work when it should learn from us. */
static void peer_here(struct netlink *netlink, struct record *record)
{
	struct record *peer = cache_find(&netlink->cache, record->now.lower);

	if (!peer || !peer->present || !link_is_veth(&peer->now)) {
		link_set_peer(&record->now, NULL);
		return;
	}
	if (peer->now.lower != record->now.ifindex || peer->now.lower_nsid >= 0) {
		/* One of the two has moved or been made anew: whose message is still queued? */
		doubt(netlink, peer);
		doubt(netlink, record);
		return;
	}
	if (!peer->now.peer_known || peer->now.peer_up != record->now.up ||
	    strcmp(peer->now.peer_name, record->now.name) ||
	    peer->now.peer_mtu != record->now.mtu ||
	    peer->now.peer_rx_queues != record->now.rx_queues ||
	    peer->now.peer_tx_queues != record->now.tx_queues ||
	    peer->now.peer_xdp_native != link_xdp_native(&record->now))
		cache_touch(&netlink->cache, peer);
	link_set_peer(&record->now, &peer->now);
}

static int peer_work(struct netlink *netlink, struct record *record)
{
	struct link peer;
	int r;

	if (record->now.lower_nsid < 0) {
		record->peer_stale = false;
		peer_here(netlink, record);
		return 0;
	}
	if (!record->peer_stale)
		return 0;
	r = route_get(&netlink->route, record->now.lower, record->now.lower_nsid, &peer);
	link_set_peer(&record->now, r ? NULL : &peer);
	/* It may just be gone, or its namespace closed to us: then it stays unknown. */
	record->peer_stale = false;
	return r == -ETIMEDOUT || r == -ENOMEM || r == -ENOBUFS ? r : 0;
}

/* A NIC's filter is asked for once, with its driver. */
static void driver_known(struct netlink *netlink, struct record *record)
{
	struct offloads offloads;

	record->driver_stale = false;
	if (record->now.kind[0] || record->now.loopback ||
	    ethtool_get_offloads(&netlink->ethtool, record->now.ifindex, &offloads))
		return;
	record->now.drops_vlans = offloads.active & OFFLOAD_FILTER & ~offloads.changeable;
}

static int work_one(struct netlink *netlink, struct record *record)
{
	int r = 0;

	if (record->self_stale) {
		record->asked = netlink->settling;
		r = ask_link(netlink, record->now.ifindex);
	}
	if (r || !record->present)
		return r == -ENODEV ? 0 : r;
	if (record->features_stale) {
		record->features_stale = false;
		r = features_get(&netlink->features, record->now.ifindex, apply_features, netlink);
		record->features_stale = r && r != -ENODEV;
	}
	if (record->driver_stale && ethtool_driver(&netlink->ethtool, record->now.ifindex,
						   record->now.name, record->now.driver) != -ENODEV)
		driver_known(netlink, record);
	if (!link_is_veth(&record->now))
		record->peer_stale = false;
	else if (!r)
		r = peer_work(netlink, record);
	return r == -ENODEV ? 0 : r;
}

/* What could not be asked for last time is work again. */
static void revive(struct cache *cache)
{
	for (size_t i = 0; i < cache->count; i++) {
		struct record *record = cache->by_index[i];

		if (record->self_stale || record->features_stale || record->peer_stale)
			cache_touch(cache, record);
	}
}

bool work_all(struct netlink *netlink)
{
	struct record *record;

	netlink->settling++;
	if (netlink->incomplete)
		revive(&netlink->cache);
	netlink->incomplete = false;
	while ((record = cache_next_work(&netlink->cache)))
		if (record->present && work_one(netlink, record))
			netlink->incomplete = true;
	return !netlink->incomplete;
}
