// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ingress program: parse, match, count, redirect to the set. One instance is loaded
 * for each ingress, specialised by the constants below.
 */
#include "bpf/checksum.h"
#include "bpf/match.h"

MAP(sets, BPF_MAP_TYPE_ARRAY, 1, __u32, __u64, BPF_F_MMAPABLE);
MAP_OF_DEVMAPS(set_maps);
DEVMAP(unicast_native);
DEVMAP(unicast_generic);
MAP(slot_too_big, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, __u64, 0);
INTERFACE_MAPS
MAP(handover, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct xm_handover, 0);

const volatile __u32 slot;	       /* interface slot of this ingress */
const volatile __u32 generation;       /* counts only while the ingress word has the same */
const volatile _Bool native;	       /* attached in native mode */
const volatile _Bool finish_checksums; /* the device's peers leave UDP checksums unfinished */

#define KERNEL_OVERHEAD (ETH_HLEN + 4) /* above MTU + this the kernel itself drops a copy */
#define NO_KEY		0xffffffff     /* a broadcast looks its key up, too: one that no set has */

static __always_inline __u64 word_of(void *map, __u32 index)
{
	__u64 *word = bpf_map_lookup_elem(map, &index);
	return word ? *(volatile __u64 *)word : 0;
}

static __always_inline void count_too_big(__u64 set)
{
	__u32 index = xm_set_slot(set);
	__u64 *count = bpf_map_lookup_elem(&slot_too_big, &index);
	if (count)
		++*count;
}

/* The set of members whose MTU is at least `mtu`; *lost gets how many are left out. */
static __always_inline __u64 fit(__u64 set, __u32 mtu, __u32 *lost)
{
	for (int i = 0; i < XM_MTU_LEVELS; i++) {
		if (mtu <= xm_set_mtu(set) || !xm_set_ready(set))
			return set;
		count_too_big(set);
		__u64 next = xm_set_next(set) ? word_of(&sets, xm_set_next(set)) : 0;
		*lost += xm_set_ready(set) - xm_set_ready(next);
		set = next;
	}
	return 0;
}

/* The map is a constant to the verifier, which then calls straight into it. */
#define REDIRECT(map, key, flags)                                                                  \
	({                                                                                         \
		long _verdict = bpf_redirect_map(map, key, flags);                                 \
		asm volatile("" : "+r"(_verdict)); /* keeps clang from merging two calls */        \
		_verdict;                                                                          \
	})

/* One ready member: by its interface slot, without a walk; more: by the set's own devmap. */
static __always_inline int redirect(__u64 set)
{
	if (xm_set_ready(set) == 1) {
		if (native)
			return REDIRECT(&unicast_native, xm_set_only(set), XDP_DROP);
		return REDIRECT(&unicast_generic, xm_set_only(set), XDP_DROP);
	}
	__u32 index = xm_set_slot(set);
	void *map = bpf_map_lookup_elem(&set_maps, &index);
	return map ? REDIRECT(map, NO_KEY, BPF_F_BROADCAST | XDP_DROP) : XDP_DROP;
}

/*
 * Tells the egress program which exclude maps to ask. False: there is no metadata to tell it by, of
 * the driver or of this instance.
 */
static __always_inline _Bool hand_over(struct xdp_md *ctx, __u64 entry, __u64 ingress, __u32 due,
				       const _Bool metadata)
{
	__u32 group_exclude = xm_entry_exclude(entry),
	      ingress_exclude = xm_ingress_exclude(ingress);
	__u32 zero = 0;

	if (!native) {
		struct xm_handover *h = bpf_map_lookup_elem(&handover, &zero);
		if (h)
			*h = (struct xm_handover){.due = due,
						  .group_exclude = group_exclude,
						  .ingress_exclude = ingress_exclude,
						  .ingress = slot};
		return 1;
	}
	if (!(xm_ingress_flags(ingress) & XM_INGRESS_LOOKUP) || !(group_exclude | ingress_exclude))
		return 1;
	if (!metadata || bpf_xdp_adjust_meta(ctx, -(int)sizeof(struct xm_meta)))
		return 0;
	struct xm_meta *meta = (void *)(long)ctx->data_meta;
	if ((void *)(meta + 1) > (void *)(long)ctx->data)
		return 0;
	meta->magic = XM_META_MAGIC;
	meta->group_exclude = group_exclude;
	meta->ingress_exclude = ingress_exclude;
	return 1;
}

