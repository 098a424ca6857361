/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the BPF programs and user space both read: keys, values and records here, and
 *
 *   words.h     what changes under traffic, packed into one __u64 each
 *   lists.h     the closed lists of names
 *   contract.h  what daemons of different layouts know of each other
 *
 * Fixed-width fields, no libc, sizes asserted. Change anything but the contract, and XM_LAYOUT must
 * change too.
 */
#ifndef XMCAST_H
#define XMCAST_H

#include <linux/types.h>

#include "bpf/contract.h"
#include "bpf/lists.h"
#include "bpf/words.h"

/*
 * Version of all that; part of the pin directory's name. The tests build everything once more with
 * rows of another shape.
 */
#ifdef XM_LAYOUT_TEST
#define XM_LAYOUT 1000
#define XM_SPARES 4 /* words that move what lies behind them */
#else
#define XM_LAYOUT 3
#define XM_SPARES 0
#endif

/*
 * An address of 128 bits, network byte order. IPv6 as it is; IPv4 a.b.c.d as
 * ::ffff:a.b.c.d (RFC 4291, 2.5.5.2); a MAC as 8 zero bytes, ff fe, the MAC. No
 * multicast IPv6 address begins with a zero byte, so the three never collide.
 */
#define XM_ADDRESS_LEN 16
#define XM_IPV4_BITS   96 /* prefix bits in front of an IPv4 address */
#define XM_MAC_BITS    80 /* prefix bits in front of a MAC address */

struct xm_address {
	union {
		__u8 byte[XM_ADDRESS_LEN];
		__u32 word[XM_ADDRESS_LEN / 4];
	};
};

/*
 * VLAN of a frame or group: 0 untagged, VID for one tag, OUTER << 16 | INNER for
 * two. A tag with VID 0 counts as no tag (802.1Q priority tag).
 */
struct xm_group_key {  /* `exact`, and behind the length `prefix` */
	__u32 ingress; /* interface slot */
	__u32 vlan;
	struct xm_address address;
};

struct xm_prefix_key {
	__u32 prefixlen; /* 64 + length of the address prefix */
	struct xm_group_key key;
};

struct xm_source_key { /* `source_exact`, and behind the length `source_prefix` */
	__u32 node;    /* entry of the group node */
	struct xm_address address;
};

struct xm_source_prefix_key {
	__u32 prefixlen; /* 32 + length of the address prefix */
	struct xm_source_key key;
};
/* The values of these maps are one __u32, the entry. */

/*
 * `exact_ipv4`: whole IPv4 addresses, most of all traffic, in an open-addressed table of our own:
 * an mmapable ARRAY of buckets, which costs a frame one inlined lookup, one multiplication
 * and mostly one cache line, where a HASH costs a call, jhash and two or three lines. A
 * key lies in the first bucket that was free from its home on; a reader goes from there to
 * the key or to an empty bucket, or past XM_PROBES buckets to `exact`, where keys lie that
 * found all of them taken.
 *
 * Why nobody finds what is another's. Each word is written by one 64-bit store. An insert
 * writes `address`, then `entry`; a delete zeroes `entry`, then makes `address` XM_BUCKET_LEFT. A
 * bucket that was left is used again only after a grace period (as it is with every map
 * here: index.c), so a reader sees of one bucket the words of one key, or zero in the place of
 * either: there is no reader that was there before the delete and still is after the insert. So
 * it does not matter in which order a CPU reads the two words, or in which it sees them written.
 */
struct xm_bucket {
	__u64 address; /* xm_bucket_address(), or one of the two below */
	__u64 entry;   /* vlan << 32 | entry, 0: none */
};
#define XM_BUCKET_EMPTY 0	     /* never used: no key lies behind */
#define XM_BUCKET_LEFT	(1ULL << 63) /* a key was here: look further */
#define XM_PROBES	32	     /* buckets from the home on that may hold a key */

static inline __u64 xm_bucket_address(__u32 ingress, __be32 address)
{
	return (__u64)ingress << 32 | address;
}
static inline __u64 xm_bucket_entry(__u32 vlan, __u32 entry)
{
	return (__u64)vlan << 32 | entry;
}
/*
 * The home is what a power of two, less one, leaves of this. Constants: the fraction of the
 * golden ratio, and two of splitmix64's (Steele, Lea, Flood 2014), which leaves no pattern of
 * addresses. Whoever finds addresses that collide nevertheless fills `exact`, whose hash is seeded.
 */
