/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a group is known by: one form of it, an order, words, and what no group can be. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/model/private.h"

struct group_key group_key_normal(const struct group_key *key)
{
	struct group_key normal = {.vlan = key->vlan, .address = key->address};

	memcpy(normal.from, key->from, strnlen(key->from, IF_NAMESIZE - 1));
	normal.source = key->source;
	/* 0.0.0.0/0 is every source that an IPv4 frame can have. */
	if (prefix_family(&key->source) == FAMILY_IPV4 && key->source.len == XM_IPV4_BITS)
		normal.source = (struct prefix){};
	return normal;
}

int group_key_compare(const struct group_key *a, const struct group_key *b)
{
	int r = strncmp(a->from, b->from, IF_NAMESIZE);

	if (r)
		return r;
	if (a->vlan != b->vlan)
		return a->vlan < b->vlan ? -1 : 1;
	r = prefix_compare(&a->address, &b->address);
	return r ? r : prefix_compare(&a->source, &b->source);
}

const char *group_key_format(const struct group_key *key, char buf[static GROUP_KEY_TEXT_MAX])
{
	char address[PREFIX_TEXT_MAX], source[PREFIX_TEXT_MAX], vlan[VLAN_TEXT_MAX];

	snprintf(buf, GROUP_KEY_TEXT_MAX, "%s%s%s%s%s from %.15s",
		 prefix_format(&key->address, address), key->source.len ? " source " : "",
		 key->source.len ? prefix_format(&key->source, source) : "",
		 key->vlan ? " vlan " : "", key->vlan ? vlan_format(key->vlan, vlan) : "",
		 key->from);
	return buf;
}

int group_refuse(const struct group_key *key, struct fault *fault, const char *what)
{
	char text[GROUP_KEY_TEXT_MAX];

	return fault_set(fault, -EINVAL, "group %s: %s", group_key_format(key, text), what);
}

static bool vlan_is_valid(__u32 vlan)
{
	__u32 outer = vlan >> 16, inner = vlan & 0xffff;

	return inner <= 4094 && outer <= 4094 && (inner || !outer);
}

int group_key_check(const struct group_key *key, struct fault *fault)
{
	if (!name_is_possible(key->from) || name_is_pattern(key->from))
		return group_refuse(key, fault,
				    "the ingress must be one interface name, not a pattern");
	if (!vlan_is_valid(key->vlan))
		return group_refuse(key, fault, "VLAN ids are 1 to 4094");
	if (prefix_is_broadcast(&key->address))
		return group_refuse(key, fault,
				    "is the broadcast address: it always passes to the stack");
	if (!prefix_is_multicast(&key->address))
		return group_refuse(
		    key, fault,
		    "is not multicast: name a group in 224.0.0.0/4, ff00::/8, or a MAC "
		    "whose first byte is odd");
	if (prefix_is_mac_of_ip(&key->address))
		return group_refuse(
		    key, fault,
		    "is the MAC of IP multicast, and MAC groups match non-IP frames "
		    "only: name the IPv4 or IPv6 group");
	if (!key->source.len)
		return 0;
	if (prefix_family(&key->source) != prefix_family(&key->address))
		return group_refuse(
		    key, fault,
		    "group and source are of different families: both must be IPv4, "
		    "IPv6 or MAC");
	if (prefix_is_multicast(&key->source))
		return group_refuse(key, fault, "the source is multicast: name a sender's address");
	return 0;
}
