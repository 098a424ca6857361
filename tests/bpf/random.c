/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bpf/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/bpf/frames.h"

#define ELEMENTS(a) (sizeof(a) / sizeof((a)[0]))

struct random random_seed(void)
{
	const char *text = getenv("XM_SEED");
	uint64_t seed =
	    text && *text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL) << 16 ^ getpid();

	printf("# XM_SEED=%llu\n", (unsigned long long)seed);
	return (struct random){seed};
}

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do, also 0 */
uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

unsigned int random_below(struct random *r, unsigned int below)
{
	return (random_next(r) >> 32) * below >> 32;
}

bool random_chance(struct random *r, unsigned int percent)
{
	return random_below(r, 100) < percent;
}

#define PICK(r, array) (array)[random_below(r, ELEMENTS(array))]

static void mask(struct prefix *p)
{
	for (unsigned int bit = p->len; bit < 128; bit++)
		p->address.byte[bit / 8] &= ~(0x80 >> bit % 8);
}

/* Few different bytes, so that prefixes of every length share beginnings. */
static uint8_t random_byte(struct random *r)
{
	static const uint8_t bytes[] = {0, 0, 0, 1, 1, 2, 128, 255};

	return random_chance(r, 5) ? random_next(r) & 0xff : PICK(r, bytes);
}

static void random_bytes(struct random *r, uint8_t *at, size_t count)
{
	for (size_t i = 0; i < count; i++)
		at[i] = random_byte(r);
}

/* A length of least..bits: often the whole address, often one of the usual, else any. */
static unsigned int random_len(struct random *r, unsigned int least, unsigned int bits)
{
	if (random_chance(r, 40))
		return bits;
	unsigned int len = random_chance(r, 50) ? least + random_below(r, bits - least + 1)
						: random_below(r, bits / 8 + 1) * 8;
	return len < least ? least : len;
}

static void random_ipv4(struct random *r, uint8_t out[16], bool group)
{
	static const uint8_t groups[] = {224, 224, 225, 239, 239}, hosts[] = {10, 10, 10, 11, 192};

	memset(out, 0, 10);
	memset(out + 10, 0xff, 2);
	random_bytes(r, out + 12, 4);
	out[12] = group ? PICK(r, groups) : PICK(r, hosts);
	if (group && random_chance(r, 40))
		memset(out + 13, 0, 2); /* 224.0.0.0/24 and what has its MAC */
}

static void random_ipv6(struct random *r, uint8_t out[16], bool group)
{
	static const uint8_t scopes[] = {0x02, 0x02, 0x05, 0x0e, 0x12, 0x3e};

	memset(out, 0, 16);
	for (int i = 0; i < 4; i++)
		out[random_below(r, 16)] = random_byte(r);
	out[0] = group ? 0xff : 0x20;
	out[1] = group ? PICK(r, scopes) : 1;
}

static void random_mac(struct random *r, uint8_t out[16])
{
	static const uint8_t known[][6] = {
	    {0x01, 0x80, 0xc2, 0, 0, 0}, {0x01, 0x1b, 0x19, 0, 0, 0}, {0x01, 0x0c, 0xcd, 1, 0, 0},
	    {0x01, 0, 0x5e, 0, 0, 0},	 {0x33, 0x33, 0, 0, 0, 0},
	};

	memset(out, 0, 16);
	out[8] = 0xff;
	out[9] = 0xfe;
	memcpy(out + 10, PICK(r, known), 6);
	out[15] = random_byte(r) & 0x1f;
	if (random_chance(r, 30))
		random_bytes(r, out + 13, 3);
}

/* What the groups of one table have in common: half of the tables are dense in one family. */
struct theme {
	unsigned int kind, kinds; /* of ten: 0-4 IPv4, 5-7 IPv6, 8-9 MAC */
	bool one_vlan;
	__u32 vlan;
};

static const __u32 vlans[] = {0, 0, 0, 5, 6, 5 << 16 | 6, 6 << 16 | 5, 4094};

static void random_theme(struct random *r, struct theme *out)
{
	static const struct theme themes[] = {{.kinds = 10}, {.kinds = 10}, {.kinds = 5},
					      {.kinds = 5},  {5, 3, 0, 0},  {8, 2, 0, 0}};

	*out = PICK(r, themes);
	out->one_vlan = out->kinds < 10 && random_chance(r, 70);
	out->vlan = PICK(r, vlans);
}

static void random_key(struct random *r, const struct theme *theme, struct group_key *key)
{
	unsigned int kind = theme->kind + random_below(r, theme->kinds);

	memset(key, 0, sizeof(*key));
	strcpy(key->from, FRAMES_INGRESS);
	key->vlan = theme->one_vlan ? theme->vlan : PICK(r, vlans);
	if (kind < 5) {
		random_ipv4(r, key->address.address.byte, true);
		key->address.len = XM_IPV4_BITS + random_len(r, 4, 32);
		random_ipv4(r, key->source.address.byte, false);
		key->source.len = XM_IPV4_BITS + random_len(r, 1, 32);
	} else if (kind < 8) {
		random_ipv6(r, key->address.address.byte, true);
		key->address.len = random_len(r, 8, 128);
		random_ipv6(r, key->source.address.byte, false);
		key->source.len = random_len(r, 3, 128);
	} else {
		random_mac(r, key->address.address.byte);
		key->address.len = XM_MAC_BITS + random_len(r, 8, 48);
	}
	if (kind >= 8 || random_chance(r, 50))
		memset(&key->source, 0, sizeof(key->source));
	mask(&key->address);
	mask(&key->source);
}

