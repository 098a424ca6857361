// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/clock.h"

#include <time.h>

double clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double clock_seconds(void)
{
	return 1e-9 * clock_ns();
}
