// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The run over operations and sizes, and what both ways of measuring share. Throughput is
 * operations per second of the kernel's own clock around the loop, latency its inverse per
 * producer, both in floating point.
 */
#include "daemon/bench/lpm.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "daemon/bench/environment.h"
#include "daemon/bench/output.h"
#include "daemon/bench/scheduling.h"

#define BATCH 4096

static const char *const op_names[] = {
#define BENCH_NAME(id, name) name,
    BENCH_LPM_OPS_LIST(BENCH_NAME)
#undef BENCH_NAME
};
_Static_assert(sizeof(op_names) / sizeof(op_names[0]) == BENCH_LPM_OPS, "op names");

const char *lpm_op_name(enum bench_lpm_op op)
{
	return op_names[op];
}

enum bench_lpm_op lpm_op_parse(const char *name)
{
	enum bench_lpm_op op = 0;

	while (op < BENCH_LPM_OPS && strcmp(op_names[op], name))
		op++;
	return op;
}

void lpm_shape_masks(const struct lpm_shape *shape, uint32_t *low_mask, uint32_t *high_shift)
{
	unsigned int bytes = shape->prefix_len / 8, rest = shape->prefix_len % 8;

	*low_mask = bytes >= 4 ? ~0u : (1u << 8 * bytes) - 1;
	*high_shift = rest ? 8 - rest : 0;
}

static uint32_t little_endian(uint32_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap32(x);
#endif
	return x;
}

static int change(int map, const struct lpm_shape *shape, uint32_t first, uint32_t count,
		  bool insert)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts, .elem_flags = BPF_ANY);
	struct bench_lpm_key keys[BATCH];
	uint32_t values[BATCH], low_mask, high_shift;

	lpm_shape_masks(shape, &low_mask, &high_shift);
	while (count) {
		uint32_t n = count < BATCH ? count : BATCH, done = n;
		int r;

		for (uint32_t k = 0; k < n; k++) {
			uint32_t i = first + k;

			keys[k].prefix_len = shape->prefix_len;
			keys[k].data =
			    little_endian((i & low_mask) | (i & ~low_mask) << high_shift);
			values[k] = i;
		}
		r = insert ? bpf_map_update_batch(map, keys, values, &done, &opts)
			   : bpf_map_delete_batch(map, keys, &done, &opts);
		if (r || done != n)
			return r ? r : -EIO;
		first += n;
		count -= n;
	}
	return 0;
}

int lpm_fill(int map, const struct lpm_shape *shape, uint32_t first, uint32_t count)
{
	return change(map, shape, first, count, true);
}

int lpm_empty(int map, const struct lpm_shape *shape, uint32_t first, uint32_t count)
{
	return change(map, shape, first, count, false);
}

/* {"mean", "sd"} of an array of numbers (sd: n - 1), or null when it is empty. New reference. */
static json_t *mean_sd(const json_t *samples, double scale, bool inverse)
{
	size_t n = json_array_size(samples);
	double sum = 0, squares = 0, mean;

	if (!n)
		return json_null();
	for (size_t i = 0; i < n; i++) {
		double x = json_number_value(json_array_get(samples, i));

		sum += inverse ? scale / x : scale * x;
	}
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		double x = json_number_value(json_array_get(samples, i));

		x = (inverse ? scale / x : scale * x) - mean;
		squares += x * x;
	}
	return json_pack("{s:f,s:f}", "mean", mean, "sd",
			 n > 1 ? sqrt(squares / (double)(n - 1)) : 0.0);
}

