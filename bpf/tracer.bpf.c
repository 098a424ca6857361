// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracing. The ingress program as it is, compiled into another one that tells of each frame what
 * it decided, and tracepoint programs that tell what became of the copies. They are loaded and
 * attached only while somebody traces: the ordinary program pays nothing.
 *
 * What a frame comes to is not worked out a second time: the program's own counters are read
 * before and after it.
 */
#include <linux/bpf.h>

#include "bpf/ingress.bpf.c"

#include "bpf/redirect.h"
#include "bpf/tracer.h"

INTERFACE_SLOT_MAPS
MAP(trace_filter, BPF_MAP_TYPE_ARRAY, 1, __u32, struct xm_trace_filter, 0);
MAP(trace_cpus, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct xm_trace_cpu, 0);
MAP(trace_egresses, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct xm_trace_egress, 0);
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} trace_ring SEC(".maps");

static __always_inline struct xm_trace_filter *active_filter(void)
{
	__u32 zero = 0;
	struct xm_trace_filter *filter = bpf_map_lookup_elem(&trace_filter, &zero);
	return filter && bpf_ktime_get_ns() < filter->deadline ? filter : 0;
}

static __always_inline struct xm_trace_cpu *this_cpu(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&trace_cpus, &zero);
}

/*
 * Before the program runs: what the frame is, what it will match, and the counters. Global, as is
 * note_after(), so that the verifier looks at each by itself; and whether anything is noted stands
 * in the map, for in a register it would make the verifier go through the program twice, which is
 * too much for that of Linux 6.1.
 */
__noinline int note_before(struct xdp_md *ctx)
{
	struct xm_interface_row *row = interface_row(slot);
	struct xm_trace_cpu *cpu = this_cpu();
	struct frame f = {};
	struct match m = {};

	if (!row || !cpu)
		return 0;
	struct xm_trace_frame *t = &cpu->frame;
	cpu->noted = 0;
	if (!active_filter())
		return 0;
	__u64 ingress = *(volatile __u64 *)&row->word;
	if (xm_ingress_generation(ingress) != generation)
		return 0;
	__builtin_memset(t, 0, sizeof(*t));
	t->type = XM_TRACE_FRAME;
	t->cpu = bpf_get_smp_processor_id();
	t->ingress_word = ingress;
	t->slot = slot;
	t->size = frame_length(ctx);
	t->parsed = !parse(ctx, &f);
	f.key.ingress = slot;
	t->key = f.key;
	t->source = f.source;
	t->protocol = f.protocol;
	t->needed = needed_mtu(&f, t->size);
	if (t->parsed && match(&f, xm_ingress_flags(ingress), &m)) {
		t->word = m.word;
		t->group = xm_entry_group(m.word);
	}
	cpu->copies = row->counters.copies;
	cpu->too_big = row->counters.dropped[XM_REASON_TOO_BIG];
	cpu->no_egress = row->counters.dropped[XM_REASON_NO_EGRESS];
	cpu->no_metadata = row->counters.dropped[XM_REASON_NO_METADATA];
	cpu->noted = 1;
	return 0;
}

static __always_inline _Bool is_wanted(struct xm_trace_filter *filter, struct xm_trace_frame *t)
{
	if (filter->unmatched && (t->group || t->protocol == XM_PROTOCOL_UNICAST ||
				  t->protocol == XM_PROTOCOL_BROADCAST))
		return 0;
	for (int i = 0; i < 4; i++)
		if ((t->key.address.word[i] & filter->mask.word[i]) != filter->value.word[i])
			return 0;
	return filter->budget > 0 && __sync_fetch_and_add(&filter->budget, -1) > 0;
}

/* Counts what is redirected; frames with the same members in a row are a run. */
static __always_inline void note_redirect(struct xm_trace_cpu *cpu)
{
	struct xm_trace_frame *t = &cpu->frame;
	__u64 members = (__u64)xm_entry_set(t->word) << 32 | slot << 16 | (t->due - t->too_big);

	cpu->order++;
	if (members != cpu->members) {
		cpu->members = members;
		cpu->run = cpu->order;
	}
	cpu->redirecting = 1;
}

