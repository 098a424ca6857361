/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract between the BPF programs and user space: every key, value and
 * word that both sides read, and the closed lists of names. Fixed-width fields,
 * no libc, sizes asserted. Change anything here and XM_LAYOUT must change too.
 */
#ifndef XMCAST_H
#define XMCAST_H

#include <linux/types.h>

/*
 * Version of everything below but the contract; part of the pin directory's name. The tests build
 * everything once more with rows of another shape.
 */
#ifdef XM_LAYOUT_TEST
#define XM_LAYOUT 1000
#define XM_SPARES 4 /* words that move what lies behind them */
#else
#define XM_LAYOUT 3
#define XM_SPARES 0
#endif

/*
 * The contract between daemons, which no layout changes. A daemon that finds what one of another
 * layout (older or newer), of other limits or with other tracepoint programs has left, makes its
 * own maps beside, copies records and counters by their names, replaces the programs one by one,
 * and only then removes the old (daemon/dataplane/predecessor.c, carry.c).
 *
 * 1. Pins lie in BPFFS/l<layout>-<netns cookie in hex>-<serial>; the highest serial is youngest.
 *    A running daemon holds an flock(2) on every such directory of its network namespace.
 * 2. An ingress program is called xmcast_ingress and is pinned as ingress_<slot in hex>. While the
 *    word of its row is 0 it passes every frame and counts none.
 * 3. `fields`, an ARRAY of struct xm_field, is pinned last and unpinned first: a directory that has
 *    neither it nor a program was left half made. The maps that it names are mmapable ARRAYs. Those
 *    of the records have one element for each interface slot or entry; those of the counters have
 *    several rows of as many. Each counter is a __u64, its value the sum of its rows. In the last
 *    row stands what was carried over from older directories; it is final when something is pinned
 *    as `carried`, and older directories count no more then. Else they are to be read instead.
 * 4. `counting`, an ARRAY of XM_COUNTING __u64, is one and the same map in all directories of a
 *    namespace: element ifindex % XM_COUNTING is the serial of the directory whose tracepoint
 *    programs count what is redirected from that device.
 */
#define XM_COUNTING	  1024
#define XM_FIELD_NAME_LEN 32
#define XM_FIELD_MAP_LEN  24
struct xm_field {
	char name[XM_FIELD_NAME_LEN]; /* "interface.received"; "": end */
	char map[XM_FIELD_MAP_LEN];   /* as it is pinned; "": none, the name alone says something */
	__u32 offset, size;	      /* bytes in an element */
};

/*
 * Reasons, the one closed list: name, level, one line for people.
 * FRAME: the whole frame was dropped and no copy was due. COPY: one copy that was
 * due did not leave. MEMBER: why an egress receives no copies (never counted).
 */
#define XM_COUNTED_REASONS(X)                                                                      \
	X(NO_EGRESS, "no-egress", FRAME, "the group has no member that is ready")                  \
	X(NO_METADATA, "no-metadata", FRAME, "the driver has no room for the exclude hand-over")   \
	X(TOO_BIG, "too-big", COPY, "the frame is larger than the egress MTU")                     \
	X(EXCLUDED, "excluded", COPY, "the exclude map names this egress (--enforce lookup)")      \
	X(NO_RECEIVER, "no-receiver", COPY, "the driver refused redirected frames (ENXIO)")        \
	X(LINK_DOWN, "link-down", COPY, "the egress was down (ENETDOWN)")                          \
	X(QUEUE_FULL, "queue-full", COPY, "the driver's transmit queue was full")                  \
	X(NO_MEMORY, "no-memory", COPY, "no memory for the copy (ENOMEM)")                         \
	X(NOT_SUPPORTED, "not-supported", COPY, "the egress cannot redirect it (EOPNOTSUPP)")      \
	X(DRIVER_ERROR, "driver-error", COPY, "the driver failed with another error")