size_t random_table(struct random *r, struct group_key *out, size_t max)
{
	size_t count = 0, tries = 1 + random_below(r, max);
	struct theme theme;

	random_theme(r, &theme);
	for (size_t i = 0; i < tries; i++) {
		random_key(r, &theme, &out[count]);
		/* half of the groups share an address with another, to overlap in sources only */
		if (count && random_chance(r, 50)) {
			const struct group_key *other = &out[random_below(r, count)];
			if (prefix_family(&other->address) == prefix_family(&out[count].address)) {
				out[count].address = other->address;
				out[count].vlan = other->vlan;
			}
		}
		bool twice = prefix_is_mac_of_ip(&out[count].address); /* not a group */
		for (size_t j = 0; j < count && !twice; j++)
			twice = group_key_compare(&out[j], &out[count]) == 0;
		count += !twice;
	}
	return count;
}

/* An address of p: the bits behind it stay zero, or are random, or those of another group. */
static void address_in(struct random *r, const struct prefix *p, const struct prefix *other,
		       uint8_t out[16])
{
	unsigned int kind = random_below(r, 3);

	memcpy(out, p->address.byte, 16);
	for (unsigned int bit = p->len; bit < 128 && kind; bit++) {
		uint8_t one = 0x80 >> bit % 8;
		if (kind == 1 ? random_chance(r, 20) : other->address.byte[bit / 8] & one)
			out[bit / 8] |= one;
	}
}

static void random_tags(struct random *r, __u32 vlan, struct packet *p)
{
	static const uint16_t tpids[] = {0x8100, 0x8100, 0x88a8};
	uint16_t priority = random_below(r, 16) << 12;

	if (random_chance(r, 5))
		packet_tag(p, PICK(r, tpids), priority); /* VID 0 */
	if (vlan >> 16)
		packet_tag(p, PICK(r, tpids), priority | vlan >> 16);
	if (vlan)
		packet_tag(p, PICK(r, tpids), priority | (vlan & 0xfff));
	if (random_chance(r, 3))
		packet_tag(p, PICK(r, tpids), priority | random_below(r, 7));
}

static void random_extensions(struct random *r, struct packet *p)
{
	static const uint8_t types[] = {0, 43, 60, 51};

	for (unsigned int n = random_chance(r, 60) ? 0 : random_below(r, 5); n; n--) {
		uint8_t type = PICK(r, types);
		packet_extension(p, type, 8 * (1 + random_below(r, 3)));
	}
	if (random_chance(r, 15))
		packet_ipv6_fragment(p, random_chance(r, 50) ? 1 : random_next(r) & 0xffff);
}

static void random_payload(struct random *r, struct packet *p)
{
	static const uint8_t igmp[] = {17, 18, 22, 23, 34},
			     icmp[] = {128, 130, 131, 132, 135, 143, 144},
			     other[] = {1, 4, 6, 47, 89, 103, 112};
	unsigned int kind = random_below(r, 10);

	if (kind < 6)
		packet_udp(p, random_below(r, 40));
	else if (kind < 8)
		packet_icmp(p, p->ipv6 ? PICK(r, icmp) : PICK(r, igmp), 16);
	else
		packet_protocol(p, PICK(r, other), random_below(r, 40));
	p->unfinished = p->udp && random_chance(r, 30);
}

static void random_ip(struct random *r, const uint8_t destination[16], const uint8_t source[16],
		      struct packet *p)
{
	static const uint16_t fragments[] = {0x2000, 0x2001, 0x0001, 0x4000, 0x1fff};

	if (destination[0]) {
		packet_ipv6(p, source, destination);
		random_extensions(r, p);
	} else {
		packet_ipv4(p, source + 12, destination + 12,
			    random_chance(r, 20) ? 4 * random_below(r, 11) : 0);
		if (random_chance(r, 15))
			packet_ipv4_fragment(p, PICK(r, fragments));
	}
	random_payload(r, p);
}

static void mutate(struct random *r, struct packet *p)
{
	static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	size_t head = p->len < 80 ? p->len : 80;

	for (unsigned int n = 1 + random_below(r, 3); n; n--) {
		size_t at =
		    random_chance(r, 50) ? 12 + random_below(r, head - 12) : random_below(r, head);
		switch (random_below(r, 6)) {
		case 0:
		case 1:
			p->data[at] ^= 1 << random_below(r, 8);
			break;
		case 2:
			p->data[at] = random_next(r) & 0xff;
			break;
		case 3:
			p->data[at] = random_byte(r);
			break;
		case 4:
			p->len = 14 + random_below(r, p->len - 13);
			head = p->len < 80 ? p->len : 80;
			break;
		default:
			if (random_chance(r, 20))
				memcpy(p->data, broadcast, sizeof(broadcast));
			else
				p->data[p->ip ? p->ip : at] ^= 0xf0 >> random_below(r, 8);
		}
	}
}

void random_frame(struct random *r, const struct group_key *groups, size_t count,
		  struct packet *out)
{
	const struct group_key *g = &groups[random_below(r, count)],
			       *other = &groups[random_below(r, count)],
			       *of_source = random_chance(r, 70) ? g : other;
	uint8_t destination[16], source[16];

	address_in(r, &g->address, &other->address, destination);
	address_in(r, &of_source->source, &other->source, source);
	if (prefix_family(&g->address) == FAMILY_MAC) {
		static const uint16_t types[] = {0x88f7, 0x88b8, 0x88cc, 0x0026, 0x0806};
		packet_begin(out, destination + 10);
		random_tags(r, g->vlan, out);
		packet_type(out, PICK(r, types));
		packet_bytes(out, random_byte(r), random_below(r, 60));
	} else {
		packet_begin(out, NULL);
		random_tags(r, random_chance(r, 95) ? g->vlan : other->vlan, out);
		random_ip(r, destination, source, out);
		packet_end(out);
	}
	if (random_chance(r, 50))
		mutate(r, out);
}
