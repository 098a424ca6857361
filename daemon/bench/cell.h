/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One cell of the table: a subject, its samples, and the counters that must agree. */
#ifndef XM_BENCH_CELL_H
#define XM_BENCH_CELL_H

#include <jansson.h>

#include "daemon/bench/subject.h"
#include "daemon/bench/traffic.h"

#define CELL_REASON_MAX 224

struct cell {
	struct subject subject;
	bool again; /* the same as the cell before it, measured for the noise floor */
	json_t *samples;
	uint64_t sent, seen, received[TOPOLOGY_RECEIVERS]; /* over all blocks */
	unsigned int blocks, bad;			   /* blocks with counters that disagree */
	char reason[CELL_REASON_MAX];			   /* why the first one was bad */
	char last_reason[CELL_REASON_MAX];		   /* of the last block, "": it was good */
};

/* Where and with what cells are measured. */
struct bench_place {
	const struct topology *topology;
	struct traffic *traffic;
	enum source source;
	double interval;	  /* seconds of a block, when frames come from elsewhere */
	struct subject idle;	  /* between such blocks: drops what comes */
	struct subject *attached; /* on the ingress now; NULL: nothing */
};

/*
 * Puts the cell's program on the ingress, sends `frames` (or lets them come for an interval),
 * waits until they have arrived, and compares what was sent, seen and received. *reading is of
 * this block; reason[] gets why they disagree, or "". 0, or negative errno when the program
 * cannot be attached.
 */
int cell_block(struct cell *cell, struct bench_place *place, uint64_t frames,
	       struct reading *reading, char reason[static CELL_REASON_MAX]);
/* The same, added to the cell's samples and counters. */
int cell_measure(struct cell *cell, struct bench_place *place, uint64_t frames);

/*
 * The last sample, as it is told while the run goes on; with "reason" when its counters disagree.
 * New reference.
 */
json_t *cell_sample(const struct cell *cell, const char *topology);

/* As in the result file; `topology` is "x4". New reference. */
json_t *cell_json(const struct cell *cell, const struct bench_place *place, const char *topology,
		  const char *label);
/* A cell that was not run. */
json_t *cell_empty(const char *program, const char *topology, bool native, unsigned int receivers,
		   const char *label, const char *reason);
void cell_free(struct cell *cell);

#endif
