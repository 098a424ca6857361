/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is measured: a program for the ingress with its maps filled, of whatever origin. */
#ifndef XM_BENCH_SUBJECT_H
#define XM_BENCH_SUBJECT_H

#include <stdint.h>

#include "daemon/bench/topology.h"

#define SUBJECT_NAME_MAX 48

struct subject {
	char name[SUBJECT_NAME_MAX];
	unsigned int receivers; /* copies of each frame */
	bool native;
	int program; /* descriptor, owned by `state` */
	int link;    /* while it is on a real ingress: ends with us; 0: none */
	void *state;
	/* Before it runs and after: NULL when it needs nothing. 0 or negative errno. */
	int (*activate)(struct subject *subject, bool on);
	/* How it comes onto the ingress and off; NULL: `program` is attached. 0 or errno. */
	int (*attach)(struct subject *subject, bool on);
	/* Frames that the program has seen so far, and whose counter that is (NULL: its own). */
	const char *sees;
	uint64_t (*seen)(const struct subject *subject);
	void (*close)(struct subject *subject);
};

enum reference { REFERENCE_MAP, REFERENCE_MULTI, REFERENCE_LOOKUP };

struct reference_options {
	enum reference kind;
	unsigned int receivers;
	bool native;
	bool count;   /* count frames seen, as the kernel's samples did */
	int excludes; /* entries of the exclude map that copies ask; -1: no egress program */
	unsigned int map_size; /* of the broadcast's DEVMAP_HASH; 0: 32 */
	unsigned int groups;   /* REFERENCE_LOOKUP: keys in its hash, from TRAFFIC_GROUP on */
};

/* A minimal program. 0 or negative errno with fault; subject_close() it. */
int subject_reference(struct subject *out, const struct topology *topology,
		      const struct reference_options *options, struct fault *fault);
void subject_close(struct subject *subject);

/*
 * Puts the program on the ingress in its mode, in place of `previous` (NULL: nothing is there), or
 * takes the previous one off (subject NULL). 0 or negative errno; then nothing is there.
 */
int subject_attach(const struct topology *topology, struct subject *subject,
		   struct subject *previous);

#endif
