// SPDX-License-Identifier: GPL-2.0-or-later
/* Results for other programs: CSV, and Markdown from what the table holds. */
#include <stdio.h>

#include "cli/bench.h"
#include "cli/output.h"

void bench_print_markdown(struct libscols_table *table)
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

/* What was not measured is empty: 0 would be a figure. */
static void print_measured(const json_t *object, const char *key, int digits)
{
	const json_t *number = json_object_get(object, key);

	if (json_is_number(number))
		printf(",%.*g", digits, json_number_value(number));
	else
		printf(",");
}

int bench_print_csv(const json_t *result, enum bench_kind kind)
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
			printf("%s,%lld,%lld,%lld,%s", output_string(row, "op"),
			       (long long)bench_number(row, "nr_entries"),
			       (long long)bench_number(row, "prefix_len"),
			       (long long)bench_number(row, "producers"),
			       output_string(row, "state"));
		else
			printf("\"%s\",%s,%s,%s,%s,%s", output_string(row, "label"),
			       output_string(row, "program"), output_string(row, "topology"),
			       output_string(row, "mode"), output_string(row, "source"),
			       output_string(row, "state"));
		if (kind == BENCH_LPM) {
			print_measured(ops, "mean", 10);
			print_measured(ops, "sd", 10);
			print_measured(ns, "mean", 10);
			print_measured(ns, "sd", 10);
		} else {
			print_measured(rate_of, "median", 6);
			print_measured(rate_of, "low", 6);
			print_measured(rate_of, "high", 6);
		}
		printf("\n");
	}
	return CLI_DONE;
}
