/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is attached to a device, for the files that attach and detach. */
#ifndef XM_DATAPLANE_INGRESS_H
#define XM_DATAPLANE_INGRESS_H

#include <linux/if_link.h>
#include <net/if.h>

#include "daemon/dataplane/dispatcher.h"
#include "daemon/dataplane/load.h"

/* What libxdp's dispatcher is, %u, whose pins are gone. */
#define ORPHAN_TEXT                                                                                \
	"an orphaned dispatcher of libxdp, id %u: the programs behind it are not pinned in "       \
	"/sys/fs/bpf/xdp (any more, or in this mount namespace), so that none can be added"

struct seen {
	uint32_t id;	  /* ours, 0: not there */
	bool native;	  /* mode of ours */
	bool dispatcher;  /* a dispatcher holds the device; with id: it runs ours */
	uint32_t foreign; /* id of a program that holds the device alone, 0: none */
	bool foreign_native;
	bool orphan; /* the foreign one is a dispatcher that nobody can change any more */
};

static inline uint32_t xdp_flags_of(bool native)
{
	return native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
}

bool slot_is_valid(const struct dataplane *dp, uint32_t slot);
/* Looks for the program of a slot on a device. -ENODEV */
int look_at(struct dataplane *dp, uint32_t slot, int ifindex, struct seen *out);
/* Is that program attached there? */
bool ingress_is_on(int ifindex, int fd);
/* Takes off what was seen as ours; `fd` is that program. */
int detach_seen(int ifindex, int fd, const struct seen *seen);
void state_of(const struct seen *seen, struct ingress_state *state);
void ingress_pin_name(uint32_t slot, char name[static PIN_NAME_MAX]);
const char *device_name(int ifindex, char name[static IF_NAMESIZE]);

#endif
