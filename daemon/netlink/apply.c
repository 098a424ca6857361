/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What arrived becomes facts of records. */
#include <errno.h>
#include <string.h>

#include "daemon/netlink/link.h"
#include "daemon/netlink/state.h"

/* What messages of links do not carry survives them. */
static void keep_learned(const struct link *old, struct link *fresh)
{
	memcpy(fresh->driver, old->driver, sizeof(fresh->driver));
	fresh->drops_vlans = old->drops_vlans;
	fresh->xdp_features = old->xdp_features;
	fresh->xdp_features_known = old->xdp_features_known;
	fresh->peer_known = old->peer_known;
	memcpy(fresh->peer_name, old->peer_name, sizeof(fresh->peer_name));
	fresh->peer_up = old->peer_up;
	fresh->peer_mtu = old->peer_mtu;
	fresh->peer_rx_queues = old->peer_rx_queues;
	fresh->peer_tx_queues = old->peer_tx_queues;
	fresh->peer_xdp_native = old->peer_xdp_native;
}

int apply_link(struct netlink *netlink, const struct link *fresh)
{
	struct record *record = cache_find(&netlink->cache, fresh->ifindex);
	struct link link;

	if (!record)
		record = cache_add(&netlink->cache, fresh->ifindex);
	if (!record)
		return -ENOMEM;
	memcpy(&link, fresh, sizeof(link));
	if (record->present) {
		keep_learned(&record->now, &link);
	} else {
		record->present = record->driver_stale = record->peer_stale = true;
		record->features_stale = netlink->features.known;
		record->hid_vlans = 0;
		record->now.name[0] = 0;
	}
	/* Peers elsewhere announce their changes, if we may listen to them. */
	if (link.lower != record->now.lower || link.lower_nsid != record->now.lower_nsid ||
	    !netlink->route.all_namespaces)
		record->peer_stale = true;
	if (strcmp(link.name, record->now.name))
		netlink->cache.names_valid = false;
	memcpy(&record->now, &link, sizeof(link));
	record->self_stale = false;
	record->seen = true;
	cache_touch(&netlink->cache, record);
	return 0;
}

/* Everything that has (nsid, ifindex) as the other end of its veth pair. */
static void stale_peers_of(struct netlink *netlink, int nsid, int ifindex)
{
	for (size_t i = 0; i < netlink->cache.count; i++) {
		struct record *record = netlink->cache.by_index[i];

		if (!record->present || record->now.lower != ifindex ||
		    record->now.lower_nsid != nsid || !link_is_veth(&record->now))
			continue;
		/* The pointer to the peer itself may have changed with it. */
		record->self_stale = record->peer_stale = true;
		cache_touch(&netlink->cache, record);
	}
}

void apply_foreign(struct netlink *netlink, int nsid, int ifindex)
{
	stale_peers_of(netlink, nsid, ifindex);
}

void apply_gone(struct netlink *netlink, int ifindex)
{
	struct record *record = cache_find(&netlink->cache, ifindex);

	if (!record || !record->present)
		return;
	record->present = false;
	record->vanished = record->is_told;
	cache_touch(&netlink->cache, record);
	netlink->cache.names_valid = false;
	stale_peers_of(netlink, -1, ifindex);
}

void apply_features(int ifindex, uint64_t xdp_features, void *data)
{
	struct netlink *netlink = data;
	struct record *record = cache_find(&netlink->cache, ifindex), *peer;

	if (!record || !record->present) /* asked for when the link is told of */
		return;
	record->features_stale = false;
	if (record->now.xdp_features_known && record->now.xdp_features == xdp_features)
		return;
	record->now.xdp_features = xdp_features;
	record->now.xdp_features_known = true;
	cache_touch(&netlink->cache, record);
	if (!link_is_veth(&record->now))
		return;
	/*
	 * Features of a veth follow what its peer does. Programs attached by a bpf_link are not
	 * announced by rtnetlink, so this may be the only sign of one on the peer.
	 */
	record->peer_stale = true;
	peer = record->now.lower_nsid < 0 ? cache_find(&netlink->cache, record->now.lower) : NULL;
	if (peer && peer->present) {
		peer->self_stale = true;
		cache_touch(&netlink->cache, peer);
	}
}
