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
MAP(prefix, BPF_MAP_TYPE_LPM_TRIE, 1, struct xm_prefix_key, __u32, BPF_F_NO_PREALLOC);
MAP(source_exact, BPF_MAP_TYPE_HASH, 1, struct xm_source_key, __u32, 0);
MAP(source_prefix, BPF_MAP_TYPE_LPM_TRIE, 1, struct xm_source_prefix_key, __u32, BPF_F_NO_PREALLOC);
MAP(entries, BPF_MAP_TYPE_ARRAY, 1, __u32, __u64, BPF_F_MMAPABLE);

/* The word of an entry, 0 when the entry is NULL or was just taken away. */
static __always_inline __u64 entry_word(const __u32 *entry)
{
	if (!entry)
		return 0;
	__u32 index = *entry;
	__u64 *word = bpf_map_lookup_elem(&entries, &index);
	return word ? *(volatile __u64 *)word : 0;
}

static __noinline __u32 match_prefix(const struct xm_group_key *key)
{
	struct xm_prefix_key lpm = {.prefixlen = 64 + 128, .key = *key};
	__u32 *entry = bpf_map_lookup_elem(&prefix, &lpm);
	return entry ? *entry : 0;
}

static __noinline __u64 match_source(const struct xm_source_key *key, __u32 flags)
{
	struct xm_source_prefix_key lpm = {.prefixlen = 32 + 128, .key = *key};
	__u32 *entry = bpf_map_lookup_elem(&source_exact, &lpm.key);
	if (!entry && flags & XM_INGRESS_SOURCE_PREFIXES)
		entry = bpf_map_lookup_elem(&source_prefix, &lpm);
	return entry_word(entry);
}

/* The word of the group that f belongs to; 0: none. `flags` are those of the ingress word. */
static __always_inline __u64 match(const struct frame *f, __u32 flags)
{
	__u32 node, *entry = bpf_map_lookup_elem(&exact, &f->key);
	if (entry)
		node = *entry;
	else if (flags & XM_INGRESS_PREFIXES)
		node = match_prefix(&f->key);
	else
		return 0;
	__u64 word = entry_word(&node);
	if (f->control && !(word & XM_ENTRY_CONTROL))
		return 0;
	if (word & XM_ENTRY_SOURCES) {
		struct xm_source_key key = {.node = node, .address = f->source};
		__u64 of_source = match_source(&key, flags);
		if (of_source)
			return of_source;
	}
	return xm_entry_group(word) ? word : 0;
}

#endif
