// SPDX-License-Identifier: GPL-2.0-or-later
/* bench compare: did it help? Rows of one file are paired by block, rows of two are not. */
#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/bench_result.h"
#include "cli/output.h"
#include "cli/verb.h"

struct side {
	char path[PATH_MAX];
	const char *row; /* of the argument; NULL: all */
	json_t *result;
	enum bench_kind kind;
};

struct comparison {
	struct side a, b;
	bool same_file;
	double fail_below;
	bool failed;	/* a row is slower than that allows */
	unsigned int n; /* rows compared */
	json_t *rows;
};

/* What must be equal in both rows, or their ratio says nothing. */
static const char *const cell_keys[] = {"topology", "mode", "receivers", "source", NULL};
static const char *const lpm_keys[] = {"op",	    "nr_entries", "prefix_len",
				       "producers", "order",	  NULL};

/* FILE or FILE:ROW; a file's own name may hold colons. */
static int open_side(struct side *side, const char *argument)
{
	char error[BENCH_ERROR_MAX] = "";
	const char *colon = strrchr(argument, ':');
	FILE *file = fopen(argument, "re");

	if (file) {
		fclose(file);
		colon = NULL;
	}
	snprintf(side->path, sizeof(side->path), "%.*s",
		 (int)(colon ? (size_t)(colon - argument) : strlen(argument)), argument);
	side->row = colon ? colon + 1 : NULL;
	side->result = bench_load(side->path, error);
	if (!side->result || bench_check(side->result, &side->kind, error))
		return cli_fail(CLI_REFUSED, "%s: %s", side->path, error);
	return CLI_DONE;
}

static bool is_same_file(const char *a, const char *b)
{
	char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
	bool same = real_a && real_b && !strcmp(real_a, real_b);

	free(real_a);
	free(real_b);
	return same;
}

/* The key whose values differ, NULL when none does. */
static const char *not_comparable(const struct comparison *c, const json_t *a, const json_t *b)
{
	const char *const *keys = c->a.kind == BENCH_LPM ? lpm_keys : cell_keys;
	const json_t *settings_a = json_object_get(c->a.result, "settings"),
		     *settings_b = json_object_get(c->b.result, "settings");

	for (; *keys; keys++)
		if (!json_equal(json_object_get(a, *keys), json_object_get(b, *keys)))
			return *keys;
	if (!json_equal(json_object_get(settings_a, "frame_size"),
			json_object_get(settings_b, "frame_size")))
		return "frame_size";
	return NULL;
}

/* Sample i of both rows was taken in the same block. */
static bool is_paired(const struct comparison *c)
{
	return c->same_file && c->a.kind == BENCH_THROUGHPUT;
}

static int compare_rows(struct comparison *c, const json_t *a, const json_t *b)
{
	char a_name[BENCH_ROW_MAX], b_name[BENCH_ROW_MAX];
	const json_t *bad = !bench_row_ok(a) ? a : !bench_row_ok(b) ? b : NULL;
	const char *key = not_comparable(c, a, b), *verdict;
	bool paired = is_paired(c), reused;
	struct interval ratio;

	bench_row_name(a, a_name);
	bench_row_name(b, b_name);
	if (key)
		return cli_fail(CLI_REFUSED, "%s and %s are not comparable: their %s differs",
				a_name, b_name, key);
	if (bad)
		return cli_fail(CLI_REFUSED, "%s cannot be compared: it is %s: %s",
				bad == a ? a_name : b_name, output_string(bad, "state"),
				output_string(bad, "reason"));
	if (bench_ratio(a, b, paired, &ratio, &reused))
		return cli_fail(CLI_REFUSED, "%s and %s cannot be compared: too few samples",
				a_name, b_name);
	verdict = reused ? "the same samples: reused" : statistics_verdict(&ratio);
	c->failed = c->failed || ratio.high < c->fail_below;
	c->n++;
	json_array_append_new(c->rows,
			      json_pack("{s:s,s:s,s:o,s:b,s:b,s:s}", "a", a_name, "b", b_name,
					"ratio", bench_interval_json(&ratio), "paired", paired,
					"reused", reused, "verdict", verdict));
	return CLI_DONE;
}

/* Every row of a that b has, too, and that was measured in both. */
static int compare_all(struct comparison *c)
{
	char error[BENCH_ERROR_MAX], name[BENCH_ROW_MAX];
	json_t *row, *other;
	size_t i;
	int r = CLI_DONE;

	json_array_foreach(bench_rows(c->a.result), i, row)
	{
		bench_row_name(row, name);
		other = bench_row(c->b.result, name, error);
		if (other && bench_row_ok(row) && bench_row_ok(other) && r == CLI_DONE)
			r = compare_rows(c, row, other);
	}
	if (r == CLI_DONE && !c->n)
		return cli_fail(CLI_REFUSED, "%s and %s have no row in common that was measured",
				c->a.path, c->b.path);
	return r;
}

