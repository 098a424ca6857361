// SPDX-License-Identifier: GPL-2.0-or-later
/* Results as a table for people, as CSV or as Markdown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/bench_result.h"
#include "cli/output.h"

#define CELL_MAX 64

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

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
	int digits = number(rate, "mean") < 0.1 * scale ? 5 : 3;

	if (!bench_row_ok(row) || !json_is_object(rate))
		return output_string(row, "state");
	snprintf(text, CELL_MAX, "%.*f +- %.*f %s", digits, number(rate, "mean") / scale, digits,
		 number(rate, "sd") / scale, is_free ? "K" : "M");
	return text;
}

static const char *latency(const json_t *row, char text[static CELL_MAX])
{
	const json_t *latency = json_object_get(row, "latency_ns");
	char mean[CELL_MAX], sd[CELL_MAX];

	if (!bench_row_ok(row) || !json_is_object(latency))
		return "";
	snprintf(text, CELL_MAX, "%.24s +- %.24s", duration(number(latency, "mean"), mean),
		 duration(number(latency, "sd"), sd));
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
		output_cell(line, &column, rate(row, number(row, "producers"), text));
		output_cell(line, &column, latency(row, text));
	}
	return table;
}

/* Rows of "| a | b |", from what the table holds. */
static void print_markdown(struct libscols_table *table)
{
	size_t columns = scols_table_get_ncols(table), lines = scols_table_get_nlines(table);

	for (size_t c = 0; c < columns; c++)
		printf("| %s ", scols_column_get_name(scols_table_get_column(table, c)));
	printf("|\n");
	for (size_t c = 0; c < columns; c++)
		printf(scols_column_is_right(scols_table_get_column(table, c)) ? "| ---: "
									       : "| --- ");
	printf("|\n");
	for (size_t l = 0; l < lines; l++) {
		struct libscols_line *line = scols_table_get_line(table, l);

		for (size_t c = 0; c < columns; c++) {
			const char *text = scols_cell_get_data(scols_line_get_cell(line, c));

			printf("| %s ", text ? text : "");
		}
		printf("|\n");
	}
}

static int print_csv(const json_t *result, enum bench_kind kind)
{
	json_t *row;
	size_t i;

	if (kind == BENCH_LPM)
		printf("op,nr_entries,prefix_len,producers,state,ops_mean,ops_sd,ns_mean,ns_sd\n");
	else
		printf("label,program,topology,mode,source,state,mpps,low,high\n");
	json_array_foreach(bench_rows(result), i, row)
	{
		const json_t *ops = json_object_get(row, "throughput_ops"),
			     *ns = json_object_get(row, "latency_ns"),
			     *rate_of = json_object_get(row, "mpps");

		if (kind == BENCH_LPM)
			printf("%s,%lld,%lld,%lld,%s,%.10g,%.10g,%.10g,%.10g\n",
			       output_string(row, "op"), (long long)number(row, "nr_entries"),
			       (long long)number(row, "prefix_len"),
			       (long long)number(row, "producers"), output_string(row, "state"),
			       number(ops, "mean"), number(ops, "sd"), number(ns, "mean"),
			       number(ns, "sd"));
		else
			printf("\"%s\",%s,%s,%s,%s,%s,%.6g,%.6g,%.6g\n",
			       output_string(row, "label"), output_string(row, "program"),
			       output_string(row, "topology"), output_string(row, "mode"),
			       output_string(row, "source"), output_string(row, "state"),
			       number(rate_of, "median"), number(rate_of, "low"),
			       number(rate_of, "high"));
	}
	return CLI_DONE;
}

static void print_environment(const json_t *result)
{
	const json_t *e = json_object_get(result, "environment"),
		     *drivers = json_object_get(e, "drivers");

	json_t *jit = json_object_get(e, "jit");

	printf("\n%s; %lld CPUs; kernel %s%s; JIT %s\n", output_string_or(e, "cpu", "unknown CPU"),
	       (long long)number(e, "cpus"), output_string(e, "kernel"),
	       json_is_true(json_object_get(e, "hypervisor")) ? ", virtual machine" : "",
	       json_is_true(jit)    ? "on"
	       : json_is_false(jit) ? "off"
				    : "unknown");
	printf("spectre_v2: %s; load %.2f then %.2f; steal %.2f s\n",
	       output_string_or(json_object_get(e, "mitigations"), "spectre_v2", "unknown"),
	       number(e, "load"), number(e, "load_after"), number(e, "steal_seconds"));
	if (drivers)
		printf("ingress %s, egresses %s, receivers %s; dispatcher: %s; all on CPU %lld\n",
		       output_string(drivers, "in"), output_string(drivers, "out"),
		       output_string(drivers, "receivers"),
		       json_is_true(json_object_get(e, "dispatcher")) ? "yes" : "no",
		       (long long)number(e, "cpu_used"));
}

static void print_reasons(const json_t *result)
{
	json_t *row;
	size_t i;

	json_array_foreach(bench_rows(result), i, row)
	{
		char name[BENCH_ROW_MAX];

		bench_row_name(row, name);
		if (!bench_row_ok(row))
			printf("%s: %s: %s\n", output_string(row, "state"), name,
			       output_string(row, "reason"));
	}
}

static void print_noise(const json_t *result)
{
	json_t *noise;
	size_t i;

	json_array_foreach(json_object_get(result, "noise"), i, noise)
	{
		struct interval ratio;

		if (bench_interval(json_object_get(noise, "ratio"), &ratio))
			printf("noise: %s %s %s against itself: ratio %.3f, %.3f to %.3f\n",
			       output_string(noise, "program"), output_string(noise, "topology"),
			       output_string(noise, "mode"), ratio.median, ratio.low, ratio.high);
	}
}

static void print_notes(const json_t *result, enum bench_kind kind)
{
	if (json_is_true(json_object_get(result, "partial")))
		printf("\nPARTIAL: the run was stopped before it was complete.\n");
	print_environment(result);
	if (kind == BENCH_THROUGHPUT)
		printf("Mpps of frames received, median of %lld blocks and half of its 95 %% "
		       "interval; counted: frames sent, seen by the program, received by each "
		       "receiver\n",
		       (long long)number(json_object_get(result, "settings"), "pairs"));
	else
		printf("timed in the kernel: mean and standard deviation over intervals\n");
	print_noise(result);
	print_reasons(result);
}

int bench_print(const json_t *result, enum bench_format format)
{
	char error[BENCH_ERROR_MAX];
	struct libscols_table *table;
	enum bench_kind kind;

	if (bench_check(result, &kind, error))
		return cli_fail(CLI_REFUSED, "%s", error);
	if (format == FORMAT_CSV)
		return print_csv(result, kind);
	table = kind == BENCH_LPM ? lpm_table(bench_rows(result))
				  : throughput_table(result, bench_rows(result));
	if (!table)
		return cli_fail(CLI_REFUSED, "out of memory");
	if (format == FORMAT_MARKDOWN)
		print_markdown(table);
	else
		scols_print_table(table);
	scols_unref_table(table);
	if (format == FORMAT_TABLE)
		print_notes(result, kind);
	return CLI_DONE;
}
