/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RTM_NEWLINK as `struct link`. Pure: no socket, no state. */
#ifndef XM_NETLINK_LINK_H
#define XM_NETLINK_LINK_H

#include <linux/netlink.h>
#include <stdbool.h>

#include "daemon/netlink/netlink.h"

/*
 * Fills *out from an RTM_NEWLINK of family AF_UNSPEC; what that message does not carry
 * (driver, features, peer) is zero. 0; -EAGAIN: one of the messages that only carry a part of the
 * facts (bridge ports, wireless events): ask; -EBADMSG: malformed.
 */
int link_parse(const struct nlmsghdr *message, struct link *out);

/* True when nothing differs but counters. */
bool link_same(const struct link *a, const struct link *b);

static inline bool link_xdp_native(const struct link *link)
{
	return link->xdp_mode == LINK_XDP_NATIVE || link->xdp_mode == LINK_XDP_MULTI;
}

/* What `link` says of the other end of its veth pair; NULL: unknown. */
void link_set_peer(struct link *link, const struct link *peer);

#endif