static int compare(struct comparison *c)
{
	char error[BENCH_ERROR_MAX];
	json_t *a, *b;

	if (c->a.kind != c->b.kind)
		return cli_fail(CLI_REFUSED, "%s and %s are not comparable: their kind differs",
				c->a.path, c->b.path);
	if (!c->a.row && !c->b.row)
		return compare_all(c);
	/* One row given: the other file's row of that name. */
	a = bench_row(c->a.result, c->a.row ? c->a.row : c->b.row, error);
	if (!a)
		return cli_fail(CLI_REFUSED, "%s: %s", c->a.path, error);
	b = bench_row(c->b.result, c->b.row ? c->b.row : c->a.row, error);
	if (!b)
		return cli_fail(CLI_REFUSED, "%s: %s", c->b.path, error);
	return compare_rows(c, a, b);
}

/* Values of the environment that differ, but for those that always do. */
static json_t *environment_differences(const struct comparison *c)
{
	static const char *const ignored[] = {"load", "load_after", "steal_seconds", NULL};
	json_t *a = json_object_get(c->a.result, "environment"),
	       *b = json_object_get(c->b.result, "environment"), *all = json_object(), *value;
	const char *key;

	json_object_foreach(a, key, value)
	{
		const char *const *skip = ignored;

		while (*skip && strcmp(*skip, key))
			skip++;
		if (!*skip && !json_equal(value, json_object_get(b, key)))
			json_object_set_new(all, key,
					    json_pack("[O,O?]", value, json_object_get(b, key)));
	}
	return all;
}

static void print_differences(const json_t *differences)
{
	const char *key;
	json_t *pair;

	json_object_foreach((json_t *)differences, key, pair)
	{
		char *a = json_dumps(json_array_get(pair, 0), JSON_ENCODE_ANY | JSON_COMPACT),
		     *b = json_dumps(json_array_get(pair, 1), JSON_ENCODE_ANY | JSON_COMPACT);

		printf("environment differs: %s: %.100s, then %.100s\n", key, a ? a : "",
		       b ? b : "");
		free(a);
		free(b);
	}
}

static void print(const struct comparison *c)
{
	static const struct output_column columns[] = {{"A", false},	   {"B", false},
						       {"B/A", true},	   {"95 % INTERVAL", true},
						       {"VERDICT", false}, {0}};
	struct libscols_table *table = output_table(columns);
	json_t *row;
	size_t i;

	json_array_foreach(c->rows, i, row)
	{
		struct libscols_line *line = output_line(table);
		struct interval ratio;
		char text[64];
		size_t column = 0;

		bench_interval(json_object_get(row, "ratio"), &ratio);
		output_cell(line, &column, output_string(row, "a"));
		output_cell(line, &column, output_string(row, "b"));
		snprintf(text, sizeof(text), "%.3f", ratio.median);
		output_cell(line, &column, text);
		snprintf(text, sizeof(text), "%.3f to %.3f", ratio.low, ratio.high);
		output_cell(line, &column, text);
		output_cell(line, &column, output_string(row, "verdict"));
	}
	scols_print_table(table);
	scols_unref_table(table);
	printf("%s\n",
	       is_paired(c)
		   ? "Paired: both were measured in the same blocks."
		   : "Not paired: what changed on the machine between the two counts, too.");
}

static int finish(const struct cli *cli, const struct comparison *c)
{
	json_t *differences = environment_differences(c);
	int r = CLI_DONE;

	if (cli->json) {
		json_t *all =
		    json_pack("{s:O,s:O}", "comparisons", c->rows, "environment", differences);

		r = output_json(all);
		json_decref(all);
	} else {
		print(c);
		print_differences(differences);
	}
	json_decref(differences);
	if (r == CLI_DONE && c->failed)
		return cli_fail(CLI_REFUSED, "slower than --fail-below %g allows", c->fail_below);
	return r;
}

int bench_compare(const struct cli *cli, int argc, const char **argv)
{
	struct comparison c = {.rows = json_array()};
	const struct poptOption options[] = {
	    {"fail-below", 0, POPT_ARG_DOUBLE, &c.fail_below, 0, NULL, NULL}, POPT_TABLEEND};
	poptContext context = poptGetContext(NULL, argc, argv, options, 0);
	const char *a, *b = NULL;
	int r = poptGetNextOpt(context);

	a = poptGetArg(context);
	b = poptGetArg(context);
	if (r < -1)
		r = verb_usage("bench", "%s: %s", poptBadOption(context, 0), poptStrerror(r));
	else if (!a || !b || poptPeekArg(context))
		r = verb_usage("bench", "compare takes two of FILE[:ROW]");
	else
		r = open_side(&c.a, a);
	if (r == CLI_DONE)
		r = open_side(&c.b, b);
	if (r == CLI_DONE) {
		c.same_file = is_same_file(c.a.path, c.b.path);
		r = compare(&c);
	}
	if (r == CLI_DONE)
		r = finish(cli, &c);
	poptFreeContext(context);
	json_decref(c.a.result);
	json_decref(c.b.result);
	json_decref(c.rows);
	return r;
}
