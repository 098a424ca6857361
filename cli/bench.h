/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `xmcastctl bench` give each other. */
#ifndef XM_CLI_BENCH_H
#define XM_CLI_BENCH_H

#include <jansson.h>

#include "cli/bench_result.h"
#include "cli/verb.h"

/* argv[0] is the word itself. Each returns an enum cli_exit. */
int bench_compare(const struct cli *cli, int argc, const char **argv); /* bench_compare.c */
int bench_show(const struct cli *cli, int argc, const char **argv);    /* bench_show.c */

/* How a result is printed. */
enum bench_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_MARKDOWN };
/* Prints a whole result (completed) to stdout. An enum cli_exit. bench_table.c */
int bench_print(const json_t *result, enum bench_format format);

/* Its parts. bench_export.c, bench_notes.c */
struct libscols_table;
int bench_print_csv(const json_t *result, enum bench_kind kind);
void bench_print_markdown(struct libscols_table *table);
void bench_print_notes(const json_t *result, enum bench_kind kind);

/* Draws a result to a file by gnuplot. An enum cli_exit. bench_plot.c */
int bench_plot(const json_t *result, const char *path);

#endif
