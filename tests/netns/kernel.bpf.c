// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A VLAN for ordinary sockets where the kernel has no VLAN interfaces: `push` on the
 * sender's egress, `pop` on the receiver's ingress, with tc. The tag travels as it does below
 * a VLAN interface: in the packet's metadata, until a driver wants it in the frame. And an XDP
 * program that passes everything, which gives a veth NAPI, and stands for a foreign one.
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

char _license[] SEC("license") = "GPL";
