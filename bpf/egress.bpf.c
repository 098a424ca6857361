// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The egress programs, run by the devmap for each copy: they ask the exclude maps, and in
 * generic mode, where no tracepoint tells, they count.
 */
#include "bpf/maps.h"

MAP_OF_DEVMAPS(exclude_maps);
INTERFACE_SLOT_MAPS
INTERFACE_MAPS
FLUSH_MAPS
MAP(handover, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct xm_handover, 0);

static __always_inline _Bool excluded(__u32 exclude, __u32 ifindex)
{
	if (!exclude)
		return 0;
	void *map = bpf_map_lookup_elem(&exclude_maps, &exclude);
	return map && bpf_map_lookup_elem(map, &ifindex);
}

static __always_inline struct xm_interface_counters *counters_of(__u32 ifindex)
{
	__u32 slot = slot_of_ifindex(ifindex);
	struct xm_interface_row *row = slot ? interface_row(slot) : 0;
	return row ? &row->counters : 0;
}

/* Reads what the ingress program handed over and takes it off the frame again. */
SEC("xdp/devmap")
int xmcast_egress_native(struct xdp_md *ctx)
{
	struct xm_meta *meta = (void *)(long)ctx->data_meta;

	if ((void *)(meta + 1) > (void *)(long)ctx->data || meta->magic != XM_META_MAGIC)
		return XDP_PASS;
	__u32 group = meta->group_exclude, ingress = meta->ingress_exclude;
	__u32 ifindex = ctx->egress_ifindex;
	if (excluded(group, ifindex) || excluded(ingress, ifindex)) {
		struct xm_interface_counters *c = counters_of(ifindex);
		__u64 *flush = flush_excluded_here();
		if (c)
			c->dropped[XM_REASON_EXCLUDED]++;
		if (c && flush)
			++*flush;
		return XDP_DROP;
	}
	bpf_xdp_adjust_meta(ctx, sizeof(*meta));
	return XDP_PASS;
}

SEC("xdp/devmap")
int xmcast_egress_generic(struct xdp_md *ctx)
{
	__u32 zero = 0, ifindex = ctx->egress_ifindex;
	struct xm_handover *h = bpf_map_lookup_elem(&handover, &zero);
	struct xm_interface_counters *c = counters_of(ifindex);

	if (!h)
		return XDP_PASS;
	h->done++;
	if (excluded(h->group_exclude, ifindex) || excluded(h->ingress_exclude, ifindex)) {
		if (c)
			c->dropped[XM_REASON_EXCLUDED]++;
		return XDP_DROP;
	}
	if (c)
		c->transmitted++;
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
