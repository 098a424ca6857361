/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses and prefixes: what people type, as the 128 bits that the maps hold. */
#ifndef XM_MODEL_ADDRESS_H
#define XM_MODEL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/xmcast.h"

enum family { FAMILY_IPV4, FAMILY_IPV6, FAMILY_MAC };

/* An address with a length; bits behind `len` are zero. */
struct prefix {
	struct xm_address address; /* network byte order, mapped as in bpf/xmcast.h */
	unsigned char len;	   /* in bits of the 128: /24 of IPv4 is 120 */
};

#define PREFIX_TEXT_MAX 64 /* bytes for the longest text with its NUL */

/*
 * Parses "ADDR" or "ADDR/LEN" (LEN in bits of that family). Writes *out only on success.
 * Returns 0, or -EINVAL with *why set to a constant phrase: "is not an address",
 * "has bits set behind the prefix length", ...
 */
int prefix_parse(const char *text, struct prefix *out, const char **why);

/* Writes the canonical text ("/LEN" only when shorter than the address); returns buf. */
const char *prefix_format(const struct prefix *p, char buf[static PREFIX_TEXT_MAX]);

enum family prefix_family(const struct prefix *p);

/* True when every address of p is multicast: 224.0.0.0/4, ff00::/8, I/G bit of a MAC. */
bool prefix_is_multicast(const struct prefix *p);

/* True when p lies wholly inside 224.0.0.0/24, ff02::/16 or 01:80:c2:00:00:00-0f. */
bool prefix_is_control(const struct prefix *p);

/* ff:ff:ff:ff:ff:ff, which is formally a multicast MAC. */
bool prefix_is_broadcast(const struct prefix *p);
/* True when p lies wholly inside the MACs that carry IP multicast: 01:00:5e:.., 33:33:.. */
bool prefix_is_mac_of_ip(const struct prefix *p);

/* True when every address of `inner` is one of `outer`. */
bool prefix_contains(const struct prefix *outer, const struct prefix *inner);

/* Total order: address bytes first, then the shorter one first. */
int prefix_compare(const struct prefix *a, const struct prefix *b);

#define VLAN_TEXT_MAX 16

/* "V" or "OUTER.INNER", 1..4094 each, as the vlan of bpf/xmcast.h. 0 or -EINVAL. */
int vlan_parse(const char *text, __u32 *out, const char **why);
const char *vlan_format(__u32 vlan, char buf[static VLAN_TEXT_MAX]);

#endif
