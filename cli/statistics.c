// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/statistics.h"

#include <errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>

#ifndef RESAMPLES /* the fuzzer has no time for so many */
#define RESAMPLES 4000
#endif
#define SEED 20200701 /* the same samples always give the same interval */

/* Draws `count` of the samples with replacement; their median. `room` holds count. */
static double draw(gsl_rng *rng, const double *samples, size_t count, double *room)
{
	for (size_t i = 0; i < count; i++)
		room[i] = samples[gsl_rng_uniform_int(rng, count)];
	gsl_sort(room, 1, count);
	return gsl_stats_median_from_sorted_data(room, 1, count);
}

static double median_of(const double *samples, size_t count, double *room)
{
	for (size_t i = 0; i < count; i++)
		room[i] = samples[i];
	gsl_sort(room, 1, count);
	return gsl_stats_median_from_sorted_data(room, 1, count);
}

/* What the three have in common: the median of b, divided by that of a unless a is NULL. */
static int bootstrap(const double *a, size_t a_count, const double *b, size_t b_count,
		     struct interval *out)
{
	size_t most = a_count > b_count ? a_count : b_count;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double *room = calloc(most ? most : 1, sizeof(*room));
	double *drawn = calloc(RESAMPLES, sizeof(*drawn));
	int r = rng && room && drawn ? 0 : -ENOMEM;

	if (!r) {
		gsl_rng_set(rng, SEED);
		out->median = median_of(b, b_count, room);
		if (a)
			out->median /= median_of(a, a_count, room);
		for (size_t i = 0; i < RESAMPLES; i++) {
			drawn[i] = draw(rng, b, b_count, room);
			if (a)
				drawn[i] /= draw(rng, a, a_count, room);
		}
		gsl_sort(drawn, 1, RESAMPLES);
		out->low = gsl_stats_quantile_from_sorted_data(drawn, 1, RESAMPLES, 0.025);
		out->high = gsl_stats_quantile_from_sorted_data(drawn, 1, RESAMPLES, 0.975);
	}
	if (rng)
		gsl_rng_free(rng);
	free(room);
	free(drawn);
	return r;
}

int statistics_median(const double *samples, size_t count, struct interval *out)
{
	return count ? bootstrap(NULL, 0, samples, count, out) : -EINVAL;
}

int statistics_ratio_paired(const double *a, const double *b, size_t count, struct interval *out)
{
	double *ratios = calloc(count ? count : 1, sizeof(*ratios));
	int r = ratios ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !r; i++) {
		ratios[i] = b[i] / a[i];
		if (!(a[i] > 0) || !(b[i] > 0))
			r = -EINVAL;
	}
	if (!r)
		r = statistics_median(ratios, count, out);
	free(ratios);
	return r;
}

int statistics_ratio_unpaired(const double *a, size_t a_count, const double *b, size_t b_count,
			      struct interval *out)
{
	if (!a_count || !b_count)
		return -EINVAL;
	for (size_t i = 0; i < a_count; i++)
		if (!(a[i] > 0))
			return -EINVAL;
	return bootstrap(a, a_count, b, b_count, out);
}

const char *statistics_verdict(const struct interval *ratio)
{
	if (ratio->low > 1)
		return "faster";
	return ratio->high < 1 ? "slower" : "no difference detected";
}