static inline __u32 xm_bucket_hash(__u64 address, __u32 vlan)
{
	__u64 hash = (address + vlan * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
	return (hash ^ hash >> 32) * 0x94d049bb133111ebULL >> 32;
}

/* What the ingress program hands to the native egress program: metadata of a frame. */
#define XM_META_MAGIC 0x786d6331U
struct xm_meta {
	__u32 magic;
	__u16 group_exclude, ingress_exclude; /* slots in exclude_maps; 0: none */
};

/* The same in generic mode, per CPU, where copies are made one after another at once. */
struct xm_handover {
	__u32 due, done; /* copies due for this frame, and those accounted for */
	__u32 group_exclude, ingress_exclude;
	__u32 ingress; /* interface slot */
	__u32 pad;
};

struct xm_interface_counters {
	/* as ingress: received = matched + sum(unmatched) + dropped of level FRAME */
	__u64 received, spare[XM_SPARES], matched,
	    copies; /* copies: due, each frame counts its ready members */
	__u64 unmatched[XM_PROTOCOLS];
	/* as egress, but FRAME reasons and redirect errors are counted at the ingress */
	__u64 transmitted;
	__u64 dropped[XM_REASONS_COUNTED];
};

/* interfaces[cpu * interface_stride + interface slot]; one row more for what was carried over */
struct xm_interface_row {
	__u64 word; /* of the ingress; the same for every CPU */
	struct xm_interface_counters counters;
};

/* bytes: whole frames without FCS. */
struct xm_group_counters {
	__u64 frames, spare[XM_SPARES], bytes, copies;
};

struct xm_entry_row {
	__u64 word;
	struct xm_group_counters counters; /* of the group whose number is this entry */
};

/* Slots of interfaces by ifindex: an array for the low ones, a hash for the others. */
#define XM_LOW_IFINDEXES 16384

/*
 * Written and read by the daemon only, kept in maps so that the next daemon knows what
 * the numbers in the other maps mean. A record is written before its number is used.
 */
#define XM_NAME_LEN 16
struct xm_interface_record {	/* interface_records[interface slot] */
	char name[XM_NAME_LEN]; /* "": free */
	__u64 spare[XM_SPARES];
	__u32 ifindex;	  /* bound to, 0: absent */
	__u32 generation; /* of the attached program, 0: none */
	__u32 flags;	  /* XM_RECORD_* */
	__u32 pad;	  /* elements of a mapped ARRAY lie 8 bytes aligned */
	__u64 too_big;	  /* copies for it that did not fit, out of the ingress's count */
};
#define XM_RECORD_NATIVE       (1U << 0) /* mode of the attached program */
#define XM_RECORD_ALLMULTI     (1U << 1) /* we set IFF_ALLMULTI: restore it */
#define XM_RECORD_VLAN_OFFLOAD (1U << 2) /* we switched a VLAN offload off: restore it */
#define XM_RECORD_DISPATCHER   (1U << 3) /* attached behind libxdp's dispatcher */

struct xm_entry_record { /* entry_records[entry] */
	__u32 used;	 /* 0: free, 1: node, 2: source */
	__u32 node;	 /* source: entry of its node */
	__u64 spare[XM_SPARES];
	struct xm_group_key key;
	struct xm_address source;
	__u8 len, source_len; /* prefix lengths in bits of the 128 */
	__u8 leaving;	      /* its key is deleted, a frame may still be on its way to the entry */
	__u8 pad[5];
};

_Static_assert(sizeof(struct xm_address) == 16, "address");
_Static_assert(sizeof(struct xm_interface_record) % 8 == 0, "interface record: it is mapped");
_Static_assert(sizeof(struct xm_entry_record) % 8 == 0, "entry record: it is mapped");
_Static_assert(sizeof(struct xm_group_key) == 24, "group key");
_Static_assert(sizeof(struct xm_bucket) == 16, "four buckets a cache line");
_Static_assert(sizeof(struct xm_prefix_key) == 28, "prefix key");
_Static_assert(sizeof(struct xm_source_key) == 20, "source key");
_Static_assert(sizeof(struct xm_source_prefix_key) == 24, "source prefix key");
_Static_assert(sizeof(struct xm_entry_row) % 32 == 0, "two rows a cache line");
_Static_assert(sizeof(struct xm_interface_row) % 8 == 0, "row");
_Static_assert(sizeof(struct xm_meta) == 8, "metadata must be a multiple of 4, 32 at most");
_Static_assert(sizeof(struct xm_handover) == 24, "handover");

#endif
