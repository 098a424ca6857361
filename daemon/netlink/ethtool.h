/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ethtool: driver names, and VLAN offloads by ethtool netlink (kernel 5.6+). */
#ifndef XM_NETLINK_ETHTOOL_H
#define XM_NETLINK_ETHTOOL_H

#include "daemon/netlink/genl.h"
#include "daemon/netlink/netlink.h"

/* Sockets of one network namespace, whichever their thread is in later. */
struct ethtool {
	int ioctls; /* a socket for them */
	struct mnl_socket *socket;
	struct request request;
	struct genl_family family; /* id 0: the kernel has none */
};

/* The name of one bit, as ethtool -K takes it; NULL: no such bit. */
const char *offload_name(unsigned int bit);

/* The VLAN offloads, for C-tags (0x8100) and S-tags (0x88a8). */
#define OFFLOAD_RX_CTAG	    (1u << 0) /* rx-vlan-hw-parse */
#define OFFLOAD_RX_STAG	    (1u << 1) /* rx-vlan-stag-hw-parse */
#define OFFLOAD_TX_CTAG	    (1u << 2) /* tx-vlan-hw-insert */
#define OFFLOAD_TX_STAG	    (1u << 3) /* tx-vlan-stag-hw-insert */
#define OFFLOAD_FILTER_CTAG (1u << 8) /* rx-vlan-filter: drops frames of unknown VLANs */
#define OFFLOAD_FILTER_STAG (1u << 9) /* rx-vlan-stag-filter */
#define OFFLOAD_FILTER	    (OFFLOAD_FILTER_CTAG | OFFLOAD_FILTER_STAG)
#define OFFLOAD_RX	    (OFFLOAD_RX_CTAG | OFFLOAD_RX_STAG | OFFLOAD_FILTER)
#define OFFLOAD_TX	    (OFFLOAD_TX_CTAG | OFFLOAD_TX_STAG)

/* Those that merge frames. */
#define OFFLOAD_LRO	 (1u << 4) /* rx-lro */
#define OFFLOAD_GRO_HW	 (1u << 5) /* rx-gro-hw */
#define OFFLOAD_GRO_LIST (1u << 6) /* rx-gro-list */
#define OFFLOAD_UDP_GRO	 (1u << 7) /* rx-udp-gro-forwarding */

/* Sums that are left to the device. */
#define OFFLOAD_TX_SUMS (1u << 10) /* tx-checksum-ip-generic, as a veth has it */

struct offloads {
	unsigned int active, changeable; /* bits OFFLOAD_* */
};

/* In the calling thread's network namespace. 0 also when the kernel has no such family. */
int ethtool_open(struct ethtool *ethtool); /* ethtool_close() also after a failure */
void ethtool_close(struct ethtool *ethtool);
/* 0, -EOPNOTSUPP, -ENODEV, negative errno. */
int ethtool_get_offloads(struct ethtool *ethtool, int ifindex, struct offloads *out);
/* Asks to switch those of `mask` to their bit in `value`; the driver may leave some as they were.
 * The text of an error is in ethtool->request.why. */
int ethtool_set_offloads(struct ethtool *ethtool, int ifindex, unsigned int value,
			 unsigned int mask);

/* The driver's name of an interface. -EOPNOTSUPP: it has none; -ENODEV: `name` is not (any more)
 * that of `ifindex`. */
int ethtool_driver(struct ethtool *ethtool, int ifindex, const char *name,
		   char out[static LINK_DRIVER_MAX]);

#endif
