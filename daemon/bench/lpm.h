/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The LPM-trie benchmark: one operation at a time, timed inside the kernel. */
#ifndef XM_BENCH_LPM_USER_H
#define XM_BENCH_LPM_USER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/bench_lpm.h"
#include "daemon/model/model.h"

#define LPM_SIZES_MAX	 32
#define LPM_ENTRIES_SAFE 10000000u /* more than that: --allow-long-free */
/* Freeing, per entry: 10 million were seen to take a CPU for 5 s, 100 million for 67 s. */
#define LPM_FREE_SECONDS 6.7e-7

struct lpm_options {
	unsigned int ops; /* bit per enum bench_lpm_op */
	uint32_t sizes[LPM_SIZES_MAX];
	unsigned int size_count;
	unsigned int prefix_len; /* bits, 1..32 */
	unsigned int producers;	 /* threads */
	bool random;		 /* a random permutation of the keys, else one after another */
	bool tracepoints;	 /* free is timed by them even where fentry can be had */
	bool allow_long_free;	 /* more entries than LPM_ENTRIES_SAFE */
	uint32_t seed;		 /* of the permutation */
	double warmup, duration; /* seconds for each operation and size */
};

/* The keys of one trie. */
struct lpm_shape {
	unsigned int prefix_len;
	uint32_t nr_entries; /* at most 2^prefix_len */
};

/* For progress: this measurement is `number` (from 1) of so many. */
struct lpm_step {
	unsigned int number, of;
};

/* "lookup" for BENCH_LPM_LOOKUP, ...; lpm_op_parse() gives BENCH_LPM_OPS for no such word. */
const char *lpm_op_name(enum bench_lpm_op op);
enum bench_lpm_op lpm_op_parse(const char *name);

/* -EINVAL with fault when the options contradict each other or the caps. */
int lpm_check(const struct lpm_options *options, struct fault *fault);

/*
 * Measures every op at every size. *result is the whole file (kind "lpm-trie"), also when the
 * run was stopped early ("partial": true). 0 or negative errno with fault.
 */
int lpm_run(const struct lpm_options *options, json_t **result, struct fault *fault);

/* Where byte order and odd prefix lengths put the i-th key's bits: see bench_lpm.bpf.c. */
void lpm_shape_masks(const struct lpm_shape *shape, uint32_t *low_mask, uint32_t *high_shift);

/* Inserts (or deletes) keys first..first+count-1, value = number, in batches. */
int lpm_fill(int map, const struct lpm_shape *shape, uint32_t first, uint32_t count);
int lpm_empty(int map, const struct lpm_shape *shape, uint32_t first, uint32_t count);

/* One operation but free. *result: {"state", "samples", ..}. 0 or negative errno with fault. */
int lpm_measure(const struct lpm_options *options, enum bench_lpm_op op, uint32_t nr_entries,
		const struct lpm_step *step, json_t **result, struct fault *fault);
/* Free: each sample builds a trie, closes it and waits for the kernel to be done with it. */
int lpm_measure_free(const struct lpm_options *options, uint32_t nr_entries,
		     const struct lpm_step *step, json_t **result, struct fault *fault);

#endif
