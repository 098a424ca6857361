/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links that we make ourselves, for measurements and tests: veth pairs across two network
 * namespaces, and what the kernel has itself to copy frames between them. All of it ends with its
 * namespace, so nothing must be taken down by hand.
 */
#ifndef XM_NETLINK_MAKE_H
#define XM_NETLINK_MAKE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes `name` in the caller's network namespace and its other end `peer` in that of
 * descriptor `peer_netns`, one queue each, both down. 0 or a negative errno.
 */
int make_veth(const char *name, const char *peer, int peer_netns);

/* Sets a link of the caller's network namespace up or down. 0, -ENODEV or a negative errno. */
int make_up(const char *name, bool up);

/*
 * Deletes a link of the caller's network namespace, a veth with its other end; it is gone on
 * return. 0, -ENODEV or a negative errno.
 */
int make_gone(const char *name);

/* A bridge that floods multicast (no snooping), down; make_gone() it. 0 or a negative errno. */
int make_bridge(const char *name);
/* Makes a link a port of the bridge. 0, -ENODEV or a negative errno. */
int make_port(const char *name, const char *bridge);

/*
 * Has tc copy the IPv4 packets to `group` (host byte order) that come in at `from` to `count` other
 * links, all of them ifindexes: `clsact`, one u32 filter, a mirred action for each. The kernel
 * takes up to 32 actions. 0 or a negative errno.
 */
int make_mirror(int from, uint32_t group, const int *to, unsigned int count);
/* Removes that, and with it all else that tc does at `from`. 0 or a negative errno. */
int make_mirror_gone(int from);

#endif
