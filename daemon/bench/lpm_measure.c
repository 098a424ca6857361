// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Producers are threads that run the BPF program in turns. insert and delete use their
 * keys up, so a round has three parts with a barrier between them: everyone makes his
 * own share of the keys ready again (untimed), everyone runs, everyone waits. An interval
 * is as many rounds as its length allows; what counts is the time that the kernel measured.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bpf/bench_lpm.h"
#include "bench_lpm.skel.h"
#include "daemon/bench/lpm.h"
#include "daemon/bench/output.h"

#define INTERVALS     20 /* samples of one measurement */
#define SAMPLES_LEAST 3	 /* also when each takes long */
#define CALLS_PER_ROUND                                                                            \
	16 /* runs of the program between two barriers, where nothing is used up                   \
	    */

struct producer {
	struct bench *bench;
	pthread_t thread;
	unsigned int id;
	uint32_t first, count; /* its share of the keys */
	bool filled;	       /* its share is in the trie */
	uint64_t ops, errors, ns;
	int64_t first_error;
	int fatal;
};

struct bench {
	struct bench_lpm_bpf *skel;
	enum bench_lpm_op op;
	struct lpm_shape shape;
	unsigned int producers, started;
	struct producer *producer;
	pthread_barrier_t gate, round; /* with and without the main thread */
	double deadline;
	bool go, quit;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool uses_keys_up(enum bench_lpm_op op)
{
	return op == BENCH_LPM_INSERT || op == BENCH_LPM_DELETE;
}

/* One run of the program over `count` operations from where this producer stands. */
static int run_program(struct producer *p, uint32_t count)
{
	struct bench_lpm_run *run = &p->bench->skel->bss->runs[p->id];
	unsigned char frame[64] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = 1);
	int r;

	memcpy(frame, &p->id, sizeof(p->id));
	run->count = count;
	r = bpf_prog_test_run_opts(bpf_program__fd(p->bench->skel->progs.bench_lpm), &opts);
	if (r || opts.retval != 2 /* XDP_PASS */)
		return r ? r : -EIO;
	if (run->errors && !p->errors)
		p->first_error = run->first_error;
	p->ops += run->hits;
	p->errors += run->errors;
	p->ns += run->ns;
	return 0;
}

/* Gives a share of used keys back: into the trie for delete, out of it for insert. */
static int make_ready(struct producer *p)
{
	struct bench *b = p->bench;
	bool wanted = b->op != BENCH_LPM_INSERT;
	int map = bpf_map__fd(b->skel->maps.trie), r = 0;

	if (!uses_keys_up(b->op))
		return 0;
	if (p->filled != wanted)
		r = wanted ? lpm_fill(map, &b->shape, p->first, p->count)
			   : lpm_empty(map, &b->shape, p->first, p->count);
	p->filled = !wanted; /* after the round that follows */
	b->skel->bss->runs[p->id].next = p->first;
	return r;
}

static int run_round(struct producer *p)
{
	struct bench *b = p->bench;
	uint32_t left = uses_keys_up(b->op) ? p->count : CALLS_PER_ROUND * BENCH_LPM_CALLS;
	int r = 0;

	while (left && !r) {
		uint32_t n = left < BENCH_LPM_CALLS ? left : BENCH_LPM_CALLS;

		r = run_program(p, n);
		left -= n;
	}
	return r;
}

static void run_interval(struct producer *p)
{
	struct bench *b = p->bench;
	int r = 0;

	do {
		if (!r)
			r = make_ready(p);
		pthread_barrier_wait(&b->round);
		if (!r)
			r = run_round(p);
		if (!p->id)
			b->go = now() < b->deadline && !output_stopping();
		pthread_barrier_wait(&b->round);
	} while (b->go);
	if (r)
		p->fatal = r;
}

static void *producer_main(void *data)
{
	struct producer *p = data;
	struct bench *b = p->bench;

	for (;;) {
		pthread_barrier_wait(&b->gate);
		if (b->quit)
			return NULL;
		run_interval(p);
		pthread_barrier_wait(&b->gate);
	}
}

