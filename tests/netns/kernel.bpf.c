// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A VLAN for ordinary sockets where the kernel has no VLAN interfaces: `push` on the
 * sender's egress, `pop` on the receiver's ingress, with tc. The tag travels as it does below
 * a VLAN interface: in the packet's metadata, until a driver wants it in the frame. And XDP
 * programs: `xdp_pass` gives a veth NAPI, and stands for a foreign one; `xdp_slow` keeps a receiver
 * from emptying its ring; `xdp_cramped` sends frames back without room in front of them, as an
 * encapsulating program before ours may leave them.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define VLAN 100

SEC("push")
int vlan_push(struct __sk_buff *skb)
{
	return bpf_skb_vlan_push(skb, bpf_htons(ETH_P_8021Q), VLAN) ? TC_ACT_SHOT : TC_ACT_OK;
}

/* What carries another tag or none is not for this host. */
SEC("pop")
int vlan_pop(struct __sk_buff *skb)
{
	if (!skb->vlan_present || (skb->vlan_tci & 0xfff) != VLAN)
		return TC_ACT_SHOT;
	return bpf_skb_vlan_pop(skb) ? TC_ACT_SHOT : TC_ACT_OK;
}

SEC("xdp")
int xdp_pass(struct xdp_md *xdp)
{
	(void)xdp;
	return XDP_PASS;
}

#define SLOW 2000000 /* ns a frame */

static long is_over(__u32 i, void *until)
{
	(void)i;
	return bpf_ktime_get_ns() >= *(__u64 *)until;
}

SEC("slow")
int xdp_slow(struct xdp_md *xdp)
{
	__u64 until = bpf_ktime_get_ns() + SLOW;

	(void)xdp;
	bpf_loop(1 << 20, is_over, &until, 0);
	return XDP_PASS;
}

#define MOVED 60 /* bytes that go to the front, the whole of a small frame */

SEC("cramped")
int xdp_cramped(struct xdp_md *xdp)
{
	__u8 bytes[MOVED];

	if (bpf_xdp_load_bytes(xdp, 0, bytes, sizeof(bytes)))
		return XDP_DROP;
	for (int room = 256; room > 0; room -= 4)
		if (!bpf_xdp_adjust_head(xdp, -room))
			break;
	bpf_xdp_store_bytes(xdp, 0, bytes, sizeof(bytes));
	return XDP_TX;
}

char _license[] SEC("license") = "GPL";
