// SPDX-License-Identifier: GPL-2.0-or-later
/* Medians and ratios: by arithmetic, and by what a 95 % interval promises. */
#include <errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/statistics.h"

#define COUNT  40
#define TRIALS 300

static void near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-9 * fabs(b));
}

static void test_median(void **state)
{
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, same[] = {7, 7, 7, 7, 7};
	struct interval i;

	(void)state;
	assert_int_equal(statistics_median(odd, 3, &i), 0);
	near(i.median, 2);
	assert_true(i.low >= 1 && i.low <= 2 && i.high >= 2 && i.high <= 3);
	assert_int_equal(statistics_median(even, 4, &i), 0);
	near(i.median, 2.5);
	assert_int_equal(statistics_median(same, 5, &i), 0);
	near(i.low, 7);
	near(i.high, 7);
	assert_int_equal(statistics_median(same, 0, &i), -EINVAL);
}

/* One wild sample of many moves neither the median nor much of the interval. */
static void test_outlier(void **state)
{
	double samples[COUNT];
	struct interval i;

	(void)state;
	for (int k = 0; k < COUNT; k++)
		samples[k] = 10 + 0.01 * k;
	samples[7] = 1e6;
	assert_int_equal(statistics_median(samples, COUNT, &i), 0);
	assert_true(i.median > 10.1 && i.median < 10.3);
	assert_true(i.high < 10.4);
}

/* The common drift of both cancels in pairs, and only there. */
static void test_pairs(void **state)
{
	double a[COUNT], b[COUNT];
	struct interval i;

	(void)state;
	for (int k = 0; k < COUNT; k++) {
		a[k] = 1 + k; /* drifts by a factor of 40 */
		b[k] = 1.1 * a[k];
	}
	assert_int_equal(statistics_ratio_paired(a, b, COUNT, &i), 0);
	near(i.median, 1.1);
	near(i.low, 1.1);
	near(i.high, 1.1);
	assert_string_equal(statistics_verdict(&i), "faster");
	assert_int_equal(statistics_ratio_unpaired(a, COUNT, b, COUNT, &i), 0);
	near(i.median, 1.1);
	assert_true(i.low < 1 && i.high > 1);
	assert_string_equal(statistics_verdict(&i), "no difference detected");
}

static void test_no_ratio(void **state)
{
	double a[] = {1, 0}, b[] = {1, 1};
	struct interval i;

	(void)state;
	assert_int_equal(statistics_ratio_paired(a, b, 2, &i), -EINVAL);
	assert_int_equal(statistics_ratio_unpaired(a, 2, b, 2, &i), -EINVAL);
	assert_int_equal(statistics_ratio_paired(a, b, 0, &i), -EINVAL);
	assert_int_equal(statistics_ratio_unpaired(b, 2, b, 0, &i), -EINVAL);
}

/* How often two runs of `shift` between them are told apart, of TRIALS. */
static int told_apart(double shift, double noise)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
	int count = 0;

	gsl_rng_set(rng, 4711);
	for (int trial = 0; trial < TRIALS; trial++) {
		double a[COUNT], b[COUNT];
		struct interval i;

		for (int k = 0; k < COUNT; k++) {
			a[k] = 5 * exp(gsl_ran_gaussian(rng, noise));
			b[k] = 5 * shift * exp(gsl_ran_gaussian(rng, noise));
		}
		assert_int_equal(statistics_ratio_paired(a, b, COUNT, &i), 0);
		count += i.low > 1 || i.high < 1;
	}
	gsl_rng_free(rng);
	return count;
}

/* 95 % means: of 300 comparisons of a thing with itself, 15 +- 3.8 claim a difference. */
static void test_coverage(void **state)
{
	int claims = told_apart(1, 0.05);

	(void)state;
	assert_true(claims >= 2 && claims <= 30);
}

static void test_power(void **state)
{
	(void)state;
	assert_true(told_apart(0.9, 0.05) == TRIALS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_median),   cmocka_unit_test(test_outlier),
	    cmocka_unit_test(test_pairs),    cmocka_unit_test(test_no_ratio),
	    cmocka_unit_test(test_coverage), cmocka_unit_test(test_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
