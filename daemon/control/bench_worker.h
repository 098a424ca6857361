/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How xmcast-bench is started. Where systemd listens for it, it gets a unit of its own, with
 * capabilities that the daemon does not have; it then reads its words from the connection, and
 * stops when more comes or the connection ends. Elsewhere it is forked and executed.
 */
#ifndef XM_CONTROL_BENCH_WORKER_H
#define XM_CONTROL_BENCH_WORKER_H

#include <jansson.h>
#include <sys/types.h>

#include "daemon/model/model.h"

struct bench_worker {
	pid_t pid; /* of a child, to be reaped; 0: a unit's, or none */
	int out;   /* where its lines come from, non-blocking; -1: none */
};

/*
 * `arguments` are its words as a JSON array, argv[1] and on the same as text, with a NULL behind.
 * 0 or negative errno with fault.
 */
int bench_worker_start(const json_t *arguments, const char **argv, struct bench_worker *out,
		       struct fault *fault);
/* Asks it to end with what it has. */
void bench_worker_stop(const struct bench_worker *worker);

#endif
