/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From bytes to what is matched: VLAN, addresses, protocol. Reads the frame, changes nothing. */
#ifndef XMCAST_PARSE_H
#define XMCAST_PARSE_H

#include <linux/bpf.h>
#include <linux/icmpv6.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "bpf/xmcast.h"

#define XM_EXTENSION_HEADERS 8 /* IPv6 headers walked; longer chains match by address */

struct frame {
	struct xm_group_key key;
	struct xm_address source;
	__u32 ip;      /* offset of the IP header */
	__u32 udp;     /* offset of a UDP header that is not in a fragment; 0: none */
	__u8 protocol; /* what it is when no group matches, enum xm_protocol */
	__u8 control;  /* may only match groups of the control range */
	__u8 ipv4, ipv6;
};

struct vlan_header {
	__be16 tci, proto;
};

/* A header of `size` bytes at `offset` of the frame, or NULL when it is cut short. */
#define HEADER(ctx, offset, type)                                                                  \
	({                                                                                         \
		void *_start = (void *)(long)(ctx)->data + (offset);                               \
		(_start + sizeof(type) > (void *)(long)(ctx)->data_end) ? (type *)0                \
									: (type *)_start;          \
	})

/* Skips up to two tags; a VID of 0 is no tag (802.1Q priority tag). Returns the EtherType, -1 cut
 * short. */
static __always_inline int parse_vlan(struct xdp_md *ctx, __be16 proto, struct frame *f,
				      __u32 *offset)
{
	f->key.vlan = 0;
	for (int i = 0; i < 2; i++) {
		if (proto != bpf_htons(ETH_P_8021Q) && proto != bpf_htons(ETH_P_8021AD))
			break;
		struct vlan_header *tag = HEADER(ctx, *offset, struct vlan_header);
		if (!tag)
			return -1;
		__u32 vid = bpf_ntohs(tag->tci) & 0xfff;
		if (vid)
			f->key.vlan = f->key.vlan << 16 | vid;
		proto = tag->proto;
		*offset += sizeof(*tag);
	}
	return proto;
}

/*
 * Finds ICMPv6 or UDP behind extension headers (RFC 8200, 4.1). Of fragments only the first
 * has headers behind it; its UDP checksum is of the whole datagram and left alone.
 */
static __always_inline void parse_ipv6_extensions(struct xdp_md *ctx, struct frame *f, __u8 next,
						  __u32 offset)
{
	_Bool fragment = 0;

	for (int i = 0; i < XM_EXTENSION_HEADERS; i++) {
		__u8 header[8];
		if (next != IPPROTO_HOPOPTS && next != IPPROTO_ROUTING && next != IPPROTO_DSTOPTS &&
		    next != IPPROTO_FRAGMENT && next != IPPROTO_AH)
			break;
		if (bpf_xdp_load_bytes(ctx, offset, header, sizeof(header)))
			return;
		if (next == IPPROTO_FRAGMENT) {
			if (header[2] | (header[3] & 0xf8))
				return;
			fragment = 1;
			header[1] = 0; /* reserved, not a length */
		}
		offset += next == IPPROTO_AH ? (header[1] + 2) * 4 : (header[1] + 1) * 8;
		next = header[0];
	}
	if (next == IPPROTO_UDP && !fragment)
		f->udp = offset;
	if (next != IPPROTO_ICMPV6)
		return;
	__u8 type;
	if (bpf_xdp_load_bytes(ctx, offset, &type, 1))
		return;
	if ((type >= ICMPV6_MGM_QUERY && type <= ICMPV6_MGM_REDUCTION) || type == 143) {
		f->protocol = XM_PROTOCOL_MLD; /* RFC 2710; 143 is MLDv2's report, RFC 3810 */
		f->control = 1;
	}
}

static __always_inline int parse_ipv6(struct xdp_md *ctx, struct frame *f)
{
	struct ipv6hdr *ip = HEADER(ctx, f->ip, struct ipv6hdr);
	if (!ip || ip->version != 6)
		return -1;
	__builtin_memcpy(&f->key.address, &ip->daddr, 16);
	__builtin_memcpy(&f->source, &ip->saddr, 16);
	f->ipv6 = 1;
	f->protocol = XM_PROTOCOL_IPV6;
	/* not multicast: ::ffff:239.1.1.1 is no IPv4 group, nor is ::fffe:11b:1900:0 a MAC */
	if (ip->daddr.s6_addr[0] != 0xff)
		return -1;
	if (ip->daddr.s6_addr[1] == 0x02) { /* link-local scope */
		f->protocol = XM_PROTOCOL_CONTROL;
		f->control = 1;
	}
	__u8 next = ip->nexthdr;
	if (next == IPPROTO_UDP)
		f->udp = f->ip + sizeof(*ip);
	else
		parse_ipv6_extensions(ctx, f, next, f->ip + sizeof(*ip));
	return 0;
}

