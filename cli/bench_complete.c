// SPDX-License-Identifier: GPL-2.0-or-later
/* What is computed from the samples of a result: medians, and ratios of rows. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench_result.h"
#include "cli/output.h"

/* Behind the name of a program that is there in another way, too: where their ratio goes. */
static const struct {
	const char *suffix, *member;
} variants[] = {{"-again", "noise"}, {"-dispatcher", "dispatcher"}};
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

/* Keeps the samples of blocks that both have, in order; returns how many. */
static size_t pair_up(double *a, const size_t *a_blocks, size_t a_count, double *b,
		      const size_t *b_blocks, size_t b_count)
{
	size_t i = 0, j = 0, n = 0;

	while (i < a_count && j < b_count) {
		if (a_blocks[i] == b_blocks[j]) {
			a[n] = a[i++];
			b[n++] = b[j++];
		} else if (a_blocks[i] < b_blocks[j]) {
			i++;
		} else {
			j++;
		}
	}
	return n;
}

int bench_ratio(const json_t *a, const json_t *b, bool paired, struct interval *ratio, bool *reused)
{
	size_t *a_blocks, *b_blocks, n, m;
	double *x, *y;
	int r;

	n = bench_samples(a, &x, &a_blocks);
	m = bench_samples(b, &y, &b_blocks);
	*reused = n && n == m && a != b && !memcmp(x, y, n * sizeof(*x));
	if (paired)
		r = statistics_ratio_paired(x, y, pair_up(x, a_blocks, n, y, b_blocks, m), ratio);
	else
		r = statistics_ratio_unpaired(x, n, y, m, ratio);
	free(x);
	free(y);
	free(a_blocks);
	free(b_blocks);
	return r;
}

static void complete_cell(json_t *cell)
{
	struct interval interval;
	double *samples;
	size_t count = bench_samples(cell, &samples, NULL);

	if (bench_row_ok(cell) && !statistics_median(samples, count, &interval))
		json_object_set_new(cell, "mpps", bench_interval_json(&interval));
	else
		json_object_set_new(cell, "mpps", json_null());
	free(samples);
}

/* The cell of the program that `cell` is a variant of; borrowed, or NULL. */
static json_t *plain_cell(const json_t *cells, const json_t *cell, const char *suffix)
{
	const char *program = output_string(cell, "program");
	size_t i, len = strlen(program);
	json_t *other;

	if (len < strlen(suffix) || strcmp(program + len - strlen(suffix), suffix))
		return NULL;
	len -= strlen(suffix);
	json_array_foreach((json_t *)cells, i, other)
	{
		const char *name = output_string(other, "program");

		if (strlen(name) == len && !strncmp(name, program, len) &&
		    json_equal(json_object_get(other, "topology"),
			       json_object_get(cell, "topology")) &&
		    json_equal(json_object_get(other, "mode"), json_object_get(cell, "mode")))
			return other;
	}
	return NULL;
}

static void add_ratio(json_t *ratios, const json_t *plain, const json_t *variant)
{
	struct interval ratio;
	bool reused;

	if (!bench_ratio(plain, variant, true, &ratio, &reused))
		json_array_append_new(ratios,
				      json_pack("{s:O,s:O,s:O,s:o}", "program",
						json_object_get(plain, "program"), "topology",
						json_object_get(plain, "topology"), "mode",
						json_object_get(plain, "mode"), "ratio",
						bench_interval_json(&ratio)));
}

void bench_complete(json_t *result)
{
	json_t *cells = json_object_get(result, "cells"), *ratios, *cell;
	size_t i;

	if (!cells)
		return;
	json_array_foreach(cells, i, cell) complete_cell(cell);
	for (size_t v = 0; v < VARIANTS; v++) {
		ratios = json_array();
		json_array_foreach(cells, i, cell)
		{
			json_t *plain = plain_cell(cells, cell, variants[v].suffix);

			if (plain && bench_row_ok(plain) && bench_row_ok(cell))
				add_ratio(ratios, plain, cell);
		}
		json_object_set_new(result, variants[v].member, ratios);
	}
}
