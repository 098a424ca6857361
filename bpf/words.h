/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changes under traffic is a word: one __u64 in an mmapable ARRAY, changed by one store, since
 * a hash value that is updated under traffic may be read torn or foreign. Here is what each of them
 * is made of: that of an entry, of a set, of an ingress.
 */
#ifndef XMCAST_WORDS_H
#define XMCAST_WORDS_H

#include <linux/types.h>

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
#define XM_INGRESS_LEAVING	   (1U << 4) /* passes all, but what it redirected is under way */

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

#endif