#define XM_MEMBER_REASONS(X)                                                                       \
	X(ABSENT, "absent", MEMBER, "no interface of this name exists")                            \
	X(DOWN, "down", MEMBER, "the interface is set down")                                       \
	X(NO_CARRIER, "no-carrier", MEMBER, "the link has no carrier")                             \
	X(PEER_NO_NAPI, "peer-no-napi", MEMBER, "the veth peer has neither native XDP nor GRO")    \
	X(NO_XDP_XMIT, "no-xdp-xmit", MEMBER, "the driver cannot receive redirected frames")       \
	X(REFUSED, "refused", MEMBER, "the driver refused redirected frames at run time")          \
	X(NEEDS_GENERIC, "needs-generic", MEMBER,                                                  \
	  "this kind of egress works in generic mode only")                                        \
	X(MTU_LEVELS, "mtu-levels", MEMBER, "the set has too many different MTUs")                 \
	X(MEMBERS_LIMIT, "members-limit", MEMBER, "the set is full: raise `limit members`")        \
	X(INTERFACES_LIMIT, "interfaces-limit", MEMBER,                                            \
	  "there are too many interfaces: raise `limit interfaces`")                               \
	X(NOT_ETHERNET, "not-ethernet", MEMBER, "the interface carries no Ethernet frames")        \
	X(DETACHED, "detached", MEMBER, "the ingress is detached until `attach`")                  \
	X(NOT_ATTACHED, "not-attached", MEMBER, "the ingress has no program: see its detail")

enum xm_reason {
#define XM_ENUM(id, name, level, text) XM_REASON_##id,
	XM_COUNTED_REASONS(XM_ENUM) XM_REASONS_COUNTED, /* how many are counted */
	XM_REASON_BEFORE_MEMBER = XM_REASONS_COUNTED - 1,
	XM_MEMBER_REASONS(XM_ENUM)
#undef XM_ENUM
	    XM_REASONS, /* how many there are */
	XM_REASON_NONE = 255,
};

/* What a frame that matched no group was. All of these are passed to the stack. */
#define XM_PROTOCOLS_LIST(X)                                                                       \
	X(IPV4, "ipv4", "IPv4 multicast without a group")                                          \
	X(IPV6, "ipv6", "IPv6 multicast without a group")                                          \
	X(MAC, "mac", "another multicast MAC without a group")                                     \
	X(IGMP, "igmp", "IGMP, always passed")                                                     \
	X(MLD, "mld", "MLD, always passed")                                                        \
	X(CONTROL, "control", "224.0.0.0/24, ff02::/16, 01:80:c2:00:00:00-0f: always passed")      \
	X(UNICAST, "unicast", "sent to a unicast MAC")                                             \
	X(BROADCAST, "broadcast", "sent to ff:ff:ff:ff:ff:ff")                                     \
	X(MALFORMED, "malformed", "a header was cut short or contradicts itself")

enum xm_protocol {
#define XM_ENUM(id, name, text) XM_PROTOCOL_##id,
	XM_PROTOCOLS_LIST(XM_ENUM)
#undef XM_ENUM
	    XM_PROTOCOLS,
};

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

/*
 * The values of the other maps above are one __u32, the entry. What changes under traffic
 * is a word: one __u64 in an mmapable ARRAY, changed by one store, since a hash value that
 * is updated under traffic may be read torn or foreign.
 */

/*
 * The word of an entry: which group a frame belongs to and which set it is copied to.
 * entries[cpu * entry_stride + entry]: word and counters share a cache line, since with many
 * groups each line is a miss. Every CPU has its own copy of the word.
 */
#define XM_ENTRY_GROUP_BITS   24	   /* entry that counts for the group; 0: no group here */
#define XM_ENTRY_SET_BITS     14	   /* set; 0: none */
#define XM_ENTRY_EXCLUDE_BITS 14	   /* slot in exclude_maps; 0: none */
#define XM_ENTRY_SOURCES      (1ULL << 52) /* look for (entry, source) before using group */
#define XM_ENTRY_CONTROL      (1ULL << 53) /* may match frames of the control range */

