/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bpf/match.h"

#include <stdint.h>
#include <string.h>

#define TAGS 2 /* understood; a frame with more is not IP */
/* RFC 8504, 5.3: a host may stop at this many extension headers. */
#define EXTENSIONS 8

enum { TPID_CUSTOMER = 0x8100, TPID_SERVICE = 0x88a8, TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd };
/* RFC 8200, 4.1, without ESP, behind which nothing can be read. */
enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, AUTHENTICATION = 51, DESTINATION = 60 };
enum { IGMP = 2, ICMPV6 = 58 };

struct bytes {
	const uint8_t *at;
	size_t len;
};

static bool have(struct bytes b, size_t count)
{
	return b.len >= count;
}

static struct bytes behind(struct bytes b, size_t count)
{
	return count > b.len ? (struct bytes){b.at, 0}
			     : (struct bytes){b.at + count, b.len - count};
}

static unsigned int get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	for (unsigned int i = 0; i < bits; i++)
		if ((a[i / 8] ^ b[i / 8]) & 0x80 >> i % 8)
			return false;
	return true;
}

static void map_ipv4(uint8_t out[16], const uint8_t in[4])
{
	memset(out, 0, 16);
	out[10] = out[11] = 0xff;
	memcpy(out + 12, in, 4);
}

static void map_mac(uint8_t out[16], const uint8_t in[6])
{
	memset(out, 0, 16);
	out[8] = 0xff;
	out[9] = 0xfe;
	memcpy(out + 10, in, 6);
}

/* 224.0.0.0/24, ff02::/16, 01:80:c2:00:00:00-0f: all of the `bits` long prefix lies in one. */
static bool is_control(const uint8_t address[16], unsigned int bits)
{
	static const uint8_t ipv4[4] = {224}, ipv6[16] = {0xff, 0x02}, mac[6] = {0x01, 0x80, 0xc2};
	uint8_t mapped_ipv4[16], mapped_mac[16];

	map_ipv4(mapped_ipv4, ipv4);
	map_mac(mapped_mac, mac);
	return (bits >= 96 + 24 && same_bits(address, mapped_ipv4, 96 + 24)) ||
	       (bits >= 16 && same_bits(address, ipv6, 16)) ||
	       (bits >= 80 + 44 && same_bits(address, mapped_mac, 80 + 44));
}

static void read_ipv4(struct bytes ip, struct match_facts *f)
{
	if (!have(ip, 20) || ip.at[0] >> 4 != 4)
		return;
	size_t header = (ip.at[0] & 15) * 4;
	if (header < 20 || !have(ip, header))
		return;
	f->protocol = XM_PROTOCOL_IPV4;
	map_ipv4(f->source, ip.at + 12);
	map_ipv4(f->address, ip.at + 16);
	f->can_match = ip.at[16] >> 4 == 14; /* 224.0.0.0/4 */
	if (!f->can_match)
		return;
	if (ip.at[9] == IGMP) {
		f->protocol = XM_PROTOCOL_IGMP;
		f->control_only = true;
	} else if (is_control(f->address, 128)) {
		f->protocol = XM_PROTOCOL_CONTROL;
		f->control_only = true;
	}
}

/* What `next` at the head of `b` is: MLD or something else, behind extension headers or not. */
static bool is_mld(unsigned int next, struct bytes b)
{
	for (int i = 0; i < EXTENSIONS && next != ICMPV6; i++) {
		size_t length;

		if (!have(b, 8))
			return false;
		switch (next) {
		case HOP_BY_HOP:
		case ROUTING:
		case DESTINATION:
			length = 8 + 8 * b.at[1];
			break;
		case AUTHENTICATION: /* RFC 4302, 2.2: 4 byte words minus 2 */
			length = 8 + 4 * b.at[1];
			break;
		case FRAGMENT: /* RFC 8200, 4.5: only the first has the headers behind it */
			if (get16(b.at + 2) >> 3 != 0)
				return false;
			length = 8;
			break;
		default:
			return false;
		}
		next = b.at[0];
		b = behind(b, length);
	}
	if (next != ICMPV6 || !have(b, 1))
		return false;
	/* RFC 2710: query, report, done; RFC 3810: version 2 report */
	return b.at[0] == 130 || b.at[0] == 131 || b.at[0] == 132 || b.at[0] == 143;
}