/* The n-th CPU that we may use, so that producers do not share one while there are enough. */
static void bind_to_cpu(pthread_t thread, unsigned int n)
{
	cpu_set_t allowed, one;
	unsigned int seen = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) ||
	    n >= (unsigned int)CPU_COUNT(&allowed))
		return;
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && seen++ == n)
			CPU_SET(cpu, &one);
	pthread_setaffinity_np(thread, sizeof(one), &one);
}

static void shuffle(uint32_t *order, uint32_t n, uint32_t seed)
{
	unsigned short state[3] = {0x330e, (unsigned short)seed, (unsigned short)(seed >> 16)};

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t j = (uint32_t)(erand48(state) * (i + 1.0)), t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
}

static int write_order(int map, uint32_t n, uint32_t seed)
{
	uint32_t *keys = malloc(n * sizeof(*keys)), *order = malloc(n * sizeof(*order)), done = n;
	int r = -ENOMEM;

	if (keys && order) {
		for (uint32_t i = 0; i < n; i++)
			keys[i] = i;
		shuffle(order, n, seed);
		r = bpf_map_update_batch(map, keys, order, &done, NULL);
	}
	free(keys);
	free(order);
	return r;
}

static int load(struct bench *b, const struct lpm_options *o, struct fault *fault)
{
	uint32_t low_mask, high_shift;
	int r;

	b->skel = bench_lpm_bpf__open();
	if (!b->skel)
		return fault_set(fault, -errno, "bench_lpm: opening the program failed: %m");
	lpm_shape_masks(&b->shape, &low_mask, &high_shift);
	b->skel->rodata->op = b->op;
	b->skel->rodata->nr_entries = b->shape.nr_entries;
	b->skel->rodata->prefix_len = b->shape.prefix_len;
	b->skel->rodata->low_mask = low_mask;
	b->skel->rodata->high_shift = high_shift;
	b->skel->rodata->random_order = o->random;
	/* One more than there are keys: before 6.13 a full trie refuses updates. */
	r = bpf_map__set_max_entries(b->skel->maps.trie, b->shape.nr_entries + 1);
	if (!r && o->random)
		r = bpf_map__set_max_entries(b->skel->maps.order, b->shape.nr_entries);
	if (!r)
		r = bench_lpm_bpf__load(b->skel);
	if (!r && o->random)
		r = write_order(bpf_map__fd(b->skel->maps.order), b->shape.nr_entries, o->seed);
	if (!r && (b->op == BENCH_LPM_LOOKUP || b->op == BENCH_LPM_UPDATE))
		r = lpm_fill(bpf_map__fd(b->skel->maps.trie), &b->shape, 0, b->shape.nr_entries);
	if (r)
		return fault_set(fault, r, "bench_lpm: a trie of %u entries: %s",
				 b->shape.nr_entries, strerror(-r));
	return 0;
}

static int start(struct bench *b)
{
	uint64_t n = b->shape.nr_entries;

	pthread_barrier_init(&b->gate, NULL, b->producers + 1);
	pthread_barrier_init(&b->round, NULL, b->producers);
	for (unsigned int i = 0; i < b->producers; i++) {
		struct producer *p = &b->producer[i];

		p->bench = b;
		p->id = i;
		p->first = (uint32_t)(n * i / b->producers);
		p->count = (uint32_t)(n * (i + 1) / b->producers) - p->first;
		b->skel->bss->runs[i].next = p->first;
		if (pthread_create(&p->thread, NULL, producer_main, p))
			return -EAGAIN;
		b->started++;
		bind_to_cpu(p->thread, i);
	}
	return 0;
}

static void stop(struct bench *b)
{
	b->quit = true;
	if (b->started == b->producers)
		pthread_barrier_wait(&b->gate);
	for (unsigned int i = 0; i < b->started; i++) {
		if (b->started != b->producers)
			pthread_cancel(b->producer[i].thread);
		pthread_join(b->producer[i].thread, NULL);
	}
}

/* Runs all producers for `seconds` of the wall's time; returns operations per second. */
static double interval(struct bench *b, double seconds)
{
	double per_second = 0;

	for (unsigned int i = 0; i < b->producers; i++)
		b->producer[i].ops = b->producer[i].ns = 0;
	b->deadline = now() + seconds;
	pthread_barrier_wait(&b->gate);
	pthread_barrier_wait(&b->gate);
	for (unsigned int i = 0; i < b->producers; i++) {
		struct producer *p = &b->producer[i];

		if (p->ns)
			per_second += 1e9 * (double)p->ops / (double)p->ns;
	}
	return per_second;
}

