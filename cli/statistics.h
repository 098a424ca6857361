/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Medians and ratios with a 95 % interval, by the percentile bootstrap (Efron): the samples are
 * drawn again with replacement many times, and the middle 95 % of what comes out is the
 * interval. No distribution is assumed, outliers stay in.
 */
#ifndef XM_CLI_STATISTICS_H
#define XM_CLI_STATISTICS_H

#include <stddef.h>

struct interval {
	double median, low, high;
};

/* 0, -EINVAL for no samples or such that a ratio cannot be made of, -ENOMEM. */
int statistics_median(const double *samples, size_t count, struct interval *out);
/* Of b[i] / a[i], where sample i of both was taken in the same block. */
int statistics_ratio_paired(const double *a, const double *b, size_t count, struct interval *out);
/* Of median(b) / median(a), each drawn by itself. */
int statistics_ratio_unpaired(const double *a, size_t a_count, const double *b, size_t b_count,
			      struct interval *out);

/* "faster" when the whole interval is above 1, "slower" below, else "no difference detected". */
const char *statistics_verdict(const struct interval *ratio);

#endif
