/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a link of the calling thread's network namespace says of itself. */
#ifndef XM_BENCH_LINKFACTS_H
#define XM_BENCH_LINKFACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct link_facts {
	bool there, up;
	uint64_t rx_packets, tx_packets;
	uint64_t tx_dropped; /* a veth counts here what the other end's ring had no room for */
};

#define NAMESPACE_TEXT_MAX 32
/* The network namespace of this thread as `ip netns` and lsns tell them apart: "net:[4026531840]".
 */
const char *network_namespace(char out[static NAMESPACE_TEXT_MAX]);

/* All zero when there is no such link. */
void link_facts(const char *name, struct link_facts *out);

/*
 * Frames that XDP gave the driver and that it took, by its own statistics; -ENOENT when tx_packets
 * says that at once. virtio_net counts there what it frees, which is when it next sends: up to a
 * ring of frames is missing (drivers/net/virtio_net.c, virtnet_xdp_xmit()).
 */
int link_xdp_transmitted(const char *name, uint64_t *frames);

/*
 * For the environment of a result: {"driver", "version", "firmware", "bus", "channels", "offloads",
 * "irq_affinity"}; what the driver does not tell is null. New reference.
 */
json_t *link_description(const char *name);
/* Switches GRO, with which a veth takes redirected frames also without a program. 0 or errno. */
int link_set_gro(const char *name, bool on);
/* The driver's name, "unknown" without one. */
void link_driver(const char *name, char *out, size_t size);

#endif