static json_t *interval_raw(const struct bench *b, double seconds)
{
	json_t *producers = json_array();

	for (unsigned int i = 0; i < b->producers; i++)
		json_array_append_new(producers,
				      json_pack("{s:I,s:I}", "ops", (json_int_t)b->producer[i].ops,
						"ns", (json_int_t)b->producer[i].ns));
	return json_pack("{s:f,s:o}", "seconds", seconds, "producers", producers);
}

static int sample(struct bench *b, const struct lpm_options *o, unsigned int step,
		  unsigned int steps, json_t *samples, json_t *raw)
{
	double begin = now(), length = o->duration / INTERVALS;
	char what[64];

	snprintf(what, sizeof(what), "lpm-trie-%s, %u entries", lpm_op_name(b->op),
		 b->shape.nr_entries);
	if (o->warmup > 0)
		interval(b, o->warmup);
	for (begin = now(); (now() - begin < o->duration || json_array_size(raw) < SAMPLES_LEAST) &&
			    !output_stopping();) {
		double t = now(), per_second = interval(b, length);

		for (unsigned int i = 0; i < b->producers; i++)
			if (b->producer[i].fatal)
				return b->producer[i].fatal;
		json_array_append_new(raw, interval_raw(b, now() - t));
		if (per_second > 0)
			json_array_append_new(samples, json_real(per_second));
		output_progress(what, step, steps,
				o->duration - (now() - begin) +
				    (steps - step) * (o->warmup + o->duration),
				json_pack("{s:f}", "ops", per_second));
	}
	return 0;
}

/* Every return value was looked at: one wrong answer and the figure is worth nothing. */
static json_t *report(const struct bench *b, json_t *samples, json_t *raw)
{
	uint64_t errors = 0;
	int64_t first_error = 0;
	char reason[160] = "";
	const char *state = "ok";

	for (unsigned int i = 0; i < b->producers; i++) {
		if (b->producer[i].errors && !errors)
			first_error = b->producer[i].first_error;
		errors += b->producer[i].errors;
	}
	if (errors) {
		state = "invalid";
		snprintf(reason, sizeof(reason), "%llu operations failed, the first with %s",
			 (unsigned long long)errors, strerror((int)-first_error));
	} else if (!json_array_size(samples)) {
		state = "empty";
		snprintf(reason, sizeof(reason), "no data: no interval had a hit");
	}
	return json_pack("{s:s,s:s,s:s,s:I,s:O,s:O}", "state", state, "reason", reason, "method",
			 "bpf_loop in BPF_PROG_TEST_RUN, bpf_ktime_get_ns around it",
			 "ops_per_reading",
			 (json_int_t)(uses_keys_up(b->op) && b->producer[0].count < BENCH_LPM_CALLS
					  ? b->producer[0].count
					  : BENCH_LPM_CALLS),
			 "samples", samples, "intervals", raw);
}

int lpm_measure(const struct lpm_options *o, enum bench_lpm_op op, uint32_t nr_entries,
		unsigned int step, unsigned int steps, json_t **result, struct fault *fault)
{
	struct bench b = {.op = op,
			  .shape = {.prefix_len = o->prefix_len, .nr_entries = nr_entries},
			  .producers = o->producers};
	json_t *samples = json_array(), *raw = json_array();
	int r;

	b.producer = calloc(b.producers, sizeof(*b.producer));
	r = !b.producer || !samples || !raw ? -ENOMEM : load(&b, o, fault);
	if (!r) {
		r = start(&b);
		if (!r)
			r = sample(&b, o, step, steps, samples, raw);
		stop(&b);
		if (r)
			fault_set(fault, r, "lpm-trie-%s: running the program failed: %s",
				  lpm_op_name(op), strerror(-r));
	}
	if (!r)
		*result = report(&b, samples, raw);
	bench_lpm_bpf__destroy(b.skel);
	free(b.producer);
	json_decref(samples);
	json_decref(raw);
	return r;
}