static __always_inline void set_ipv4(struct xm_address *a, __be32 address)
{
	a->word[0] = a->word[1] = 0;
	a->word[2] = bpf_htonl(0xffff);
	a->word[3] = address;
}

static __always_inline int parse_ipv4(struct xdp_md *ctx, struct frame *f)
{
	struct iphdr *ip = HEADER(ctx, f->ip, struct iphdr);
	if (!ip || ip->version != 4 || ip->ihl < 5)
		return -1;
	__u32 length = ip->ihl * 4;
	if ((void *)ip + length > (void *)(long)ctx->data_end)
		return -1;
	set_ipv4(&f->key.address, ip->daddr);
	set_ipv4(&f->source, ip->saddr);
	f->ipv4 = 1;
	f->protocol = XM_PROTOCOL_IPV4;
	if ((ip->daddr & bpf_htonl(0xf0000000)) != bpf_htonl(0xe0000000))
		return -1;
	if ((ip->daddr & bpf_htonl(0xffffff00)) == bpf_htonl(0xe0000000)) {
		f->protocol = XM_PROTOCOL_CONTROL;
		f->control = 1;
	}
	if (ip->protocol == IPPROTO_IGMP) {
		f->protocol = XM_PROTOCOL_IGMP;
		f->control = 1;
	} else if (ip->protocol == IPPROTO_UDP && !(ip->frag_off & bpf_htons(0x3fff))) {
		f->udp = f->ip + length;
	}
	return 0;
}

static __always_inline void parse_mac(struct ethhdr *eth, struct frame *f)
{
	f->key.address.word[0] = f->key.address.word[1] = 0;
	f->key.address.byte[8] = 0xff;
	f->key.address.byte[9] = 0xfe;
	__builtin_memcpy(&f->key.address.byte[10], eth->h_dest, ETH_ALEN);
	__builtin_memset(&f->source, 0, sizeof(f->source));
	f->protocol = XM_PROTOCOL_MAC;
	/* 01:80:c2:00:00:0X, IEEE 802.1Q table 8-1 */
	if (eth->h_dest[0] == 0x01 && eth->h_dest[1] == 0x80 && eth->h_dest[2] == 0xc2 &&
	    !(eth->h_dest[3] | eth->h_dest[4] | (eth->h_dest[5] & 0xf0))) {
		f->protocol = XM_PROTOCOL_CONTROL;
		f->control = 1;
	}
}

/*
 * Fills *f. Returns 0 when a group may match, -1 when none can; f->protocol says what
 * to count then.
 */
static __always_inline int parse(struct xdp_md *ctx, struct frame *f)
{
	struct ethhdr *eth = HEADER(ctx, 0, struct ethhdr);
	__u32 offset = sizeof(*eth);

	f->protocol = XM_PROTOCOL_MALFORMED;
	f->udp = f->control = f->ipv4 = f->ipv6 = 0;
	if (!eth)
		return -1;
	if (!(eth->h_dest[0] & 1)) {
		f->protocol = XM_PROTOCOL_UNICAST;
		return -1;
	}
	if ((eth->h_dest[0] & eth->h_dest[1] & eth->h_dest[2] & eth->h_dest[3] & eth->h_dest[4] &
	     eth->h_dest[5]) == 0xff) {
		f->protocol = XM_PROTOCOL_BROADCAST;
		return -1;
	}
	int proto = parse_vlan(ctx, eth->h_proto, f, &offset);
	if (proto < 0)
		return -1;
	f->ip = offset;
	if (proto == bpf_htons(ETH_P_IP))
		return parse_ipv4(ctx, f);
	if (proto == bpf_htons(ETH_P_IPV6))
		return parse_ipv6(ctx, f);
	parse_mac(eth, f);
	return 0;
}

#endif
