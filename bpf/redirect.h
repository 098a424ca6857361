/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tracepoint programs share: the few kernel fields they read, and errnos as reasons. */
#ifndef XMCAST_REDIRECT_H
#define XMCAST_REDIRECT_H

#include "bpf/maps.h"
#include <bpf/bpf_tracing.h>

#include <asm-generic/errno.h>

/* Relocated to the running kernel (CO-RE). */
struct net {
	__u64 net_cookie;
} __attribute__((preserve_access_index));
typedef struct {
	struct net *net;
} possible_net_t;
struct net_device {
	int ifindex;
	possible_net_t nd_net;
} __attribute__((preserve_access_index));

static __always_inline __u32 reason_of(int error)
{
	switch (-error) {
	case 0:
	case ENOSPC:
	case EBUSY:
		return XM_REASON_QUEUE_FULL;
	case 6: /* ENXIO */
		return XM_REASON_NO_RECEIVER;
	case ENETDOWN:
		return XM_REASON_LINK_DOWN;
	case EMSGSIZE:
		return XM_REASON_TOO_BIG;
	case 12: /* ENOMEM */
		return XM_REASON_NO_MEMORY;
	case EOPNOTSUPP:
		return XM_REASON_NOT_SUPPORTED;
	}
	return XM_REASON_DRIVER_ERROR;
}

#endif
