// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One operation on an LPM trie, repeated in the kernel and timed there. The harness
 * itself is measured by two more: noop (the loop) and baseline (the loop and the key).
 * What runs is fixed in read-only data before loading, so the verifier drops the rest.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/bench_lpm.h"

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct bench_lpm_key);
	__type(value, __u32);
	__uint(max_entries, 1);
} trie SEC(".maps");

/* A permutation of the key numbers, for --random. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} order SEC(".maps");

const volatile __u32 op;
const volatile __u32 nr_entries = 1;
const volatile __u32 prefix_len = 32;
const volatile __u32 low_mask = ~0U; /* bits of the counter in whole bytes of the prefix */
const volatile __u32 high_shift;     /* how far the rest moves up within its byte */
const volatile __u32 random_order;

struct bench_lpm_run runs[BENCH_LPM_PRODUCERS];

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define little_endian(x) __builtin_bswap32(x)
#else
#define little_endian(x) (x)
#endif

struct loop {
	__u32 next;
	__u32 hits, errors;
	__s32 first_error;
	__u32 sink;
};

/* The number of the next key, which is also the value that the trie holds for it. */
static __always_inline __u32 next_key(struct loop *loop, struct bench_lpm_key *key)
{
	__u32 i = loop->next;

	loop->next = i + 1 < nr_entries ? i + 1 : 0;
	if (random_order) {
		__u32 *p = bpf_map_lookup_elem(&order, &i);

		if (p)
			i = *p;
	}
	key->prefix_len = prefix_len;
	key->data = little_endian((i & low_mask) | (i & ~low_mask) << high_shift);
	return i;
}

static __always_inline void account(struct loop *loop, long error)
{
	if (!error) {
		loop->hits++;
		return;
	}
	if (!loop->errors++)
		loop->first_error = error;
}

static long step_noop(__u32 i, struct loop *loop)
{
	return 0;
}

static long step_baseline(__u32 i, struct loop *loop)
{
	struct bench_lpm_key key;
	__u32 value = next_key(loop, &key);

	loop->sink ^= key.data + value;
	account(loop, 0);
	return 0;
}

static long step_lookup(__u32 i, struct loop *loop)
{
	struct bench_lpm_key key;
	__u32 value = next_key(loop, &key);
	__u32 *found = bpf_map_lookup_elem(&trie, &key);

	account(loop, !found ? -2 /* ENOENT */ : *found != value ? -84 /* EILSEQ */ : 0);
	return 0;
}

static long step_insert(__u32 i, struct loop *loop)
{
	struct bench_lpm_key key;
	__u32 value = next_key(loop, &key);

	account(loop, bpf_map_update_elem(&trie, &key, &value, BPF_NOEXIST));
	return 0;
}

static long step_update(__u32 i, struct loop *loop)
{
	struct bench_lpm_key key;
	__u32 value = next_key(loop, &key);

	account(loop, bpf_map_update_elem(&trie, &key, &value, BPF_EXIST));
	return 0;
}

static long step_delete(__u32 i, struct loop *loop)
{
	struct bench_lpm_key key;

	next_key(loop, &key);
	account(loop, bpf_map_delete_elem(&trie, &key));
	return 0;
}

static __always_inline long repeat(struct loop *loop, __u32 count)
{
	switch (op) {
	case BENCH_LPM_NOOP:
		loop->hits = bpf_loop(count, step_noop, loop, 0);
		return loop->hits;
	case BENCH_LPM_BASELINE:
		return bpf_loop(count, step_baseline, loop, 0);
	case BENCH_LPM_LOOKUP:
		return bpf_loop(count, step_lookup, loop, 0);
	case BENCH_LPM_INSERT:
		return bpf_loop(count, step_insert, loop, 0);
	case BENCH_LPM_UPDATE:
		return bpf_loop(count, step_update, loop, 0);
	case BENCH_LPM_DELETE:
		return bpf_loop(count, step_delete, loop, 0);
	}
	return -22; /* EINVAL */
}

/* The first four bytes of the frame are the producer's number, in host order. */
SEC("xdp")
int bench_lpm(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct bench_lpm_run *run;
	struct loop loop = {};
	__u32 producer;
	__u64 start;
	long done;

	if (data + sizeof(producer) > end)
		return XDP_ABORTED;
	producer = *(__u32 *)data;
	if (producer >= BENCH_LPM_PRODUCERS)
		return XDP_ABORTED;
	run = &runs[producer];
	loop.next = run->next;

	start = bpf_ktime_get_ns();
	done = repeat(&loop, run->count);
	run->ns = bpf_ktime_get_ns() - start;

	run->next = loop.next;
	run->hits = loop.hits;
	run->errors = loop.errors;
	run->first_error = loop.first_error;
	return done == (long)run->count ? XDP_PASS : XDP_ABORTED;
}

char _license[] SEC("license") = "GPL";
