/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the three counters disagree: what was sent, what the program saw, what each receiver
 * got. A rate measured while frames got lost is no rate, so the reason must be known.
 */
#ifndef XM_BENCH_DIAGNOSE_H
#define XM_BENCH_DIAGNOSE_H

#include "daemon/bench/traffic.h"

struct diagnosis;

/* Notes the drivers' counters before a run. NULL without memory, which diagnose_end() takes. */
struct diagnosis *diagnose_begin(const struct topology *topology, unsigned int receivers);

/*
 * After the run: writes one line to `reason`, "" when all agree with the `wanted` frames. Frees
 * the diagnosis.
 */
void diagnose_end(struct diagnosis *diagnosis, uint64_t wanted, const struct reading *reading,
		  char *reason, size_t size);

#endif
