// SPDX-License-Identifier: GPL-2.0-or-later
/* Tracepoints of the kernel's redirect path: what was sent, what was dropped, and why. */
#include "bpf/redirect.h"

INTERFACE_SLOT_MAPS
INTERFACE_MAPS
FLUSH_MAPS
MAP(handover, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct xm_handover, 0);
MAP(counting, BPF_MAP_TYPE_ARRAY, XM_COUNTING, __u32, __u64, BPF_F_MMAPABLE);
MAP(counted, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct xm_counted, 0);

const volatile __u64 netns_cookie; /* the daemon's network namespace */
const volatile __u64 serial;	   /* of the pin directory that these programs belong to */

/* While one set of programs takes over from another, exactly one counts. */
static __always_inline _Bool my_turn(__u32 ifindex)
{
	__u32 index = ifindex % XM_COUNTING;
	__u64 *turn = bpf_map_lookup_elem(&counting, &index);
	return turn && *(volatile __u64 *)turn == serial;
}

/*
 * The turn may pass on between an older program and ours on the same event, which both would count.
 * A tracepoint calls its programs one after another on one CPU, first registered first
 * (kernel/tracepoint.c: func_add puts equal priority behind): those of older directories before
 * us, at every event. Whichever of them counts leaves its serial here, and we leave none below
 * ours, whatever the event: so what is below ours when we run is of this event.
 */
static __always_inline _Bool older_counted(volatile __u64 *by)
{
	__u64 last = *by;
	if (!last || last >= serial)
		return 0;
	*by = serial; /* for those behind us */
	return 1;
}

static __always_inline struct xm_counted *counted_here(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&counted, &zero);
}

/* The row of the device that we receive on, 0 when we do not: programs of others redirect, too. */
static __always_inline struct xm_interface_row *ingress_row(const struct net_device *device)
{
	__u32 slot = slot_of_ifindex(device->ifindex);
	struct xm_interface_row *row = slot ? interface_row(slot) : 0;

	if (!row || !row->word || device->nd_net.net->net_cookie != netns_cookie)
		return 0;
	return row;
}

/*
 * What the egress programs, which have counted it themselves, refused of this flush: by either of
 * two directories, whoever counts (kernel/bpf/devmap.c: bq_xmit_all runs them and then the
 * tracepoint in one go). They are among the drops, whosever flush it is.
 */
static __always_inline int take_excluded(void)
{
	__u64 *flush = flush_excluded_here();
	if (!flush)
		return 0;
	int excluded = *flush;
	*flush = 0;
	return excluded;
}

/* Native: once per flush of a device's bulk queue (kernel/bpf/devmap.c: bq_xmit_all). */
SEC("tp_btf/xdp_devmap_xmit")
int BPF_PROG(xmcast_xmit, const struct net_device *from, const struct net_device *to, int sent,
	     int drops, int error)
{
	struct xm_counted *by = counted_here();
	if (!by || older_counted(&by->xmit))
		return 0;
	/* first: who takes the turn zeroes the older word after that, so none means not our turn */
	struct xm_interface_row *in = ingress_row(from);
	if (!my_turn(from->ifindex))
		return 0;
	if (drops)
		drops -= take_excluded();
	__u32 slot = slot_of_ifindex(to->ifindex);
	struct xm_interface_row *row = slot ? interface_row(slot) : 0;
	if (!row || !in)
		return 0;
	struct xm_interface_counters *c = &row->counters;
	by->xmit = serial;
	c->transmitted += sent;
	__u32 reason = reason_of(error);
	if (drops > 0 && reason < XM_REASONS_COUNTED)
		c->dropped[reason] += drops;
	return 0;
}

/*
 * A redirect failed. In generic mode the kernel stops at the first bad member: all copies
 * that the egress program has not seen are lost with it. In native mode the only copy of
 * a unicast is lost; of a broadcast that ran out of memory, the copy that had none and the frame
 * itself, which the last member would have got. How many lie between nobody tells.
 */
SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(xmcast_redirect_error, const struct net_device *device, const void *program,
	     const void *target, int error, int map_type, __u32 map_id, __u32 index)
{
	__u32 zero = 0, lost = index == 0xffffffff ? 2 : 1;
	struct xm_counted *by = counted_here();
	if (!by || older_counted(&by->redirect_error) || !my_turn(device->ifindex))
		return 0;
	struct xm_interface_row *row = ingress_row(device);
	if (!row)
		return 0;
	struct xm_handover *h = bpf_map_lookup_elem(&handover, &zero);
	if (h && xm_ingress_flags(row->word) & XM_INGRESS_GENERIC) {
		if (h->ingress != slot_of_ifindex(device->ifindex))
			return 0;
		/* a member that joins is in the map before it is due */
		lost = h->done < h->due ? h->due - h->done : 0;
	}
	by->redirect_error = serial;
	__u32 reason = reason_of(error);
	if (reason < XM_REASONS_COUNTED)
		row->counters.dropped[reason] += lost;
	return 0;
}

char _license[] SEC("license") = "GPL";