int lpm_check(const struct lpm_options *o, struct fault *fault)
{
	if (o->prefix_len < 1 || o->prefix_len > 32)
		return fault_set(fault, -EINVAL,
				 "--prefix-len %u: the keys have 32 bits of data; give 1 to 32",
				 o->prefix_len);
	if (o->producers < 1 || o->producers > BENCH_LPM_PRODUCERS)
		return fault_set(fault, -EINVAL, "--producers %u: give 1 to %d", o->producers,
				 BENCH_LPM_PRODUCERS);
	if (!(o->duration > 0) || o->duration > 3600 || !(o->warmup >= 0) || o->warmup > 3600)
		return fault_set(fault, -EINVAL,
				 "--duration and --warmup are seconds up to 3600, the duration "
				 "more than 0");
	for (unsigned int i = 0; i < o->size_count; i++) {
		uint32_t n = o->sizes[i];

		if (n < 1 || (o->prefix_len < 32 && n > 1u << o->prefix_len))
			return fault_set(fault, -EINVAL,
					 "--nr-entries %u: a prefix of %u bits has 1 to %llu "
					 "different keys; raise --prefix-len",
					 n, o->prefix_len, 1ULL << o->prefix_len);
		if (n < o->producers)
			return fault_set(fault, -EINVAL,
					 "--nr-entries %u: fewer than the %u producers that share "
					 "them; lower --producers",
					 n, o->producers);
		if (n > LPM_ENTRIES_SAFE && !o->allow_long_free)
			return fault_set(fault, -EINVAL,
					 "--nr-entries %u: freeing it would keep a CPU in the "
					 "kernel for about %.0f s; give --allow-long-free to do it",
					 n, n * LPM_FREE_SECONDS);
	}
	return 0;
}

/* Which kernel we met: flags were ignored before 6.13, and a full trie refused updates. */
static json_t *behaviour(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct bench_lpm_key key = {.prefix_len = 32};
	uint32_t value = 0;
	int noexist, full, map;

	map =
	    bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, "xm_probe", sizeof(key), sizeof(value), 1, &opts);
	if (map < 0)
		return json_null();
	bpf_map_update_elem(map, &key, &value, BPF_ANY);
	full = bpf_map_update_elem(map, &key, &value, BPF_EXIST);
	noexist = bpf_map_update_elem(map, &key, &value, BPF_NOEXIST);
	close(map);
	return json_pack("{s:s,s:s}", "noexist", noexist == -EEXIST ? "honoured" : "ignored",
			 "update_of_full_trie", full ? "refused" : "in place");
}

static json_t *measure(const struct lpm_options *o, enum bench_lpm_op op, uint32_t n,
		       const struct lpm_step *step, struct fault *fault, int *error)
{
	json_t *result = NULL, *samples;
	bool multi = op != BENCH_LPM_FREE;

	*error = multi ? lpm_measure(o, op, n, step, &result, fault)
		       : lpm_measure_free(o, n, step, &result, fault);
	if (*error)
		return NULL;
	samples = json_object_get(result, "samples");
	json_object_set_new(result, "op", json_string(lpm_op_name(op)));
	json_object_set_new(result, "nr_entries", json_integer(n));
	json_object_set_new(result, "prefix_len", json_integer(o->prefix_len));
	json_object_set_new(result, "producers", json_integer(multi ? o->producers : 1));
	json_object_set_new(result, "order",
			    json_string(o->random && multi
					    ? "random permutation"
					    : "sequential, first byte changes fastest"));
	json_object_set_new(result, "throughput_ops", mean_sd(samples, 1, false));
	json_object_set_new(result, "latency_ns",
			    mean_sd(samples, 1e9 * (multi ? (double)o->producers : 1), true));
	return result;
}

int lpm_run(const struct lpm_options *o, json_t **out, struct fault *fault)
{
	struct lpm_step step = {.of = (unsigned int)__builtin_popcount(o->ops) * o->size_count};
	json_t *results = json_array(), *environment = environment_capture();
	int r = 0;

	if (o->producers == 1) /* more would keep everybody else off as many CPUs */
		scheduling_begin();
	json_object_set_new(environment, "scheduler", json_string(scheduling_name()));
	json_object_set_new(environment, "lpm_trie", behaviour());
	for (unsigned int s = 0; s < o->size_count && !r; s++)
		for (enum bench_lpm_op op = 0; op < BENCH_LPM_OPS && !r; op++) {
			json_t *one;

			if (!(o->ops >> op & 1) || output_stopping())
				continue;
			step.number++;
			one = measure(o, op, o->sizes[s], &step, fault, &r);
			if (one)
				json_array_append_new(results, one);
		}
	environment_finish(environment);
	if (!r)
		*out = json_pack("{s:i,s:s,s:O,s:b,s:I,s:{s:f,s:f},s:O}", "version", 1, "kind",
				 "lpm-trie", "environment", environment, "partial",
				 output_stopping(), "seed", (json_int_t)o->seed, "settings",
				 "warmup", o->warmup, "duration", o->duration, "results", results);
	json_decref(results);
	json_decref(environment);
	return r;
}