static inline __u64 xm_entry(__u32 group, __u32 set, __u32 exclude, __u64 flags)
{
	return group | (__u64)set << 24 | (__u64)exclude << 38 | flags;
}
static inline __u32 xm_entry_group(__u64 e)
{
	return e & 0xffffff;
}
static inline __u32 xm_entry_set(__u64 e)
{
	return e >> 24 & 0x3fff;
}
static inline __u32 xm_entry_exclude(__u64 e)
{
	return e >> 38 & 0x3fff;
}

/*
 * sets[set]: where copies go. `mtu` is the smallest MTU of the ready members; a frame above
 * it goes to set `next` (the members with a larger one), 0: none. When one member is ready
 * there is no next; the word holds its interface slot instead, the key of the unicast maps.
 */
#define XM_SLOT_BITS	15
#define XM_NEXT_BITS	13
#define XM_SETS_MAX	(1 << XM_NEXT_BITS)
#define XM_SLOTS_MAX	(1 << XM_SLOT_BITS)
#define XM_MEMBERS_MAX	1023
#define XM_EXCLUDES_MAX (1 << XM_ENTRY_EXCLUDE_BITS)
#define XM_ENTRIES_MAX	(1 << XM_ENTRY_GROUP_BITS)
#define XM_MTU_LEVELS	8 /* longest chain of sets by MTU */

static inline __u64 xm_set(__u32 slot, __u32 next, __u32 ready, __u32 mtu)
{
	return slot | (__u64)next << 15 | (__u64)ready << 38 | (__u64)mtu << 48;
}
/* The word of a set with one ready member, the interface `only`. */
static inline __u64 xm_set_one(__u32 slot, __u32 only, __u32 mtu)
{
	return slot | (__u64)only << 15 | 1ULL << 38 | (__u64)mtu << 48;
}
static inline __u32 xm_set_slot(__u64 s)
{
	return s & 0x7fff;
}
static inline __u32 xm_set_ready(__u64 s)
{
	return s >> 38 & 0x3ff;
}
static inline __u32 xm_set_next(__u64 s)
{
	return xm_set_ready(s) == 1 ? 0 : s >> 15 & 0x1fff;
}
static inline __u32 xm_set_only(__u64 s)
{
	return s >> 15 & 0x7fffff;
}
static inline __u32 xm_set_mtu(__u64 s)
{
	return s >> 48;
}

/*
 * The word of an ingress. A program whose generation is not the word's passes every frame
 * uncounted: while one is replaced by another, exactly one of them counts.
 */
#define XM_INGRESS_PREFIXES	   (1U << 0) /* `prefix` has keys of this ingress */
#define XM_INGRESS_SOURCE_PREFIXES (1U << 1) /* `source_prefix` has keys of its nodes */
#define XM_INGRESS_LOOKUP	   (1U << 2) /* excludes are enforced by the egress program */
#define XM_INGRESS_GENERIC	   (1U << 3) /* attached in generic mode */

static inline __u64 xm_ingress(__u32 generation, __u32 exclude, __u32 flags)
{
	return (__u64)generation << 32 | exclude << 16 | flags;
}
static inline __u32 xm_ingress_generation(__u64 w)
{
	return w >> 32;
}
static inline __u32 xm_ingress_exclude(__u64 w)
{
	return w >> 16 & 0xffff;
}
static inline __u32 xm_ingress_flags(__u64 w)
{
	return w & 0xffff;
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
	__u64 flush_excluded; /* excluded since the last xdp_devmap_xmit on this CPU */
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
_Static_assert(sizeof(struct xm_field) == 64, "field: part of the contract");
_Static_assert(sizeof(struct xm_interface_row) % 8 == 0, "row");
_Static_assert(sizeof(struct xm_meta) == 8, "metadata must be a multiple of 4, 32 at most");
_Static_assert(sizeof(struct xm_handover) == 24, "handover");

#endif