static void read_ipv6(struct bytes ip, struct match_facts *f)
{
	if (!have(ip, 40) || ip.at[0] >> 4 != 6)
		return;
	f->protocol = XM_PROTOCOL_IPV6;
	memcpy(f->source, ip.at + 8, 16);
	memcpy(f->address, ip.at + 24, 16);
	f->can_match = f->address[0] == 0xff;
	if (!f->can_match)
		return;
	if (is_mld(ip.at[6], behind(ip, 40))) {
		f->protocol = XM_PROTOCOL_MLD;
		f->control_only = true;
	} else if (is_control(f->address, 128)) {
		f->protocol = XM_PROTOCOL_CONTROL;
		f->control_only = true;
	}
}

static void read_other(const uint8_t destination[6], struct match_facts *f)
{
	f->protocol = XM_PROTOCOL_MAC;
	map_mac(f->address, destination);
	f->can_match = true;
	if (is_control(f->address, 128)) {
		f->protocol = XM_PROTOCOL_CONTROL;
		f->control_only = true;
	}
}

/* Takes the tags off `rest`, which begins with the EtherType. False: cut short. */
static bool read_tags(struct bytes *rest, struct match_facts *f)
{
	for (int i = 0; i < TAGS; i++) {
		unsigned int type = get16(rest->at);

		if (type != TPID_CUSTOMER && type != TPID_SERVICE)
			break;
		if (!have(*rest, 2 + 2 + 2))
			return false;
		unsigned int vid = get16(rest->at + 2) & 0xfff;
		if (vid && f->vlan)
			f->vlan = f->vlan << 16 | vid;
		else if (vid)
			f->vlan = vid;
		*rest = behind(*rest, 4);
	}
	return true;
}

struct match_facts match_read(const uint8_t *frame, size_t len)
{
	static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct match_facts f = {.protocol = XM_PROTOCOL_MALFORMED};
	struct bytes rest = {frame, len};

	if (!have(rest, 14))
		return f;
	if (memcmp(frame, broadcast, 6) == 0) {
		f.protocol = XM_PROTOCOL_BROADCAST;
		return f;
	}
	if (!(frame[0] & 1)) {
		f.protocol = XM_PROTOCOL_UNICAST;
		return f;
	}
	rest = behind(rest, 12);
	if (!read_tags(&rest, &f))
		return f;
	switch (get16(rest.at)) {
	case TYPE_IPV4:
		read_ipv4(behind(rest, 2), &f);
		break;
	case TYPE_IPV6:
		read_ipv6(behind(rest, 2), &f);
		break;
	default:
		read_other(frame, &f);
	}
	return f;
}

static bool is_mine(const struct group_key *g, const char *ingress, const struct match_facts *f)
{
	return strcmp(g->from, ingress) == 0 && g->vlan == f->vlan &&
	       same_bits(g->address.address.byte, f->address, g->address.len) &&
	       same_bits(g->source.address.byte, f->source, g->source.len) &&
	       (!f->control_only || is_control(g->address.address.byte, g->address.len));
}

struct match_result match_frame(const struct group_key *groups, size_t count, const char *ingress,
				const uint8_t *frame, size_t len)
{
	struct match_facts f = match_read(frame, len);
	struct match_result best = {MATCH_NONE, f.protocol};

	for (size_t i = 0; f.can_match && i < count; i++) {
		if (!is_mine(&groups[i], ingress, &f))
			continue;
		const struct group_key *g = &groups[i],
				       *b = best.group == MATCH_NONE ? NULL : &groups[best.group];
		if (!b || g->address.len > b->address.len ||
		    (g->address.len == b->address.len && g->source.len > b->source.len))
			best.group = i;
	}
	return best;
}
