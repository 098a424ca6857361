/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the LPM-trie benchmark's programs and xmcast-bench both read. */
#ifndef XM_BENCH_LPM_H
#define XM_BENCH_LPM_H

#include <linux/types.h>

/* The operations, the one closed list: id and the word behind "lpm-trie-". */
#define BENCH_LPM_OPS_LIST(X)                                                                      \
	X(NOOP, "noop")                                                                            \
	X(BASELINE, "baseline")                                                                    \
	X(LOOKUP, "lookup")                                                                        \
	X(INSERT, "insert")                                                                        \
	X(UPDATE, "update")                                                                        \
	X(DELETE, "delete")                                                                        \
	X(FREE, "free")

enum bench_lpm_op {
#define BENCH_ENUM(id, name) BENCH_LPM_##id,
	BENCH_LPM_OPS_LIST(BENCH_ENUM)
#undef BENCH_ENUM
	    BENCH_LPM_OPS,
};

#define BENCH_LPM_PRODUCERS 64	  /* threads at most */
#define BENCH_LPM_CALLS	    10000 /* operations per run of the program, as the selftests do */

struct bench_lpm_key {
	__u32 prefix_len; /* bits of data that count */
	__u32 data;	  /* little-endian counter: the first byte changes fastest */
};

/* One producer's line: two cache lines, so that producers do not share one. */
struct bench_lpm_run {
	__u64 next;	   /* in: index of the first key; out: of the next one */
	__u64 count;	   /* in: operations to do */
	__u64 hits;	   /* out, of this run: operations that returned what they must */
	__u64 errors;	   /* out, of this run: those that did not */
	__s64 first_error; /* out: what the first of those returned */
	__u64 ns;	   /* out: the kernel's clock around the loop */
	__u64 pad[10];
};

_Static_assert(sizeof(struct bench_lpm_key) == 8, "key");
_Static_assert(sizeof(struct bench_lpm_run) == 128, "run");

#endif
