/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds frames for tests. Two ways: call the packet_*() functions in the order of the
 * headers, or describe the frame in words (packet_parse()), one line a frame.
 */
#ifndef XM_TESTS_PACKET_H
#define XM_TESTS_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_MAX 3520 /* bytes that BPF_PROG_TEST_RUN takes without fragments: below a page */

struct packet {
	uint8_t data[PACKET_MAX];
	size_t len;
	size_t ip;   /* offset of the IP header, 0: none */
	size_t next; /* offset of the byte that names the next header, 0: none */
	size_t udp;  /* offset of the UDP header, 0: none */
	size_t icmp; /* offset of an IGMP or ICMPv6 header, 0: none */
	bool ipv6;
	bool unfinished;  /* UDP as CHECKSUM_PARTIAL leaves it: the folded pseudo-header sum */
	bool no_checksum; /* UDP checksum 0 */
};

/* Starts a frame; `destination` NULL: taken from the IP destination (RFC 1112, RFC 2464). */
void packet_begin(struct packet *p, const uint8_t destination[6]);
void packet_tag(struct packet *p, uint16_t tpid, uint16_t tci);
/* The EtherType, host byte order; packet_ipv4() and packet_ipv6() write their own. */
void packet_type(struct packet *p, uint16_t type);
void packet_bytes(struct packet *p, uint8_t value, size_t count);

/* Addresses in network byte order. `options`: bytes of NOP, a multiple of 4, 40 at most. */
void packet_ipv4(struct packet *p, const uint8_t source[4], const uint8_t destination[4],
		 size_t options);
/* frag_off of the IPv4 header, host byte order: offset in 8 bytes, 0x2000 more fragments. */
void packet_ipv4_fragment(struct packet *p, uint16_t frag_off);
void packet_ipv6(struct packet *p, const uint8_t source[16], const uint8_t destination[16]);
/* An extension header of `type` (0, 43, 60, or 51) and `length` bytes, all zero otherwise. */
void packet_extension(struct packet *p, uint8_t type, size_t length);
void packet_ipv6_fragment(struct packet *p, uint16_t offset_and_flags);

void packet_udp(struct packet *p, size_t payload);
/* IGMP (in IPv4) or ICMPv6 (in IPv6) of `type`, with `length` bytes behind the 4 of its head. */
void packet_icmp(struct packet *p, uint8_t type, size_t length);
/* Any other protocol above IP, as bytes. */
void packet_protocol(struct packet *p, uint8_t protocol, size_t length);

/* Fills in lengths and checksums. Call last. */
void packet_end(struct packet *p);

/*
 * The whole frame in words:
 *   mac M | tag TPID VID | type HEX | bytes N | ip SRC DST | options N | fragment FRAG_OFF |
 *   ip6 SRC DST | hop N | route N | dest N | auth N | fragment6 OFFSET_AND_FLAGS | udp N |
 *   unfinished | zero | igmp TYPE | icmp6 TYPE | proto P | poke OFFSET HEX (byte at an offset
 *   from the IP header, else of the frame; after everything else) | pad N (zeros behind the end) |
 * cut N (frame's length) False when the text is not of this form: a mistake in the test.
 */
bool packet_parse(struct packet *p, const char *text);

/* Folded, not complemented Internet sum (RFC 1071) of bytes in network order, host order value. */
uint16_t packet_sum(const uint8_t *data, size_t len, uint32_t start);
/* Sum of the pseudo header of the UDP datagram at p->udp, folded, not complemented. */
uint16_t packet_pseudo_sum(const struct packet *p);

#endif
