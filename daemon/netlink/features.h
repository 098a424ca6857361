/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xdp-features: what each driver can do with XDP, by the netdev family (kernel 6.3+). */
#ifndef XM_NETLINK_FEATURES_H
#define XM_NETLINK_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/netlink/genl.h"

struct features {
	struct mnl_socket *events, *requests;
	struct request request;
	struct genl_family family;
	bool known; /* false: the kernel has no such family, the sockets are NULL */
};

typedef void (*features_each)(int ifindex, uint64_t xdp_features, void *data);

/* 0 also when the kernel has no such family. features_close() also after a failure. */
int features_open(struct features *features);
void features_close(struct features *features);
int features_fd(const struct features *features); /* -1: none */
/* What was notified, at most `budget` datagrams. 1: some were lost; else as features_get(). */
int features_read(struct features *features, unsigned int budget, features_each each, void *data);
/* ifindex 0: of every device. 0, -ENODEV, -EOPNOTSUPP (family unknown), negative errno. */
int features_get(struct features *features, int ifindex, features_each each, void *data);

#endif
