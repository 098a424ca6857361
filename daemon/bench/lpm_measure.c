// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads the program of one operation with its trie, has it run, and reports. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bench/clock.h"
#include "daemon/bench/lpm.h"
#include "daemon/bench/lpm_producers.h"
#include "daemon/bench/output.h"
#include "daemon/bench/shuffle.h"

#define INTERVALS     20 /* samples of one measurement */
#define SAMPLES_LEAST 3	 /* also when each takes long */

static int write_order(int map, uint32_t n, uint32_t seed)
{
	uint32_t *keys = malloc(n * sizeof(*keys)), *order = malloc(n * sizeof(*order)), done = n;
	unsigned short state[3];
	int r = -ENOMEM;

	if (keys && order) {
		for (uint32_t i = 0; i < n; i++)
			keys[i] = i;
		shuffle_seed(state, seed);
		shuffle(state, order, n);
		r = bpf_map_update_batch(map, keys, order, &done, NULL);
	}
	free(keys);
	free(order);
	return r;
}

static int load(struct bench_lpm_bpf **out, enum bench_lpm_op op, const struct lpm_shape *shape,
		const struct lpm_options *o, struct fault *fault)
{
	struct bench_lpm_bpf *skel = bench_lpm_bpf__open();
	uint32_t low_mask, high_shift;
	int r;

	if (!skel)
		return fault_set(fault, -errno, "bench_lpm: opening the program failed: %m");
	lpm_shape_masks(shape, &low_mask, &high_shift);
	skel->rodata->op = op;
	skel->rodata->nr_entries = shape->nr_entries;
	skel->rodata->prefix_len = shape->prefix_len;
	skel->rodata->low_mask = low_mask;
	skel->rodata->high_shift = high_shift;
	skel->rodata->random_order = o->random;
	/* One more than there are keys: before 6.13 a full trie refuses updates. */
	r = bpf_map__set_max_entries(skel->maps.trie, shape->nr_entries + 1);
	if (!r && o->random)
		r = bpf_map__set_max_entries(skel->maps.order, shape->nr_entries);
	if (!r)
		r = bench_lpm_bpf__load(skel);
	if (!r && o->random)
		r = write_order(bpf_map__fd(skel->maps.order), shape->nr_entries, o->seed);
	if (!r && (op == BENCH_LPM_LOOKUP || op == BENCH_LPM_UPDATE))
		r = lpm_fill(bpf_map__fd(skel->maps.trie), shape, 0, shape->nr_entries);
	if (r) {
		bench_lpm_bpf__destroy(skel);
		return fault_set(fault, r, "bench_lpm: a trie of %u entries: %s", shape->nr_entries,
				 strerror(-r));
	}
	*out = skel;
	return 0;
}

/* The samples, and their raw intervals. */
struct taken {
	json_t *samples, *intervals;
};

static int sample(struct producers *producers, const struct lpm_options *o, enum bench_lpm_op op,
		  uint32_t nr_entries, const struct lpm_step *step, struct taken *taken)
{
	double begin = clock_seconds(), length = o->duration / INTERVALS, per_second;
	json_t *interval = NULL;
	char what[64];
	int r = 0;

	snprintf(what, sizeof(what), "lpm-trie-%s, %u entries", lpm_op_name(op), nr_entries);
	if (o->warmup > 0)
		r = producers_run(producers, o->warmup, &per_second, &interval);
	json_decref(interval);
	for (begin = clock_seconds(); !r && !output_stopping() &&
				      (clock_seconds() - begin < o->duration ||
				       json_array_size(taken->intervals) < SAMPLES_LEAST);) {
		r = producers_run(producers, length, &per_second, &interval);
		if (per_second > 0)
			json_array_append_new(taken->samples, json_real(per_second));
		output_progress(what, step->number, step->of,
				o->duration - (clock_seconds() - begin) +
				    (step->of - step->number) * (o->warmup + o->duration),
				json_pack("[{s:s,s:I,s:f,s:O}]", "op", lpm_op_name(op),
					  "nr_entries", (json_int_t)nr_entries, "ops", per_second,
					  "interval", interval));
		json_array_append_new(taken->intervals, interval);
	}
	return r;
}

/* Every return value was looked at: one wrong answer and the figure is worth nothing. */
static json_t *report(const struct producers *producers, enum bench_lpm_op op, uint32_t share,
		      const struct taken *taken)
{
	int first = 0;
	uint64_t errors = producers_errors(producers, &first);
	char reason[160] = "";
	const char *state = "ok";

	if (errors) {
		state = "invalid";
		snprintf(reason, sizeof(reason), "%llu operations failed, the first with %s",
			 (unsigned long long)errors, strerror(-first));
	} else if (!json_array_size(taken->samples)) {
		state = "empty";
		snprintf(reason, sizeof(reason), "no data: no interval had a hit");
	}
	return json_pack(
	    "{s:s,s:s,s:s,s:I,s:O,s:O}", "state", state, "reason", reason, "method",
	    "bpf_loop in BPF_PROG_TEST_RUN, bpf_ktime_get_ns around it", "ops_per_reading",
	    (json_int_t)(lpm_uses_keys_up(op) && share < BENCH_LPM_CALLS ? share : BENCH_LPM_CALLS),
	    "samples", taken->samples, "intervals", taken->intervals);
}

int lpm_measure(const struct lpm_options *o, enum bench_lpm_op op, uint32_t nr_entries,
		const struct lpm_step *step, json_t **result, struct fault *fault)
{
	struct lpm_shape shape = {.prefix_len = o->prefix_len, .nr_entries = nr_entries};
	struct taken taken = {json_array(), json_array()};
	struct bench_lpm_bpf *skel = NULL;
	struct producers *producers;
	int r = load(&skel, op, &shape, o, fault);

	if (!r) {
		producers = producers_start(skel, op, &shape, o->producers);
		r = producers ? sample(producers, o, op, nr_entries, step, &taken) : -EAGAIN;
		if (r)
			fault_set(fault, r, "lpm-trie-%s: running the program failed: %s",
				  lpm_op_name(op), strerror(-r));
		else
			*result = report(producers, op, nr_entries / o->producers, &taken);
		producers_stop(producers);
	}
	bench_lpm_bpf__destroy(skel);
	json_decref(taken.samples);
	json_decref(taken.intervals);
	return r;
}
