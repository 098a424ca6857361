/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that run one operation of the LPM benchmark in the kernel, over and over. */
#ifndef XM_BENCH_LPM_PRODUCERS_H
#define XM_BENCH_LPM_PRODUCERS_H

#include "daemon/bench/lpm.h"
#include "bench_lpm.skel.h"

struct producers;

/* Does the operation leave the trie other than it was? */
bool lpm_uses_keys_up(enum bench_lpm_op op);

/* `skel` is loaded, its trie filled where the operation wants it so. NULL: no memory, no thread. */
struct producers *producers_start(struct bench_lpm_bpf *skel, enum bench_lpm_op op,
				  const struct lpm_shape *shape, unsigned int count);
void producers_stop(struct producers *producers);

/*
 * Has all of them run for `seconds` of the wall's time. *per_second is the sum of what each did in
 * the time that the kernel measured, 0: no operation succeeded; *interval gets that time and
 * number of each, {"seconds", "producers": [{"ops", "ns"}]}, a new reference. 0 or negative errno.
 */
int producers_run(struct producers *producers, double seconds, double *per_second,
		  json_t **interval);

/* Operations that returned something else than they must, so far; *first: what the first did. */
uint64_t producers_errors(const struct producers *producers, int *first);

#endif
