/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet_parse(): a frame described in words. One table of words, each a small function. */
#include "tests/bpf/packet.h"

#include <arpa/inet.h>
#include <netinet/ether.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS 2

struct sentence {
	struct packet *p;
	bool begun;
	struct {
		size_t offset;
		uint8_t value;
	} poke[8];
	size_t pokes;
	size_t pad, cut;
};

static size_t number(const char *text)
{
	return strtoul(text, NULL, 0);
}

static bool word_mac(struct sentence *s, char **a)
{
	struct ether_addr *mac = ether_aton(a[0]);

	if (!mac)
		return false;
	packet_begin(s->p, mac->ether_addr_octet);
	return true;
}

static bool word_tag(struct sentence *s, char **a)
{
	packet_tag(s->p, strtoul(a[0], NULL, 16), number(a[1]));
	return true;
}

static bool word_type(struct sentence *s, char **a)
{
	packet_type(s->p, strtoul(a[0], NULL, 16));
	return true;
}

static bool word_bytes(struct sentence *s, char **a)
{
	packet_bytes(s->p, 0x5a, number(a[0]));
	return true;
}

static bool word_ip(struct sentence *s, char **a)
{
	uint8_t source[4], destination[4];

	if (inet_pton(AF_INET, a[0], source) != 1 || inet_pton(AF_INET, a[1], destination) != 1)
		return false;
	packet_ipv4(s->p, source, destination, 0);
	return true;
}

static bool word_options(struct sentence *s, char **a)
{
	size_t count = number(a[0]);

	packet_bytes(s->p, 1, count); /* NOP */
	s->p->data[s->p->ip] += count / 4;
	return s->p->len == s->p->ip + 20 + count && count <= 40 && count % 4 == 0;
}

static bool word_fragment(struct sentence *s, char **a)
{
	packet_ipv4_fragment(s->p, number(a[0]));
	return s->p->ip && !s->p->ipv6;
}

static bool word_ip6(struct sentence *s, char **a)
{
	uint8_t source[16], destination[16];

	if (inet_pton(AF_INET6, a[0], source) != 1 || inet_pton(AF_INET6, a[1], destination) != 1)
		return false;
	packet_ipv6(s->p, source, destination);
	return true;
}

static bool word_hop(struct sentence *s, char **a)
{
	packet_extension(s->p, 0, number(a[0]));
	return s->p->ipv6;
}

static bool word_route(struct sentence *s, char **a)
{
	packet_extension(s->p, 43, number(a[0]));
	return s->p->ipv6;
}

static bool word_dest(struct sentence *s, char **a)
{
	packet_extension(s->p, 60, number(a[0]));
	return s->p->ipv6;
}

static bool word_auth(struct sentence *s, char **a)
{
	packet_extension(s->p, 51, number(a[0]));
	return s->p->ipv6;
}

static bool word_fragment6(struct sentence *s, char **a)
{
	packet_ipv6_fragment(s->p, number(a[0]));
	return s->p->ipv6;
}

static bool word_udp(struct sentence *s, char **a)
{
	packet_udp(s->p, number(a[0]));
	return s->p->ip;
}

static bool word_unfinished(struct sentence *s, char **a)
{
	(void)a;
	s->p->unfinished = true;
	return s->p->udp;
}

static bool word_zero(struct sentence *s, char **a)
{
	(void)a;
	s->p->no_checksum = true;
	return s->p->udp;
}

static bool word_igmp(struct sentence *s, char **a)
{
	packet_icmp(s->p, number(a[0]), 4);
	return s->p->ip && !s->p->ipv6;
}

static bool word_icmp6(struct sentence *s, char **a)
{
	packet_icmp(s->p, number(a[0]), 20);
	return s->p->ip && s->p->ipv6;
}

static bool word_proto(struct sentence *s, char **a)
{
	packet_protocol(s->p, number(a[0]), 24);
	return s->p->ip;
}

static bool word_poke(struct sentence *s, char **a)
{
	if (s->pokes == sizeof(s->poke) / sizeof(s->poke[0]))
		return false;
	s->poke[s->pokes].offset = s->p->ip + number(a[0]);
	s->poke[s->pokes++].value = strtoul(a[1], NULL, 16);
	return true;
}

static bool word_pad(struct sentence *s, char **a)
{
	s->pad = number(a[0]);
	return true;
}

static bool word_cut(struct sentence *s, char **a)
{
	s->cut = number(a[0]);
	return true;
}

static const struct word {
	const char *name;
	int arguments;
	bool (*say)(struct sentence *s, char **a);
} words[] = {
    {"mac", 1, word_mac},
    {"tag", 2, word_tag},
    {"type", 1, word_type},
    {"bytes", 1, word_bytes},
    {"ip", 2, word_ip},
    {"options", 1, word_options},
    {"fragment", 1, word_fragment},
    {"ip6", 2, word_ip6},
    {"hop", 1, word_hop},
    {"route", 1, word_route},
    {"dest", 1, word_dest},
    {"auth", 1, word_auth},
    {"fragment6", 1, word_fragment6},
    {"udp", 1, word_udp},
    {"zero", 0, word_zero},
    {"unfinished", 0, word_unfinished},
    {"igmp", 1, word_igmp},
    {"icmp6", 1, word_icmp6},
    {"proto", 1, word_proto},
    {"poke", 2, word_poke},
    {"cut", 1, word_cut},
    {"pad", 1, word_pad},
};

static bool say(struct sentence *s, const char *name, char **rest)
{
	char *argument[ARGUMENTS];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].name, name) != 0)
			continue;
		for (int j = 0; j < words[i].arguments; j++)
			if (!(argument[j] = strtok_r(NULL, " ", rest)))
				return false;
		if (!s->begun && words[i].say != word_mac)
			packet_begin(s->p, NULL);
		bool first = !s->begun;
		s->begun = true;
		if (words[i].say == word_mac && !first)
			return false;
		return words[i].say(s, argument);
	}
	return false;
}

bool packet_parse(struct packet *p, const char *text)
{
	struct sentence s = {.p = p};
	char copy[512], *rest;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		if (!say(&s, name, &rest))
			return false;
	packet_end(p);
	packet_bytes(p, 0, s.pad);
	for (size_t i = 0; i < s.pokes; i++)
		p->data[s.poke[i].offset] = s.poke[i].value;
	if (s.cut > p->len)
		return false;
	if (s.cut)
		p->len = s.cut;
	return true;
}
