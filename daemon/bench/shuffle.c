// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/shuffle.h"

#include <stdlib.h>

void shuffle_seed(unsigned short state[static 3], uint32_t seed)
{
	state[0] = 0x330e;
	state[1] = (unsigned short)seed;
	state[2] = (unsigned short)(seed >> 16);
}

void shuffle(unsigned short state[static 3], uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = (uint32_t)(erand48(state) * i), t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
}
