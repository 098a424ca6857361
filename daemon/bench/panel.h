/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One panel is what can be compared: all programs on one topology in one mode. It is measured in
 * blocks; in each every program runs once, in random order, so that whatever drifts meets all
 * of them alike and samples of one block are a pair. One program is in there twice: what
 * differs between those two is noise.
 */
#ifndef XM_BENCH_PANEL_H
#define XM_BENCH_PANEL_H

#include "daemon/bench/throughput.h"

struct panel {
	const struct throughput_options *options;
	const struct topology *topology;
	struct traffic *traffic;
	const char *name; /* of the topology: "x4", "A->B" */
	bool native;
	unsigned int receivers;
	enum source source;
	unsigned short *random;	   /* state of the order within blocks */
	unsigned int index, count; /* of all panels, for progress */
	json_t *cells;		   /* what it measures is appended */
};

/* 0, also when it was stopped on the way; negative errno with fault. */
int panel_run(const struct panel *panel, struct fault *fault);
/* Cells that cannot be, with the reason. */
void panel_empty(const struct panel *panel, const char *program, const char *reason);

#endif
