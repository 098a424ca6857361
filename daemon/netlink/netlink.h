/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of interfaces, and the few things we ask of them. The only room
 * that includes libnl or libmnl. No policy: `struct link` holds facts, readiness is
 * decided elsewhere. All names are of one network namespace, that of the caller at
 * netlink_open().
 */
#ifndef XM_NETLINK_NETLINK_H
#define XM_NETLINK_NETLINK_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LINK_KIND_MAX	16
#define LINK_DRIVER_MAX 32

enum link_xdp_mode { LINK_XDP_NONE, LINK_XDP_NATIVE, LINK_XDP_GENERIC, LINK_XDP_MULTI };

/* xdp-features of the netdev family (kernel 6.3+), as the kernel numbers them. */
#define LINK_XDP_BASIC	     (1u << 0)
#define LINK_XDP_REDIRECT    (1u << 1)
#define LINK_XDP_NDO_XMIT    (1u << 2)
#define LINK_XDP_RX_SG	     (1u << 5)
#define LINK_XDP_NDO_XMIT_SG (1u << 6)

struct link {
	int ifindex;
	char name[IF_NAMESIZE];
	char kind[LINK_KIND_MAX];     /* IFLA_INFO_KIND: "veth", "bridge", ..; "" for a NIC */
	char driver[LINK_DRIVER_MAX]; /* ethtool driver: "veth", "virtio_net", ..; "" unknown */
	bool ethernet;		      /* ARPHRD_ETHER */
	bool loopback;
	bool up;	    /* IFF_UP */
	bool lower_up;	    /* IFF_LOWER_UP: carrier */
	bool allmulti;	    /* IFF_ALLMULTI as set by anybody through flags */
	bool drops_vlans;   /* a NIC: frames of VLANs that have no interface, and it cannot be told
			       not to */
	bool filters_vlans; /* a bridge: only frames of VLANs that it is in itself arrive there */
	bool promisc;	    /* by flag, or by count as the ports of a bridge are */
	unsigned int mtu;
	unsigned int rx_queues, tx_queues; /* IFLA_NUM_RX/TX_QUEUES; 0: unknown */
	int lower;	/* IFLA_LINK: VLAN or macvlan parent, veth peer; 0: none */
	int lower_nsid; /* IFLA_LINK_NETNSID; -1: same namespace */
	int master;	/* IFLA_MASTER: bridge, bond, VRF; 0: none */
	char master_kind[LINK_KIND_MAX];
	uint16_t vlan_id;	/* kind "vlan": IFLA_VLAN_ID */
	uint16_t vlan_protocol; /* kind "vlan": host byte order 0x8100 or 0x88a8 */
	/*
	 * The kernel announces programs of links that are up and were attached by netlink. Others
	 * show when the link changes otherwise, is refreshed, or (veth) its peer's features tell.
	 */
	enum link_xdp_mode xdp_mode;
	uint32_t xdp_program_id; /* 0: none; of the mode above (MULTI: the native one) */
	uint64_t xdp_features;	 /* LINK_XDP_*, valid when xdp_features_known */
	bool xdp_features_known; /* false before kernel 6.3 */
	/* veth: the other end, read through lower_nsid where the kernel lets us */
	bool peer_known;
	char peer_name[IF_NAMESIZE];
	bool peer_up; /* IFF_UP */
	unsigned int peer_mtu;
	unsigned int peer_rx_queues, peer_tx_queues;
	bool peer_xdp_native; /* the peer runs native XDP, so it has NAPI */
	uint64_t tx_dropped;  /* IFLA_STATS64 at the last refresh */
};

/* The other end of a veth may be in our namespace (by ifindex) or in another (by id, too). */
static inline bool link_is_veth(const struct link *link)
{
	return !strcmp(link->kind, "veth");
}

struct netlink;

/*
 * One call per change that was settled: `link` is NULL when it vanished (by any cause,
 * also a move to another namespace), else the new facts; valid during the call only. A link
 * that was away and is back with the same ifindex gets both calls: kernel maps forgot it. Counters
 * are no change. `resync` is true once after an overrun, when every link was read anew; then
 * a link may have been away without a call. The calls may use everything below but
 * netlink_dispatch() and netlink_close().
 */
