/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/address.h"

#define ADDRESS_BITS 128
#define MAC_LEN	     6

static const unsigned char ipv4_front[XM_IPV4_BITS / 8] = {[10] = 0xff, [11] = 0xff};
static const unsigned char mac_front[XM_MAC_BITS / 8] = {[8] = 0xff, [9] = 0xfe};

/* Ranges that this file knows: mapped bytes, and beside them what people call them. */
struct range {
	unsigned char byte[XM_ADDRESS_LEN];
	unsigned char len;
};
static const struct range multicast[] = {
    {{[10] = 0xff, [11] = 0xff, [12] = 224}, XM_IPV4_BITS + 4}, /* 224.0.0.0/4 */
    {{[0] = 0xff}, 8},						/* ff00::/8 */
};
static const struct range control[] = {
    {{[10] = 0xff, [11] = 0xff, [12] = 224}, XM_IPV4_BITS + 24}, /* 224.0.0.0/24 */
    {{[0] = 0xff, [1] = 0x02}, 16},				 /* ff02::/16 */
    /* 01:80:c2:00:00:00-0f, IEEE 802.1Q table 8-1 */
    {{[8] = 0xff, [9] = 0xfe, [10] = 0x01, [11] = 0x80, [12] = 0xc2}, XM_MAC_BITS + 44},
};

