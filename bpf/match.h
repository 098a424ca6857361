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
MAP(exact_ipv4, BPF_MAP_TYPE_HASH, 1, struct xm_ipv4_key, __u32, 0);
MAP(prefix, BPF_MAP_TYPE_LPM_TRIE, 1, struct xm_prefix_key, __u32, BPF_F_NO_PREALLOC);
MAP(source_exact, BPF_MAP_TYPE_HASH, 1, struct xm_source_key, __u32, 0);
MAP(source_prefix, BPF_MAP_TYPE_LPM_TRIE, 1, struct xm_source_prefix_key, __u32, BPF_F_NO_PREALLOC);
MAP(entries, BPF_MAP_TYPE_ARRAY, 1, __u32, struct xm_entry_row, BPF_F_MMAPABLE);

const volatile __u32 entry_stride; /* rows of one CPU in `entries` */

/* This CPU's row of an entry. */
static __always_inline struct xm_entry_row *entry_row(__u32 entry)
{
	__u32 index = bpf_get_smp_processor_id() * entry_stride + entry;
	return bpf_map_lookup_elem(&entries, &index);
}

static __always_inline __u32 *match_exact(const struct frame *f)
{
	if (!f->ipv4)
		return bpf_map_lookup_elem(&exact, &f->key);
	struct xm_ipv4_key key = {f->key.ingress, f->key.vlan, f->key.address.word[3]};
	return bpf_map_lookup_elem(&exact_ipv4, &key);
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
	__u32 node, *entry = match_exact(f);
	if (entry)
		node = *entry;
	else if (flags & XM_INGRESS_PREFIXES)
		node = match_prefix(&f->key);
	else
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
