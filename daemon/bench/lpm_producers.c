// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Producers are threads that run the BPF program in turns. insert and delete use their
 * keys up, so a round has three parts with a barrier between them: everyone makes his
 * own share of the keys ready again (untimed), everyone runs, everyone waits. An interval
 * is as many rounds as its length allows; what counts is the time that the kernel measured.
 */
#include "daemon/bench/lpm_producers.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bench/clock.h"
#include "daemon/bench/output.h"

/* Runs of the program between two barriers, where nothing is used up. */
#define CALLS_PER_ROUND 16

struct producer {
	struct producers *all;
	pthread_t thread;
	unsigned int id;
	uint32_t first, count; /* its share of the keys */
	bool filled;	       /* its share is in the trie */
	uint64_t ops, errors, ns;
	int64_t first_error;
	int fatal;
};

struct producers {
	struct bench_lpm_bpf *skel;
	enum bench_lpm_op op;
	struct lpm_shape shape;
	unsigned int count, started;
	pthread_barrier_t gate, round; /* with and without the main thread */
	double deadline;
	bool go, quit;
	struct producer producer[];
};

bool lpm_uses_keys_up(enum bench_lpm_op op)
{
	return op == BENCH_LPM_INSERT || op == BENCH_LPM_DELETE;
}

/* One run of the program over `count` operations from where this producer stands. */
static int run_program(struct producer *p, uint32_t count)
{
	struct bench_lpm_run *run = &p->all->skel->bss->runs[p->id];
	unsigned char frame[64] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = 1);
	int r;

	memcpy(frame, &p->id, sizeof(p->id));
	run->count = count;
	r = bpf_prog_test_run_opts(bpf_program__fd(p->all->skel->progs.bench_lpm), &opts);
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
	struct producers *b = p->all;
	bool wanted = b->op != BENCH_LPM_INSERT;
	int map = bpf_map__fd(b->skel->maps.trie), r = 0;

	if (!lpm_uses_keys_up(b->op))
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
	struct producers *b = p->all;
	uint32_t left = lpm_uses_keys_up(b->op) ? p->count : CALLS_PER_ROUND * BENCH_LPM_CALLS;
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
	struct producers *b = p->all;
	int r = 0;

	do {
		if (!r)
			r = make_ready(p);
		pthread_barrier_wait(&b->round);
		if (!r)
			r = run_round(p);
		if (!p->id)
			b->go = clock_seconds() < b->deadline && !output_stopping();
		pthread_barrier_wait(&b->round);
	} while (b->go);
	if (r)
		p->fatal = r;
}

static void *producer_main(void *data)
{
	struct producer *p = data;
	struct producers *b = p->all;

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

static int start(struct producers *b)
{
	uint64_t n = b->shape.nr_entries;

	for (unsigned int i = 0; i < b->count; i++) {
		struct producer *p = &b->producer[i];

		p->all = b;
		p->id = i;
		p->first = (uint32_t)(n * i / b->count);
		p->count = (uint32_t)(n * (i + 1) / b->count) - p->first;
		b->skel->bss->runs[i].next = p->first;
		if (pthread_create(&p->thread, NULL, producer_main, p))
			return -EAGAIN;
		b->started++;
		bind_to_cpu(p->thread, i);
	}
	return 0;
}

struct producers *producers_start(struct bench_lpm_bpf *skel, enum bench_lpm_op op,
				  const struct lpm_shape *shape, unsigned int count)
{
	struct producers *b = calloc(1, sizeof(*b) + count * sizeof(b->producer[0]));

	if (!b)
		return NULL;
	b->skel = skel;
	b->op = op;
	b->shape = *shape;
	b->count = count;
	pthread_barrier_init(&b->gate, NULL, count + 1);
	pthread_barrier_init(&b->round, NULL, count);
	if (!start(b))
		return b;
	producers_stop(b);
	return NULL;
}

void producers_stop(struct producers *b)
{
	if (!b)
		return;
	b->quit = true;
	if (b->started == b->count)
		pthread_barrier_wait(&b->gate);
	for (unsigned int i = 0; i < b->started; i++) {
		if (b->started != b->count)
			pthread_cancel(b->producer[i].thread);
		pthread_join(b->producer[i].thread, NULL);
	}
	free(b);
}

static json_t *raw(const struct producers *b, double seconds)
{
	json_t *each = json_array();

	for (unsigned int i = 0; i < b->count; i++)
		json_array_append_new(each,
				      json_pack("{s:I,s:I}", "ops", (json_int_t)b->producer[i].ops,
						"ns", (json_int_t)b->producer[i].ns));
	return json_pack("{s:f,s:o}", "seconds", seconds, "producers", each);
}

int producers_run(struct producers *b, double seconds, double *per_second, json_t **interval)
{
	double begin = clock_seconds();
	int r = 0;

	*per_second = 0;
	for (unsigned int i = 0; i < b->count; i++)
		b->producer[i].ops = b->producer[i].ns = 0;
	b->deadline = begin + seconds;
	pthread_barrier_wait(&b->gate);
	pthread_barrier_wait(&b->gate);
	for (unsigned int i = 0; i < b->count; i++) {
		const struct producer *p = &b->producer[i];

		if (p->ns)
			*per_second += 1e9 * (double)p->ops / (double)p->ns;
		r = r ? r : p->fatal;
	}
	*interval = raw(b, clock_seconds() - begin);
	return r;
}

uint64_t producers_errors(const struct producers *b, int *first)
{
	uint64_t errors = 0;

	for (unsigned int i = 0; i < b->count; i++) {
		if (b->producer[i].errors && !errors)
			*first = (int)b->producer[i].first_error;
		errors += b->producer[i].errors;
	}
	return errors;
}
