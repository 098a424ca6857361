/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result of xmcast-bench: read, completed with its statistics, looked into. */
#ifndef XM_CLI_BENCH_RESULT_H
#define XM_CLI_BENCH_RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/statistics.h"

#define BENCH_VERSION	1
#define BENCH_ERROR_MAX 256
#define BENCH_ROW_MAX	160

/* The two kinds of file. */
enum bench_kind { BENCH_THROUGHPUT, BENCH_LPM };

/* Reads and checks a file. NULL with one line in `error`. A new reference. */
json_t *bench_load(const char *path, char error[static BENCH_ERROR_MAX]);
/* Is it a result of ours? 0 and *kind, or -1 with one line in `error`. */
int bench_check(const json_t *result, enum bench_kind *kind, char error[static BENCH_ERROR_MAX]);

/* The rows of a file: `cells` or `results`. Borrowed. */
json_t *bench_rows(const json_t *result);
/* "PROGRAM/TOPOLOGY/MODE", "lpm-trie-OP/ENTRIES[/PREFIX/PRODUCERS]": how a row is called. */
void bench_row_name(const json_t *row, char name[static BENCH_ROW_MAX]);
/* The row of that name, or of the only one that begins so. Borrowed; NULL with `error`. */
json_t *bench_row(const json_t *result, const char *name, char error[static BENCH_ERROR_MAX]);
bool bench_row_ok(const json_t *row);

/*
 * The samples of a row that are numbers; the index of each in the file's array goes to
 * blocks[] (may be NULL). free() both; the count, 0 also without memory.
 */
size_t bench_samples(const json_t *row, double **samples, size_t **blocks);

/*
 * Adds what is computed from samples: "mpps" to each throughput cell; "noise", for each program
 * measured twice the ratio of its two runs; "dispatcher", for each measured behind libxdp's the
 * ratio of that to itself without. Results of lpm-trie have theirs already.
 */
void bench_complete(json_t *result);

/*
 * The ratio of b to a, of samples of the same block when `paired`; *reused: both hold the very same
 * samples. 0 or -EINVAL: too few.
 */
int bench_ratio(const json_t *a, const json_t *b, bool paired, struct interval *ratio,
		bool *reused);

/* A number of an object, 0 when it has none of that name. */
double bench_number(const json_t *object, const char *key);
/* {"median", "low", "high"}, both ways. False: it is null or absent. */
json_t *bench_interval_json(const struct interval *interval);
bool bench_interval(const json_t *object, struct interval *out);

#endif
