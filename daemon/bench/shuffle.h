/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders that a seed repeats. */
#ifndef XM_BENCH_SHUFFLE_H
#define XM_BENCH_SHUFFLE_H

#include <stdint.h>

/* As srand48(3) does. */
void shuffle_seed(unsigned short state[static 3], uint32_t seed);
/* 0..n-1, each once, into order[]. */
void shuffle(unsigned short state[static 3], uint32_t *order, uint32_t n);

#endif
