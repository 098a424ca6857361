// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loaded by turn.c between the tracepoint programs of a directory and those of the next: passes the
 * turn on to the next in the middle of an event.
 */
#include "bpf/redirect.h"

MAP(counting, BPF_MAP_TYPE_ARRAY, XM_COUNTING, __u32, __u64, BPF_F_MMAPABLE);

const volatile __u64 netns_cookie, serial; /* of the next directory */
const volatile __u32 ifindex;		   /* whose turn it is that is passed on */

static __always_inline int pass_on(const struct net_device *device)
{
	__u32 index = ifindex % XM_COUNTING;
	volatile __u64 *turn = bpf_map_lookup_elem(&counting, &index);

	if (turn && (__u32)device->ifindex == ifindex &&
	    device->nd_net.net->net_cookie == netns_cookie)
		*turn = serial;
	return 0;
}

SEC("tp_btf/xdp_devmap_xmit")
int BPF_PROG(turn_xmit, const struct net_device *from)
{
	return pass_on(from);
}

SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(turn_redirect_error, const struct net_device *device)
{
	return pass_on(device);
}

char _license[] SEC("license") = "GPL";
