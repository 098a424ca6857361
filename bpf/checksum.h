/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finishes UDP checksums that the sender left to hardware which is not there.
 *
 * A socket behind a veth leaves the checksum field holding the folded sum of the pseudo
 * header (CHECKSUM_PARTIAL). A native redirect forgets that mark, and receivers drop the
 * datagram. The state is recognisable: field == folded pseudo-header sum. One complete
 * checksum in 65536 looks alike; finishing it again is harmless: IPv4 may send 0, "no checksum"
 * (RFC 768), and for IPv6 the sum is computed in full.
 */
#ifndef XMCAST_CHECKSUM_H
#define XMCAST_CHECKSUM_H

#include <linux/udp.h>

#include "bpf/parse.h"

#define CHECKSUM_STEPS 256 /* of 16 bytes: more than a native frame without frags holds */

static __always_inline __u16 fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/*
 * Sum of the frame's bytes start..start+length as the Internet checksum adds them (RFC 1071). Not
 * static: so the verifier walks the loops once, and not for each path that leads here.
 */
__noinline __u64 sum_bytes(struct xdp_md *ctx, __u32 start, __u32 length)
{
	__u64 sum = 0;
	if (start > 512)
		return 0;
	void *p = (void *)(long)ctx->data + start, *end = (void *)(long)ctx->data_end;

	for (int i = 0; i < CHECKSUM_STEPS && length >= 16; i++, length -= 16) {
		if (p + 16 > end)
			return sum;
		const __u32 *w = p;
		sum += (__u64)w[0] + w[1] + w[2] + w[3];
		p += 16;
		asm volatile("" : "+r"(p));
	}
	for (int i = 0; i < 8 && length >= 2; i++, length -= 2) {
		if (p + 2 > end)
			return sum;
		sum += *(__u16 *)p;
		p += 2;
	}
	if (length && p + 1 <= end)
		sum += *(__u8 *)p; /* the odd byte is the first of a pair, padded with zero */
	return sum;
}

static __always_inline __u64 sum_address(const struct xm_address *a)
{
	return (__u64)a->word[0] + a->word[1] + a->word[2] + a->word[3];
}

static __always_inline void finish_checksum(struct xdp_md *ctx, const struct frame *f)
{
	__u32 offset = f->udp;
	if (!offset || offset > 512)
		return;
	struct udphdr *udp = HEADER(ctx, offset, struct udphdr);
	if (!udp)
		return;
	__u64 sum = (__u64)udp->len + bpf_htons(IPPROTO_UDP);
	if (f->ipv4)
		sum += (__u64)f->key.address.word[3] + f->source.word[3];
	else
		sum += sum_address(&f->key.address) + sum_address(&f->source);
	if (udp->check != fold(sum))
		return;
	if (!f->ipv6) {
		udp->check = 0;
		return;
	}
	__u16 check = ~fold(sum_bytes(ctx, offset, bpf_ntohs(udp->len)));
	udp->check = check ? check : 0xffff;
}

#endif
