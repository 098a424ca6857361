/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a parsed frame to the entry word of its group. The control plane has copied the
 * sources of shorter prefixes into the longer ones: one node decides, nothing backtracks.
 */
#ifndef XMCAST_MATCH_H
#define XMCAST_MATCH_H

#include "bpf/maps.h"
#include "bpf/parse.h"

MAP(exact, BPF_MAP_TYPE_HASH, 1, struct xm_group_key, __u32, 0);
MAP(exact_ipv4, BPF_MAP_TYPE_ARRAY, 1, __u32, struct xm_bucket, BPF_F_MMAPABLE);
MAP(prefix, BPF_MAP_TYPE_LPM_TRIE, 1, struct xm_prefix_key, __u32, BPF_F_NO_PREALLOC);
MAP(source_exact, BPF_MAP_TYPE_HASH, 1, struct xm_source_key, __u32, 0);
MAP(source_prefix, BPF_MAP_TYPE_LPM_TRIE, 1, struct xm_source_prefix_key, __u32, BPF_F_NO_PREALLOC);
MAP(entries, BPF_MAP_TYPE_ARRAY, 1, __u32, struct xm_entry_row, BPF_F_MMAPABLE);

const volatile __u32 entry_stride; /* rows of one CPU in `entries` */
const volatile __u32 bucket_mask;  /* homes in `exact_ipv4`, less one; XM_PROBES buckets follow */

/* This CPU's row of an entry. */
static __always_inline struct xm_entry_row *entry_row(__u32 entry)
{
	__u32 index = bpf_get_smp_processor_id() * entry_stride + entry;
	return bpf_map_lookup_elem(&entries, &index);
}

static __noinline __u32 match_hash(const struct xm_group_key *key)
{
	__u32 *entry = bpf_map_lookup_elem(&exact, key);
	return entry ? *entry : 0;
}

/* The entry in one bucket, 0: none, and *last tells whether to look further. */
static __always_inline __u32 match_bucket(__u32 index, __u64 address, __u32 vlan, _Bool *last)
{
	struct xm_bucket *bucket = bpf_map_lookup_elem(&exact_ipv4, &index);
	__u64 there = bucket ? *(volatile __u64 *)&bucket->address : XM_BUCKET_EMPTY;

	if (bucket && there == address) {
		__u64 entry = *(volatile __u64 *)&bucket->entry;
		if (entry >> 32 == vlan)
			return entry;
	}
	*last = there == XM_BUCKET_EMPTY;
	return 0;
}

#define IN_HASH 0xffffffff /* no entry has that number */

/*
 * The buckets behind the home; IN_HASH when all of them are taken, for then the key may be there.
 * Not static, nor given a pointer: so the verifier walks the loop once for all callers.
 */
__noinline __u32 match_behind(__u64 address, __u32 vlan, __u32 home)
{
	for (__u32 i = 1; i < XM_PROBES; i++) {
		_Bool last = 0;
		__u32 entry = match_bucket(home + i, address, vlan, &last);
		if (entry || last)
			return entry;
	}
	return IN_HASH;
}

/* The entry of a whole address, 0: none. */
static __always_inline __u32 match_exact(const struct frame *f)
{
	if (!f->ipv4)
		return match_hash(&f->key);
	__u64 address = xm_bucket_address(f->key.ingress, f->key.address.word[3]);
	__u32 home = xm_bucket_hash(address, f->key.vlan) & bucket_mask;
	_Bool last = 0;
	__u32 entry = match_bucket(home, address, f->key.vlan, &last);
	if (!entry && !last)
		entry = match_behind(address, f->key.vlan, home);
	return entry == IN_HASH ? match_hash(&f->key) : entry;
}

static __noinline __u32 match_prefix(const struct xm_group_key *key)
{
	struct xm_prefix_key lpm = {.prefixlen = 64 + 128, .key = *key};
	__u32 *entry = bpf_map_lookup_elem(&prefix, &lpm);
	return entry ? *entry : 0;
}

static __noinline __u32 match_source(const struct xm_source_key *key, __u32 flags)
{
	struct xm_source_prefix_key lpm = {.prefixlen = 32 + 128, .key = *key};
	__u32 *entry = bpf_map_lookup_elem(&source_exact, &lpm.key);
	if (!entry && flags & XM_INGRESS_SOURCE_PREFIXES)
		entry = bpf_map_lookup_elem(&source_prefix, &lpm);
	return entry ? *entry : 0;
}

/* What a frame belongs to: an entry, its row, and its word as it was read once. */
struct match {
	__u32 entry;
	struct xm_entry_row *row;
	__u64 word;
};

static __always_inline _Bool match_entry(__u32 entry, struct match *m)
{
	m->entry = entry;
	m->row = entry_row(entry);
	m->word = m->row ? *(volatile __u64 *)&m->row->word : 0;
	return xm_entry_group(m->word);
}

/* Finds the group that f belongs to. `flags` are those of the ingress word. */
static __always_inline _Bool match(const struct frame *f, __u32 flags, struct match *m)
{
	__u32 node = match_exact(f);
	if (!node && flags & XM_INGRESS_PREFIXES)
		node = match_prefix(&f->key);
	if (!node)
		return 0;
	_Bool found = match_entry(node, m);
	if (f->control && !(m->word & XM_ENTRY_CONTROL))
		return 0;
	if (m->word & XM_ENTRY_SOURCES) {
		struct xm_source_key key = {.node = node, .address = f->source};
		__u32 of_source = match_source(&key, flags);
		struct match specific;
		if (of_source && match_entry(of_source, &specific)) {
			*m = specific;
			return 1;
		}
	}
	return found;
}

#endif
