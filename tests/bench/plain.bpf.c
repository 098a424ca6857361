// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One operation on an LPM trie for each run of the program, so that BPF_PROG_TEST_RUN with
 * `repeat` times it: another way to the figures of xmcastctl bench lpm-trie, to check them.
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

__u32 entries = 1, next_key, sink, wrong;

static __always_inline struct key take(void)
{
	struct key key = {.prefix_len = 32, .data = next_key};

	if (++next_key >= entries)
		next_key = 0;
	return key;
}

SEC("xdp")
int nothing(struct xdp_md *ctx)
{
	struct key key = take();

	sink ^= key.data;
	return XDP_PASS;
}

SEC("xdp")
int lookup(struct xdp_md *ctx)
{
	struct key key = take();
	__u32 *value = bpf_map_lookup_elem(&trie, &key);

	if (!value || *value != key.data)
		wrong++;
	return XDP_PASS;
}

SEC("xdp")
int update(struct xdp_md *ctx)
{
	struct key key = take();

	if (bpf_map_update_elem(&trie, &key, &key.data, BPF_ANY))
		wrong++;
	return XDP_PASS;
}

SEC("xdp")
int delete (struct xdp_md *ctx)
{
	struct key key = take();

	if (bpf_map_delete_elem(&trie, &key))
		wrong++;
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
