/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links that we make ourselves, for measurements and tests: veth pairs across two network
 * namespaces. They end with their namespace, so nothing is taken down by hand.
 */
#ifndef XM_NETLINK_MAKE_H
#define XM_NETLINK_MAKE_H

#include <stdbool.h>

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

#endif
