// SPDX-License-Identifier: GPL-2.0-or-later
/* How long the kernel takes to free a trie: see bpf/bench_free.bpf.c for the two methods. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench_free.skel.h"
#include "daemon/bench/clock.h"
#include "daemon/bench/lpm.h"
#include "daemon/bench/output.h"

#define SAMPLES_LEAST 3
#define POLL_NS	      200000
#define PATIENCE      30.0 /* seconds beyond ten times the estimate */

static int no_print(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level, (void)format, (void)arguments;
	return 0;
}

/* With fentry and fexit, or with the tracepoints; NULL and errno when the kernel refuses. */
static struct bench_free_bpf *attach(bool fentry, const char *name)
{
	struct bench_free_bpf *skel = bench_free_bpf__open();
	int r;

	if (!skel)
		return NULL;
	bpf_program__set_autoload(skel->progs.free_entry, fentry);
	bpf_program__set_autoload(skel->progs.free_exit, fentry);
	bpf_program__set_autoload(skel->progs.work_start, !fentry);
	bpf_program__set_autoload(skel->progs.work_end, !fentry);
	strncpy((char *)(uintptr_t)skel->rodata->wanted, name, BPF_OBJ_NAME_LEN - 1);
	r = bench_free_bpf__load(skel);
	if (!r)
		r = bench_free_bpf__attach(skel);
	if (r) {
		bench_free_bpf__destroy(skel);
		errno = -r;
		return NULL;
	}
	return skel;
}

/* One trie built and freed: seconds, or a negative errno. */
static double free_once(struct bench_free_bpf *skel, const char *name,
			const struct lpm_shape *shape)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct timespec pause = {.tv_nsec = POLL_NS};
	volatile __u64 *frees = &skel->bss->frees;
	__u64 before = *frees;
	double deadline;
	int map, r;

	map = bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, name, sizeof(struct bench_lpm_key),
			     sizeof(__u32), shape->nr_entries, &opts);
	if (map < 0)
		return map;
	r = lpm_fill(map, shape, 0, shape->nr_entries);
	close(map);
	deadline = clock_seconds() + PATIENCE + 10 * LPM_FREE_SECONDS * shape->nr_entries;
	while (*frees == before) {
		if (clock_seconds() > deadline)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
	return r ? r : 1e-9 * (double)skel->bss->ns;
}

static int sample(struct bench_free_bpf *skel, const char *name, const struct lpm_options *o,
		  const struct lpm_shape *shape, const struct lpm_step *step, json_t *samples)
{
	double begin = clock_seconds(), seconds, each = LPM_FREE_SECONDS * shape->nr_entries;
	char what[128];

	snprintf(what, sizeof(what), "lpm-trie-free, %u entries", shape->nr_entries);
	if (each > 0.5)
		snprintf(what + strlen(what), sizeof(what) - strlen(what),
			 ": each keeps a CPU in the kernel for about %.0f s", ceil(each));
	output_progress(what, step->number, step->of, o->duration + SAMPLES_LEAST * each,
			json_array());
	do {
		seconds = free_once(skel, name, shape);
		if (seconds < 0)
			return (int)seconds;
	} while (clock_seconds() - begin < o->warmup && !output_stopping());
	for (begin = clock_seconds();
	     (clock_seconds() - begin < o->duration || json_array_size(samples) < SAMPLES_LEAST) &&
	     !output_stopping();) {
		seconds = free_once(skel, name, shape);
		if (seconds < 0)
			return (int)seconds;
		json_array_append_new(samples, json_real(1 / seconds));
		output_progress(what, step->number, step->of,
				o->duration - (clock_seconds() - begin),
				json_pack("[{s:s,s:I,s:f}]", "op", "free", "nr_entries",
					  (json_int_t)shape->nr_entries, "ops", 1 / seconds));
	}
	return 0;
}

int lpm_measure_free(const struct lpm_options *o, uint32_t nr_entries, const struct lpm_step *step,
		     json_t **result, struct fault *fault)
{
	struct lpm_shape shape = {.prefix_len = o->prefix_len, .nr_entries = nr_entries};
	const char *method = "fentry and fexit of bpf_map_free_deferred";
	libbpf_print_fn_t print = libbpf_set_print(no_print);
	char name[BPF_OBJ_NAME_LEN];
	struct bench_free_bpf *skel;
	json_t *samples;
	int r;

	snprintf(name, sizeof(name), "xmf_%x", (unsigned int)getpid());
	skel = o->tracepoints ? NULL : attach(true, name);
	libbpf_set_print(print);
	if (!skel) {
		method = "workqueue tracepoints around bpf_map_free_deferred";
		skel = attach(false, name);
	}
	if (!skel)
		return fault_set(fault, -errno,
				 "lpm-trie-free: neither fentry nor the workqueue tracepoints can "
				 "be attached (%m): run as root on a kernel with BTF");
	samples = json_array();
	r = sample(skel, name, o, &shape, step, samples);
	if (!r)
		*result = json_pack("{s:s,s:s,s:s,s:I,s:O}", "state",
				    json_array_size(samples) ? "ok" : "empty", "reason",
				    json_array_size(samples) ? "" : "no data: stopped", "method",
				    method, "ops_per_reading", (json_int_t)1, "samples", samples);
	else
		fault_set(fault, r, "lpm-trie-free: %s", strerror(-r));
	json_decref(samples);
	bench_free_bpf__destroy(skel);
	return r;
}