static __always_inline __u32 frame_length(const struct xdp_md *ctx)
{
	__u64 length = (__u64)ctx->data_end - ctx->data;
	asm volatile("" : "+r"(length)); /* else clang 14 spills half a packet pointer */
	return length;
}

/* What the frame needs of an egress MTU: its packet, and what the kernel checks besides. */
static __always_inline __u32 needed_mtu(const struct frame *f, __u32 length)
{
	return length - (f->ip < KERNEL_OVERHEAD ? f->ip : KERNEL_OVERHEAD);
}

/* A frame of the group in `m`: counts it, and redirects it to those who can take it. */
static __always_inline int copy(struct xdp_md *ctx, const struct frame *f, const struct match *m,
				__u64 ingress, struct xm_interface_counters *c,
				const _Bool metadata)
{
	__u32 group = xm_entry_group(m->word), length = frame_length(ctx), lost = 0;
	__u64 whole = word_of(&sets, xm_entry_set(m->word));
	__u64 set = fit(whole, needed_mtu(f, length), &lost);
	__u32 due = xm_set_ready(whole), left = xm_set_ready(set);
	/* entries that were copied from a shorter prefix count at the group's own */
	struct xm_entry_row *row = group == m->entry ? m->row : entry_row(group);
	int verdict = XDP_DROP;

	if (row) {
		row->counters.frames++;
		row->counters.bytes += length;
	}
	if (left) {
		if (!hand_over(ctx, m->word, ingress, left, metadata)) {
			c->dropped[XM_REASON_NO_METADATA]++;
			return XDP_DROP;
		}
		verdict = redirect(set);
		if (verdict != XDP_REDIRECT) /* the member left between two loads */
			due = lost;
	}
	if (!due) {
		c->dropped[XM_REASON_NO_EGRESS]++;
		return XDP_DROP;
	}
	c->matched++;
	c->copies += due;
	if (lost)
		c->dropped[XM_REASON_TOO_BIG] += lost;
	if (row)
		row->counters.copies += due;
	return verdict;
}

static __always_inline int receive(struct xdp_md *ctx, const _Bool metadata)
{
	struct xm_interface_row *row = interface_row(slot);
	if (!row)
		return XDP_PASS;
	__u64 ingress = *(volatile __u64 *)&row->word;
	if (xm_ingress_generation(ingress) != generation)
		return XDP_PASS;
	struct xm_interface_counters *c = &row->counters;
	struct frame f;
	struct match m;

	c->received++;
	_Bool found = 0;
	if (!parse(ctx, &f)) {
		f.key.ingress = slot;
		found = match(&f, xm_ingress_flags(ingress), &m);
	}
	if (!found) {
		if (f.protocol < XM_PROTOCOLS)
			c->unmatched[f.protocol]++;
		return XDP_PASS;
	}
	if (native && finish_checksums)
		finish_checksum(ctx, &f);
	return copy(ctx, &f, &m, ingress, c, metadata);
}

SEC("xdp")
int xmcast_ingress(struct xdp_md *ctx)
{
	return receive(ctx, 1);
}

/*
 * For libxdp's dispatcher on 6.12.y and newer: there an extension that calls what may change packet
 * data can replace only a function that does, and none of libxdp's does (up to 1.5).
 */
SEC("xdp")
int xmcast_ingress_fold(struct xdp_md *ctx)
{
	return receive(ctx, 0);
}

char _license[] SEC("license") = "GPL";
