// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations on an LPM trie in a plain loop, which BPF_PROG_TEST_RUN repeats and times: another
 * way to the figures of xmcastctl bench lpm-trie, to check them. Two things spoil such figures:
 *
 * - One operation for each run: the kernel's code between two runs holds an indirect call, which
 *   keeps the CPU from beginning the next operation while it waits for memory. That costs a lookup
 *   of 120 ns another 20, which are not there when the time of an empty run is taken off.
 * - XDP programs: before and after each call the kernel patches code and waits some 20 ms, in which
 *   what has just been put into the trie leaves the cache. That costs a delete of 250 ns 60.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct key {
	__u32 prefix_len, data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, __u32);
	__uint(max_entries, 1);
} trie SEC(".maps");

#define PER_RUN 50 /* operations */

__u32 entries = 1, next_key, sink, wrong;

static __always_inline struct key take(void)
{
	struct key key = {.prefix_len = 32, .data = next_key};

	if (++next_key >= entries)
		next_key = 0;
	return key;
}

static __always_inline void do_nothing(void)
{
	struct key key = take();

	sink ^= key.data;
}

static __always_inline void do_lookup(void)
{
	struct key key = take();
	__u32 *value = bpf_map_lookup_elem(&trie, &key);

	if (!value || *value != key.data)
		wrong++;
}

static __always_inline void do_update(void)
{
	struct key key = take();

	if (bpf_map_update_elem(&trie, &key, &key.data, BPF_ANY))
		wrong++;
}

static __always_inline void do_delete(void)
{
	struct key key = take();

	if (bpf_map_delete_elem(&trie, &key))
		wrong++;
}

#define PROGRAM(name)                                                                              \
	SEC("tc") int name(struct __sk_buff *ctx)                                                  \
	{                                                                                          \
		_Pragma("clang loop unroll(disable)") for (int i = 0; i < PER_RUN; i++)            \
		    do_##name();                                                                   \
		return 0;                                                                          \
	}

PROGRAM(nothing)
PROGRAM(lookup)
PROGRAM(update)
PROGRAM(delete)

char _license[] SEC("license") = "GPL";