struct netlink_events {
	void (*link)(int ifindex, const struct link *link, void *data);
	/* After one or more link() calls: now decide. Also after every full resync. */
	void (*settled)(bool resync, void *data);
	void *data;
};

/*
 * Opens the sockets (receive buffer raised), subscribes, and reads all links once (so
 * link() is called for each, then settled(); *out is set before). Returns 0 or a negative errno.
 */
int netlink_open(struct netlink **out, const struct netlink_events *events);
void netlink_close(struct netlink *netlink);

/*
 * One descriptor to poll for input (an epoll fd over the sockets). netlink_dispatch() reads what is
 * there, asks the kernel for what that leaves open (bounded, some 10 us a question) and makes the
 * calls. 0 or a negative errno; then the descriptor becomes readable again for another try.
 */
int netlink_fd(const struct netlink *netlink);
int netlink_dispatch(struct netlink *netlink);

/* The cached facts, NULL when there is no such link. Valid until the next dispatch. */
const struct link *netlink_by_index(const struct netlink *netlink, int ifindex);
const struct link *netlink_by_name(const struct netlink *netlink, const char *name);
/* Calls f for every link in ifindex order until it returns non-zero; returns that. */
int netlink_each(const struct netlink *netlink, int (*f)(const struct link *link, void *data),
		 void *data);

/* Reads one link again now (fresh statistics, features, peer). 0, -ENODEV, negative errno. What is
 * new is there at once; the calls for it come from the next dispatch. */
int netlink_refresh(struct netlink *netlink, int ifindex);

/* Sets or clears IFF_ALLMULTI. *why, when not NULL, gets the kernel's extack text (static buffer).
 */
int netlink_set_allmulti(struct netlink *netlink, int ifindex, bool on, const char **why);

/*
 * VLAN offloads that hide a tag from XDP. `rx` is our own rx-vlan-hw-parse ("rx-vlan-offload"), and
 * where it can be changed rx-vlan-filter, which drops frames of VLANs that have no interface;
 * for a veth it is the *peer's* tx-vlan-hw-insert that counts, reachable when the peer is in our
 * namespace or in one whose id we can turn into a descriptor (which moves a helper thread there by
 * setns(2), so it wants CAP_SYS_ADMIN and a unit that allows it). What hides the tags of a macvlan
 * is its parent's. Switching off remembers what was on, and hide_tags = true gives back that.
 * Both: 0 done, 1 was so already (set only), -EOPNOTSUPP the driver has fixed it, -EXDEV the peer
 * is out of reach, other negative errno.
 */
int netlink_get_vlan_offload(struct netlink *netlink, int ifindex, bool *hides_tags);
int netlink_set_vlan_offload(struct netlink *netlink, int ifindex, bool hide_tags,
			     const char **why);

/*
 * What has to stand in front of a command for the veth's peer: "" when it is in our namespace,
 * "nsenter --net=PATH " in another. -EXDEV: no path to that namespace is known here; -ENODEV: the
 * link is gone or no veth. Looks through /run/netns and /proc: not for every event.
 */
int netlink_peer_prefix(struct netlink *netlink, int ifindex, char *buf, size_t size);

/* Receive offloads that make several frames one, which generic XDP then sees: comma-separated
 * names of those that are on, "" none. Generic receive offload of TCP alone is none of them. */
int netlink_merging_offloads(struct netlink *netlink, int ifindex, char *buf, size_t size);

/* Does a veth's other end leave checksums of what it sends to hardware that there is not? -EXDEV:
 * out of reach, as above. */
int netlink_peer_leaves_sums(struct netlink *netlink, int ifindex, bool *leaves);

/*
 * Calls f for every VXLAN in the namespace of a veth's other end, if it sends to a multicast group:
 * `group` is that, in network byte order, IPv4 mapped into IPv6. Until f returns non-zero. 0,
 * negative errno.
 */
int netlink_peer_vxlans(struct netlink *netlink, int ifindex,
			int (*f)(const char *name, const uint8_t group[16], void *data),
			void *data);

/* A bridge whose snooping filters multicast, and nobody asks for memberships. */
int netlink_bridge_lacks_querier(struct netlink *netlink, int ifindex, bool *lacks);

#endif
