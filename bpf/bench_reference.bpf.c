// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The least that a program can do for the same outcome: what xmcast is measured against.
 * redirect_map and redirect_map_multi are what the kernel's own samples had; one_lookup
 * finds the group's key by one hash lookup first.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <bpf/bpf_helpers.h>

#include "bpf/xmcast.h"

/* The one destination of redirect_map and one_lookup. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} target SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__type(key, __u32);
	__uint(value_size, sizeof(struct bpf_devmap_val));
	__uint(max_entries, 32);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__type(key, __u32);
	__uint(value_size, sizeof(struct bpf_devmap_val));
	__uint(max_entries, 1);
} excludes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, struct xm_group_key);
	__type(value, __u32);
	__uint(max_entries, 1);
} groups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 1);
} seen SEC(".maps");

const volatile _Bool count_seen = 1; /* count frames, as the kernel's samples did */

static __always_inline void count(void)
{
	__u32 zero = 0;
	__u64 *n = count_seen ? bpf_map_lookup_elem(&seen, &zero) : 0;

	if (n)
		++*n;
}

SEC("xdp")
int redirect_map(struct xdp_md *ctx)
{
	count();
	return bpf_redirect_map(&target, 0, 0);
}

SEC("xdp")
int redirect_map_multi(struct xdp_md *ctx)
{
	count();
	return bpf_redirect_map(&targets, 0, BPF_F_BROADCAST);
}

/* Per copy: not to those in the exclude map. */
SEC("xdp/devmap")
int ask_excludes(struct xdp_md *ctx)
{
	__u32 ifindex = ctx->egress_ifindex;

	return bpf_map_lookup_elem(&excludes, &ifindex) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int one_lookup(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *ethernet = data;
	struct iphdr *ip = (void *)(ethernet + 1);
	struct xm_group_key key = {.ingress = 1};

	if ((void *)(ip + 1) > end || ethernet->h_proto != __builtin_bswap16(ETH_P_IP))
		return XDP_PASS;
	key.address.byte[10] = key.address.byte[11] = 0xff;
	key.address.word[3] = ip->daddr;
	if (!bpf_map_lookup_elem(&groups, &key))
		return XDP_PASS;
	count();
	return bpf_redirect_map(&target, 0, 0);
}

char _license[] SEC("license") = "GPL";
