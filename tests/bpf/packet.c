/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bpf/packet.h"

#include <arpa/inet.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define MAC_LEN	     6
#define IPV6_HEADER  40
#define UDP_CHECKSUM 6 /* offset in the header */

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = value >> 8;
	at[1] = value & 0xff;
}

static uint8_t *grow(struct packet *p, size_t count)
{
	if (p->len + count > PACKET_MAX)
		abort(); /* a mistake in the test */
	uint8_t *at = p->data + p->len;

	memset(at, 0, count);
	p->len += count;
	return at;
}

void packet_begin(struct packet *p, const uint8_t destination[6])
{
	static const uint8_t source[MAC_LEN] = {0x02, 0, 0, 0, 0, 0x01};

	memset(p, 0, sizeof(*p));
	uint8_t *ethernet = grow(p, 2 * MAC_LEN);
	if (destination)
		memcpy(ethernet, destination, MAC_LEN);
	memcpy(ethernet + MAC_LEN, source, MAC_LEN);
}

void packet_tag(struct packet *p, uint16_t tpid, uint16_t tci)
{
	uint8_t *tag = grow(p, 4);

	put16(tag, tpid);
	put16(tag + 2, tci);
}

void packet_type(struct packet *p, uint16_t type)
{
	put16(grow(p, 2), type);
}

void packet_bytes(struct packet *p, uint8_t value, size_t count)
{
	uint8_t *at = grow(p, count);

	memset(at, value, count);
}

static bool no_destination(const struct packet *p)
{
	static const uint8_t zero[MAC_LEN];

	return memcmp(p->data, zero, MAC_LEN) == 0;
}

void packet_ipv4(struct packet *p, const uint8_t source[4], const uint8_t destination[4],
		 size_t options)
{
	packet_type(p, ETHERTYPE_IP);
	p->ip = p->len;
	uint8_t *ip = grow(p, 20 + options);
	ip[0] = 0x40 | (20 + options) / 4;
	ip[8] = 16; /* TTL */
	p->next = p->ip + 9;
	memcpy(ip + 12, source, 4);
	memcpy(ip + 16, destination, 4);
	memset(ip + 20, 1, options); /* NOP */
	if (no_destination(p)) {
		memcpy(p->data, (uint8_t[]){0x01, 0x00, 0x5e}, 3);
		p->data[3] = destination[1] & 0x7f;
		memcpy(p->data + 4, destination + 2, 2);
	}
}

void packet_ipv4_fragment(struct packet *p, uint16_t frag_off)
{
	put16(p->data + p->ip + 6, frag_off);
}

void packet_ipv6(struct packet *p, const uint8_t source[16], const uint8_t destination[16])
{
	packet_type(p, ETHERTYPE_IPV6);
	p->ip = p->len;
	p->ipv6 = true;
	uint8_t *ip = grow(p, IPV6_HEADER);
	ip[0] = 0x60;
	ip[6] = 59; /* no next header */
	ip[7] = 16; /* hop limit */
	p->next = p->ip + 6;
	memcpy(ip + 8, source, 16);
	memcpy(ip + 24, destination, 16);
	if (no_destination(p)) {
		memcpy(p->data, (uint8_t[]){0x33, 0x33}, 2);
		memcpy(p->data + 2, destination + 12, 4);
	}
}

void packet_extension(struct packet *p, uint8_t type, size_t length)
{
	size_t at = p->len;

	grow(p, length);
	p->data[p->next] = type;
	p->data[at] = 59;
	/* RFC 8200: in 8 bytes, not counting the first 8; RFC 4302 (51): in 4 bytes minus 2 */
	p->data[at + 1] = type == 51 ? length / 4 - 2 : length / 8 - 1;
	p->next = at;
}

void packet_ipv6_fragment(struct packet *p, uint16_t offset_and_flags)
{
	packet_extension(p, 44, 8);
	p->data[p->next + 1] = 0; /* reserved here */
	put16(p->data + p->next + 2, offset_and_flags);
}

void packet_protocol(struct packet *p, uint8_t protocol, size_t length)
{
	if (p->next)
		p->data[p->next] = protocol;
	uint8_t *payload = grow(p, length);
	for (size_t i = 0; i < length; i++)
		payload[i] = i * 7 + 3;
}

void packet_udp(struct packet *p, size_t payload)
{
	p->udp = p->len;
	packet_protocol(p, IPPROTO_UDP, 8 + payload);
	memcpy(p->data + p->udp, (uint8_t[]){0x13, 0x88, 0x13, 0x89, 0, 0, 0, 0}, 8);
}

void packet_icmp(struct packet *p, uint8_t type, size_t length)
{
	p->icmp = p->len;
	packet_protocol(p, p->ipv6 ? IPPROTO_ICMPV6 : IPPROTO_IGMP, 4 + length);
	memcpy(p->data + p->icmp, (uint8_t[]){type, 0, 0, 0}, 4);
}

uint16_t packet_sum(const uint8_t *data, size_t len, uint32_t start)
{
	uint32_t sum = start;

	for (size_t i = 0; i < len; i++) {
		sum += i % 2 ? data[i] : (uint32_t)data[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static uint16_t pseudo_sum(const struct packet *p, uint8_t protocol, size_t length)
{
	const uint8_t *ip = p->data + p->ip;
	uint16_t addresses = p->ipv6 ? packet_sum(ip + 8, 32, 0) : packet_sum(ip + 12, 8, 0);
	uint8_t rest[] = {0, protocol, length >> 8, length & 0xff};

	return packet_sum(rest, sizeof(rest), addresses);
}

uint16_t packet_pseudo_sum(const struct packet *p)
{
	return pseudo_sum(p, IPPROTO_UDP, p->len - p->udp);
}

static void end_udp(struct packet *p)
{
	uint8_t *udp = p->data + p->udp;
	size_t length = p->len - p->udp;

	put16(udp + 4, length);
	uint16_t pseudo = packet_pseudo_sum(p), check = ~packet_sum(udp, length, pseudo);
	if (p->no_checksum)
		return;
	if (p->unfinished)
		check = pseudo;
	else if (!check)
		check = 0xffff; /* RFC 768: 0 means none */
	put16(udp + UDP_CHECKSUM, check);
}

void packet_end(struct packet *p)
{
	uint8_t *ip = p->data + p->ip;

	if (p->ip && p->ipv6) {
		put16(ip + 4, p->len - p->ip - IPV6_HEADER);
	} else if (p->ip) {
		put16(ip + 2, p->len - p->ip);
		put16(ip + 10, ~packet_sum(ip, (ip[0] & 15) * 4, 0));
	}
	if (p->udp)
		end_udp(p);
	if (p->icmp) {
		size_t length = p->len - p->icmp;
		uint16_t start = p->ipv6 ? pseudo_sum(p, IPPROTO_ICMPV6, length) : 0;
		put16(p->data + p->icmp + 2, ~packet_sum(p->data + p->icmp, length, start));
	}
}
