// SPDX-License-Identifier: GPL-2.0-or-later
/* Results as a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/bench_result.h"
#include "cli/output.h"

#define CELL_MAX 64

/* "x4" as it is; "A->B" with the drivers of A and B. */
static const char *topology(const json_t *result, const json_t *cell, char text[static CELL_MAX])
{
	const json_t *drivers = json_object_get(json_object_get(result, "environment"), "drivers");
	const char *name = output_string(cell, "topology"), *in = output_string(drivers, "in");
	const char *out = strstr(name, "B") ? output_string(drivers, "out") : "veth";

	if (strncmp(name, "A->", 3) || !*in ||
	    !json_integer_value(json_object_get(cell, "receivers")))
		snprintf(text, CELL_MAX, "%s", name);
	else
		snprintf(text, CELL_MAX, "%s (%.16s->%.16s%s)", name, in, out,
			 strstr(name, "+") ? "+veth" : "");
	return text;
}

/* The cell of the same label, program and topology in another mode; borrowed, or NULL. */
static const json_t *in_mode(const json_t *cells, const json_t *like, const char *mode)
{
	static const char *const keys[] = {"label", "program", "topology"};
	json_t *cell;
	size_t i;

	json_array_foreach((json_t *)cells, i, cell)
	{
		size_t k = 0;

		while (k < 3 &&
		       json_equal(json_object_get(cell, keys[k]), json_object_get(like, keys[k])))
			k++;
		if (k == 3 && !strcmp(output_string(cell, "mode"), mode))
			return cell;
	}
	return NULL;
}

/* "1.234 +- 0.012", or the state of a cell without a figure; "" when there is no cell. */
static const char *mpps(const json_t *cell, char text[static CELL_MAX])
{
	struct interval i;

	if (!cell)
		text[0] = 0;
	else if (bench_row_ok(cell) && bench_interval(json_object_get(cell, "mpps"), &i))
		snprintf(text, CELL_MAX, "%.3f +- %.3f", i.median, (i.high - i.low) / 2);
	else
		snprintf(text, CELL_MAX, "%s", output_string(cell, "state"));
	return text;
}

/* Is this the first cell of its row? Its row is printed then, with all modes. */
static bool begins_row(const json_t *cells, const json_t *cell)
{
	return in_mode(cells, cell, "native") == cell ||
	       (!in_mode(cells, cell, "native") && in_mode(cells, cell, "generic") == cell);
}

static struct libscols_table *throughput_table(const json_t *result, const json_t *cells)
{
	static const struct output_column columns[] = {{"LABEL", false},    {"PROGRAM", false},
						       {"TOPOLOGY", false}, {"NATIVE", true},
						       {"GENERIC", true},   {0}};
	struct libscols_table *table = output_table(columns);
	json_t *cell;
	size_t i;

	json_array_foreach((json_t *)cells, i, cell)
	{
		struct libscols_line *line;
		char text[CELL_MAX];
		size_t column = 0;

		if (!begins_row(cells, cell))
			continue;
		line = output_line(table);
		output_cell(line, &column, output_string(cell, "label"));
		output_cell(line, &column, output_string(cell, "program"));
		output_cell(line, &column, topology(result, cell, text));
		output_cell(line, &column, mpps(in_mode(cells, cell, "native"), text));
		output_cell(line, &column, mpps(in_mode(cells, cell, "generic"), text));
	}
	return table;
}

static const char *duration(double ns, char text[static CELL_MAX])
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	int unit = 0;

	while (unit < 3 && ns >= 10000) {
		ns /= 1000;
		unit++;
	}
	snprintf(text, CELL_MAX, "%.*f %s", ns < 100 ? 2 : 1, ns, units[unit]);
	return text;
}

/* M ops/s of one of `share` producers; free, whose operation is a whole trie, in K ops/s. */
static const char *rate(const json_t *row, double share, char text[static CELL_MAX])
{
	const json_t *rate = json_object_get(row, "throughput_ops");
	bool is_free = !strcmp(output_string(row, "op"), "free");
	double scale = share * (is_free ? 1e3 : 1e6);
	int digits = bench_number(rate, "mean") < 0.1 * scale ? 5 : 3;

	if (!bench_row_ok(row) || !json_is_object(rate))
		return output_string(row, "state");
	snprintf(text, CELL_MAX, "%.*f +- %.*f %s", digits, bench_number(rate, "mean") / scale,
		 digits, bench_number(rate, "sd") / scale, is_free ? "K" : "M");
	return text;
}

static const char *latency(const json_t *row, char text[static CELL_MAX])
{
	const json_t *latency = json_object_get(row, "latency_ns");
	char mean[CELL_MAX], sd[CELL_MAX];

	if (!bench_row_ok(row) || !json_is_object(latency))
		return "";
	snprintf(text, CELL_MAX, "%.24s +- %.24s", duration(bench_number(latency, "mean"), mean),
		 duration(bench_number(latency, "sd"), sd));
	return text;
}

static struct libscols_table *lpm_table(const json_t *rows)
{
	static const struct output_column columns[] = {
	    {"OPERATION", false},    {"ENTRIES", true},
	    {"PREFIX", true},	     {"PRODUCERS", true},
	    {"OPS/S", true},	     {"OPS/S EACH", true},
	    {"PER OPERATION", true}, {0}};
	struct libscols_table *table = output_table(columns);
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
	{
		struct libscols_line *line = output_line(table);
		char text[CELL_MAX];
		size_t column = 0;

		snprintf(text, sizeof(text), "lpm-trie-%s", output_string(row, "op"));
		output_cell(line, &column, text);
		output_number(line, &column, json_object_get(row, "nr_entries"));
		output_number(line, &column, json_object_get(row, "prefix_len"));
		output_number(line, &column, json_object_get(row, "producers"));
		output_cell(line, &column, rate(row, 1, text));
		output_cell(line, &column, rate(row, bench_number(row, "producers"), text));
		output_cell(line, &column, latency(row, text));
	}
	return table;
}

int bench_print(const json_t *result, enum bench_format format)
{
	char error[BENCH_ERROR_MAX];
	struct libscols_table *table;
	enum bench_kind kind;

	if (bench_check(result, &kind, error))
		return cli_fail(CLI_REFUSED, "%s", error);
	if (format == FORMAT_CSV)
		return bench_print_csv(result, kind);
	table = kind == BENCH_LPM ? lpm_table(bench_rows(result))
				  : throughput_table(result, bench_rows(result));
	if (!table)
		return cli_fail(CLI_REFUSED, "out of memory");
	if (format == FORMAT_MARKDOWN)
		bench_print_markdown(table);
	else
		scols_print_table(table);
	scols_unref_table(table);
	if (format == FORMAT_TABLE)
		bench_print_notes(result, kind);
	return CLI_DONE;
}