/* After it: what it did, by what its counters moved. */
__noinline int note_after(int verdict)
{
	struct xm_interface_row *row = interface_row(slot);
	struct xm_trace_filter *filter = active_filter();
	struct xm_trace_cpu *cpu = this_cpu();

	if (!row || !cpu || !filter || !cpu->noted)
		return 0;
	struct xm_trace_frame *t = &cpu->frame;
	t->verdict = verdict;
	t->due = row->counters.copies - cpu->copies;
	t->too_big = row->counters.dropped[XM_REASON_TOO_BIG] - cpu->too_big;
	t->reason = row->counters.dropped[XM_REASON_NO_EGRESS] != cpu->no_egress
			? XM_REASON_NO_EGRESS
		    : row->counters.dropped[XM_REASON_NO_METADATA] != cpu->no_metadata
			? XM_REASON_NO_METADATA
			: XM_REASON_NONE;
	cpu->traced = 0;
	if (verdict == XDP_REDIRECT)
		note_redirect(cpu);
	if (!is_wanted(filter, t))
		return 0;
	t->order = cpu->order;
	bpf_ringbuf_output(&trace_ring, t, sizeof(*t), 0);
	if (verdict == XDP_REDIRECT) {
		cpu->traced = 1;
		cpu->last_traced = cpu->order;
	}
	return 0;
}

static __always_inline int receive_noted(struct xdp_md *ctx, const _Bool metadata)
{
	note_before(ctx);
	int verdict = receive(ctx, metadata);

	note_after(verdict);
	return verdict;
}

SEC("xdp")
int xmcast_ingress_traced(struct xdp_md *ctx)
{
	return receive_noted(ctx, 1);
}

SEC("xdp")
int xmcast_ingress_fold_traced(struct xdp_md *ctx)
{
	return receive_noted(ctx, 0);
}

/* A device that we receive on, in our network namespace. */
static __always_inline _Bool is_ours(const struct net_device *device)
{
	struct xm_trace_filter *filter = active_filter();
	__u32 of = slot_of_ifindex(device->ifindex);
	struct xm_interface_row *row = of ? interface_row(of) : 0;

	return filter && row && row->word && device->nd_net.net->net_cookie == filter->netns_cookie;
}

static __always_inline void end_of_redirect(const struct net_device *device, int error, __u32 only)
{
	struct xm_trace_cpu *cpu = this_cpu();
	__u32 zero = 0;

	if (!cpu || !cpu->redirecting || !is_ours(device))
		return;
	cpu->redirecting = 0;
	__u32 generic = xm_ingress_flags(cpu->frame.ingress_word) & XM_INGRESS_GENERIC;
	if (!cpu->traced || (!error && !generic))
		return;
	struct xm_handover *h = bpf_map_lookup_elem(&handover, &zero);
	struct xm_trace_result result = {.type = XM_TRACE_RESULT,
					 .cpu = bpf_get_smp_processor_id(),
					 .order = cpu->order,
					 .failed = error != 0,
					 .reason = reason_of(error),
					 .done = h ? h->done : 0,
					 .generic = generic != 0,
					 .only = only};
	bpf_ringbuf_output(&trace_ring, &result, sizeof(result), 0);
}

SEC("tp_btf/xdp_redirect")
int BPF_PROG(xmcast_traced_redirect, const struct net_device *device)
{
	end_of_redirect(device, 0, 0);
	return 0;
}

SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(xmcast_traced_error, const struct net_device *device, const void *program,
	     const void *target, int error, int map_type, __u32 map_id, __u32 index)
{
	end_of_redirect(device, error, index == NO_KEY ? 0 : index);
	return 0;
}

/*
 * The bulk queue of a device is full, before the frame that is being redirected joins it, or the
 * poll of the ingress ends.
 */
SEC("tp_btf/xdp_devmap_xmit")
int BPF_PROG(xmcast_traced_xmit, const struct net_device *from, const struct net_device *to,
	     int sent, int drops, int error)
{
	__u32 egress = slot_of_ifindex(to->ifindex);
	struct xm_trace_egress *e = bpf_map_lookup_elem(&trace_egresses, &egress);
	struct xm_interface_row *row = egress ? interface_row(egress) : 0;
	struct xm_trace_cpu *cpu = this_cpu();

	if (!e || !row || !cpu || !is_ours(from))
		return 0;
	__u64 order = cpu->order - (cpu->redirecting ? 1 : 0);
	__u64 excluded = row->counters.dropped[XM_REASON_EXCLUDED];
	struct xm_trace_flush flush = {.type = XM_TRACE_FLUSH,
				       .cpu = bpf_get_smp_processor_id(),
				       .order = order,
				       .run = cpu->run,
				       .ifindex = to->ifindex,
				       .excluded = excluded - e->excluded,
				       .sent = sent,
				       .drops = drops,
				       .reason = reason_of(error)};
	e->excluded = excluded;
	if (cpu->last_traced <= e->told)
		return 0;
	e->told = order;
	bpf_ringbuf_output(&trace_ring, &flush, sizeof(flush), 0);
	return 0;
}
