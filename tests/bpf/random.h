/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random group tables whose prefixes and sources overlap, and frames that nearly hit them. */
#ifndef XM_TESTS_RANDOM_H
#define XM_TESTS_RANDOM_H

#include "daemon/model/model.h"
#include "tests/bpf/packet.h"

struct random {
	uint64_t state;
};

/* Where to begin: at XM_SEED=N, else somewhere else each time. Prints it. */
struct random random_seed(void);
uint64_t random_next(struct random *r);
/* 0..below-1 */
unsigned int random_below(struct random *r, unsigned int below);
/* True `percent` times of a hundred. */
bool random_chance(struct random *r, unsigned int percent);

/* Fills up to `max` different groups; returns how many. */
size_t random_table(struct random *r, struct group_key *out, size_t max);

/*
 * A frame for one of the groups, then, half of the time, mutated: bits flipped, bytes written
 * over, cut short (14 bytes at least, as BPF_PROG_TEST_RUN demands).
 */
void random_frame(struct random *r, const struct group_key *groups, size_t count,
		  struct packet *out);

#endif
