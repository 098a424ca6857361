/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The throughput table: programs x topologies x modes, measured in paired blocks. */
#ifndef XM_BENCH_THROUGHPUT_H
#define XM_BENCH_THROUGHPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/bench/traffic.h"
#include "daemon/model/model.h"

#define THROUGHPUT_COLUMNS 16

enum source_wish { WISH_BEST, WISH_LIVE, WISH_PACKET, WISH_PKTGEN, WISH_EXTERNAL };

struct throughput_options {
	bool native, generic;
	unsigned int receivers[THROUGHPUT_COLUMNS], receiver_count;
	const char *programs; /* names, comma-separated; NULL: all */
	const char *object;   /* program=FILE: one more program, from there; NULL: none */
	const char *label;    /* of the version that is measured; NULL: xmcast's own */
	enum source_wish source;
	/* Real interfaces, by name; NULL: none. `out`: the first of a list is B. */
	const char *in, *out, *sender; /* sender: --pktgen-dev, which sends to `in` */
	unsigned int frame_size;       /* bytes with FCS */
	unsigned int batch;	       /* live frames per round; 0: what is lost by nobody */
	unsigned int pps;	       /* frames a second that are sent; 0: as fast as it goes */
	unsigned int pairs;	       /* blocks, each with every program once */
	double duration;	       /* seconds per cell, over all its blocks */
	uint32_t seed;		       /* of the order within blocks */
	bool quick;
};

/* -EINVAL with fault when an option is out of its range. */
int throughput_check(const struct throughput_options *options, struct fault *fault);

/*
 * Measures. *result is the whole file (kind "throughput"), without the statistics, which whoever
 * reads computes from the samples; "partial": true when it was stopped. 0 or negative errno with
 * fault.
 */
int throughput_run(const struct throughput_options *options, json_t **result, struct fault *fault);

#endif
