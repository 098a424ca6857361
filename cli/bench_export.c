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
			printf("%s,%lld,%lld,%lld,%s,%.10g,%.10g,%.10g,%.10g\n",
			       output_string(row, "op"), (long long)bench_number(row, "nr_entries"),
			       (long long)bench_number(row, "prefix_len"),
			       (long long)bench_number(row, "producers"),
			       output_string(row, "state"), bench_number(ops, "mean"),
			       bench_number(ops, "sd"), bench_number(ns, "mean"),
			       bench_number(ns, "sd"));
		else
			printf("\"%s\",%s,%s,%s,%s,%s,%.6g,%.6g,%.6g\n",
			       output_string(row, "label"), output_string(row, "program"),
			       output_string(row, "topology"), output_string(row, "mode"),
			       output_string(row, "source"), output_string(row, "state"),
			       bench_number(rate_of, "median"), bench_number(rate_of, "low"),
			       bench_number(rate_of, "high"));
	}
	return CLI_DONE;
}
