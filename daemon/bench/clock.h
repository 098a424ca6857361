/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time that only goes on, for durations. */
#ifndef XM_BENCH_CLOCK_H
#define XM_BENCH_CLOCK_H

double clock_seconds(void);
double clock_ns(void);

#endif
