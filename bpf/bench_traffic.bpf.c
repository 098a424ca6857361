// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of a measurement: the generator for live frames, and receivers that count and
 * drop. The kernel recycles live frames as they come back, with whatever was written to
 * them: so the generator writes the headers each time.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>

#define HEADER_LEN 48 /* Ethernet, IPv4, UDP, rounded up to whole words */
#define RECEIVERS  4096

/* Where generated frames go: the far end of the ingress. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} wire SEC(".maps");

/* The program under test, behind `randomize`. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} next SEC(".maps");

/* Frames by the ifindex that they arrived on. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, RECEIVERS);
} received SEC(".maps");

__u64 header[HEADER_LEN / 8];
__u64 sent;	   /* frames generated; one generator runs at a time */
__u32 until_clock; /* frames until the clock is read again */
__u32 batch = 64;
__u64 first_ns, last_ns, last_sent; /* clock at the first and at the last batch, sent by then */
__u32 first_group;		    /* randomize: IPv4 address, host order, of the first group */
__u32 group_count;

static __always_inline void clock(void)
{
	if (until_clock--)
		return;
	until_clock = batch - 1;
	last_ns = bpf_ktime_get_ns();
	last_sent = sent;
	if (!sent)
		first_ns = last_ns;
}

static __always_inline int restore(struct xdp_md *ctx)
{
	__u64 *words = (void *)(long)ctx->data;

	if ((void *)words + HEADER_LEN > (void *)(long)ctx->data_end)
		return 0;
	for (int i = 0; i < HEADER_LEN / 8; i++)
		words[i] = header[i];
	return 1;
}

SEC("xdp")
int generate(struct xdp_md *ctx)
{
	if (!restore(ctx))
		return XDP_ABORTED;
	clock();
	sent++;
	return bpf_redirect_map(&wire, 0, 0);
}

/* Another destination for each frame, then the program under test. */
SEC("xdp")
int randomize(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	__u32 n = (__u64)bpf_get_prandom_u32() * group_count >> 32, *address;

	if (data + HEADER_LEN > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	address = data + ETH_HLEN + 16;
	*address = __builtin_bswap32(first_group + n);
	sent++;
	bpf_tail_call(ctx, &next, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

/* What a real egress runs while copies go out there, if nothing else. */
SEC("xdp")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp")
int receive(struct xdp_md *ctx)
{
	__u32 i = ctx->ingress_ifindex;
	__u64 *n = bpf_map_lookup_elem(&received, &i);

	if (n)
		++*n;
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