static const struct range broadcast[] = {
    {{[8] = 0xff, [9] = 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 128},
};
/* The MACs that carry IP multicast. */
static const struct range mac_of_ip[] = {
    /* 01:00:5e:00:00:00/25, RFC 1112 6.4 */
    {{[8] = 0xff, [9] = 0xfe, [10] = 0x01, [12] = 0x5e}, XM_MAC_BITS + 25},
    /* 33:33:00:00:00:00/16, RFC 2464 7 */
    {{[8] = 0xff, [9] = 0xfe, [10] = 0x33, [11] = 0x33}, XM_MAC_BITS + 16},
};

static bool same_bits(const unsigned char *a, const unsigned char *b, unsigned int bits)
{
	unsigned int bytes = bits / 8, rest = bits % 8;

	if (memcmp(a, b, bytes))
		return false;
	return !rest || !((a[bytes] ^ b[bytes]) & (0xff00 >> rest & 0xff));
}

static bool in_range(const struct prefix *p, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (p->len >= ranges[i].len &&
		    same_bits(p->address.byte, ranges[i].byte, ranges[i].len))
			return true;
	return false;
}

enum family prefix_family(const struct prefix *p)
{
	if (p->len >= XM_IPV4_BITS && !memcmp(p->address.byte, ipv4_front, sizeof(ipv4_front)))
		return FAMILY_IPV4;
	if (p->len >= XM_MAC_BITS && !memcmp(p->address.byte, mac_front, sizeof(mac_front)))
		return FAMILY_MAC;
	return FAMILY_IPV6;
}

/* Bits in front of the address proper. */
static unsigned int family_offset(enum family family)
{
	switch (family) {
	case FAMILY_IPV4:
		return XM_IPV4_BITS;
	case FAMILY_MAC:
		return XM_MAC_BITS;
	case FAMILY_IPV6:
		break;
	}
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Six pairs of hex digits, all joined by ':' or all by '-' (as IEEE writes them). */
static bool parse_mac(const char *text, unsigned char mac[static MAC_LEN])
{
	if (strlen(text) != MAC_LEN * 3 - 1 || (text[2] != ':' && text[2] != '-'))
		return false;
	for (int i = 0; i < MAC_LEN; i++) {
		int high = hex_digit(text[3 * i]), low = hex_digit(text[3 * i + 1]);

		if (high < 0 || low < 0 || (i < MAC_LEN - 1 && text[3 * i + 2] != text[2]))
			return false;
		mac[i] = high << 4 | low;
	}
	return true;
}

static int parse_bytes(const char *text, struct xm_address *out, enum family *family,
		       const char **why)
{
	struct prefix whole = {.len = ADDRESS_BITS};

	if (inet_pton(AF_INET6, text, whole.address.byte) == 1) {
		*family = FAMILY_IPV6;
		*why = "is in a range of IPv6 that stands for IPv4 or MAC addresses here: write "
		       "those as such";
		if (prefix_family(&whole) != FAMILY_IPV6)
			return -EINVAL;
	} else if (inet_pton(AF_INET, text, whole.address.byte + sizeof(ipv4_front)) == 1) {
		*family = FAMILY_IPV4;
		memcpy(whole.address.byte, ipv4_front, sizeof(ipv4_front));
	} else if (parse_mac(text, whole.address.byte + sizeof(mac_front))) {
		*family = FAMILY_MAC;
		memcpy(whole.address.byte, mac_front, sizeof(mac_front));
	} else {
		*why = "is not an IPv4, IPv6 or MAC address";
		return -EINVAL;
	}
	*out = whole.address;
	return 0;
}

/* Digits only: strtoul() alone would take signs and blanks. */
static int parse_number(const char *text, unsigned int max, unsigned int *out)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long value;

	if (!digits || digits > 4 || text[digits])
		return -EINVAL;
	value = strtoul(text, NULL, 10);
	if (value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

static bool bits_behind(const struct prefix *p)
{
	for (unsigned int bit = p->len; bit < ADDRESS_BITS; bit++)
		if (p->address.byte[bit / 8] & 0x80 >> bit % 8)
			return true;
	return false;
}

int prefix_parse(const char *text, struct prefix *out, const char **why)
{
	struct prefix prefix = {};
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchrnul(text, '/');
	enum family family;
	unsigned int offset, len;
	int r;

	*why = "is not an IPv4, IPv6 or MAC address";
	if ((size_t)(slash - text) >= sizeof(address))
		return -EINVAL;
	memcpy(address, text, slash - text);
	address[slash - text] = '\0';
	r = parse_bytes(address, &prefix.address, &family, why);
	if (r < 0)
		return r;
	offset = family_offset(family);
	len = ADDRESS_BITS - offset;
	if (*slash && parse_number(slash + 1, len, &len) < 0) {
		*why = family == FAMILY_IPV4   ? "has a prefix length that is not 0 to 32"
		       : family == FAMILY_IPV6 ? "has a prefix length that is not 0 to 128"
					       : "has a prefix length that is not 1 to 48";
		return -EINVAL;
	}
	if (family == FAMILY_MAC && !len) {
		*why = "has a prefix length that is not 1 to 48";
		return -EINVAL;
	}
	prefix.len = offset + len;
	if (bits_behind(&prefix)) {
		*why = "has bits set behind the prefix length";
		return -EINVAL;
	}
	*out = prefix;
	return 0;
}

const char *prefix_format(const struct prefix *p, char buf[static PREFIX_TEXT_MAX])
{
	enum family family = prefix_family(p);
	const unsigned char *byte = p->address.byte;

	switch (family) {
	case FAMILY_IPV4:
		inet_ntop(AF_INET, byte + sizeof(ipv4_front), buf, PREFIX_TEXT_MAX);
		break;
	case FAMILY_IPV6:
		inet_ntop(AF_INET6, byte, buf, PREFIX_TEXT_MAX);
		break;
	case FAMILY_MAC:
		byte += sizeof(mac_front);
		snprintf(buf, PREFIX_TEXT_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", byte[0], byte[1],
			 byte[2], byte[3], byte[4], byte[5]);
		break;
	}
	if (p->len < ADDRESS_BITS) {
		size_t used = strlen(buf);

		snprintf(buf + used, PREFIX_TEXT_MAX - used, "/%u", p->len - family_offset(family));
	}
	return buf;
}

bool prefix_is_multicast(const struct prefix *p)
{
	if (prefix_family(p) == FAMILY_MAC)
		return p->len >= XM_MAC_BITS + 8 && (p->address.byte[XM_MAC_BITS / 8] & 1);
	return in_range(p, multicast, sizeof(multicast) / sizeof(*multicast));
}

bool prefix_is_control(const struct prefix *p)
{
	return in_range(p, control, sizeof(control) / sizeof(*control));
}

bool prefix_is_broadcast(const struct prefix *p)
{
	return in_range(p, broadcast, sizeof(broadcast) / sizeof(*broadcast));
}

bool prefix_is_mac_of_ip(const struct prefix *p)
{
	return in_range(p, mac_of_ip, sizeof(mac_of_ip) / sizeof(*mac_of_ip));
}

bool prefix_contains(const struct prefix *outer, const struct prefix *inner)
{
	return inner->len >= outer->len &&
	       same_bits(outer->address.byte, inner->address.byte, outer->len);
}

int prefix_compare(const struct prefix *a, const struct prefix *b)
{
	int r = memcmp(a->address.byte, b->address.byte, XM_ADDRESS_LEN);

	return r ? r : a->len - b->len;
}

static int parse_vid(const char *text, unsigned int *out)
{
	return parse_number(text, 4094, out) < 0 || !*out ? -EINVAL : 0;
}

int vlan_parse(const char *text, __u32 *out, const char **why)
{
	const char *dot = strchrnul(text, '.');
	char outer[8];
	unsigned int first, second = 0;

	*why = "is not a VLAN: write V or OUTER.INNER, each 1 to 4094";
	if ((size_t)(dot - text) >= sizeof(outer))
		return -EINVAL;
	memcpy(outer, text, dot - text);
	outer[dot - text] = '\0';
	if (parse_vid(outer, &first) < 0 || (*dot && parse_vid(dot + 1, &second) < 0))
		return -EINVAL;
	*out = *dot ? first << 16 | second : first;
	return 0;
}

const char *vlan_format(__u32 vlan, char buf[static VLAN_TEXT_MAX])
{
	if (vlan >> 16)
		snprintf(buf, VLAN_TEXT_MAX, "%u.%u", vlan >> 16, vlan & 0xffff);
	else
		snprintf(buf, VLAN_TEXT_MAX, "%u", vlan);
	return buf;
}
