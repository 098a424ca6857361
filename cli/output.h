/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables, JSON and the reading of replies. */
#ifndef XM_CLI_OUTPUT_H
#define XM_CLI_OUTPUT_H

#include <jansson.h>
#include <libsmartcols.h>
#include <stdbool.h>

/* Prints one line of JSON. An enum cli_exit. */
int output_json(const json_t *value);
int output_value(const json_t *value); /* without the end of line */

/* A string member; "" or `missing` when it is absent or null. */
const char *output_string(const json_t *object, const char *key);
const char *output_string_or(const json_t *object, const char *key, const char *missing);

/* The sentence for the name of a reason; "" when this xmcastctl does not know it. */
const char *output_reason_text(const char *name);

/* Are colours wanted: on a terminal, and without NO_COLOR (no-color.org). */
bool output_colours(void);

struct output_column {
	const char *name; /* NULL ends */
	bool right;	  /* numbers */
};
/* A table without rows, NULL when there is no memory. scols_unref_table() it. */
struct libscols_table *output_table(const struct output_column *columns);
struct libscols_line *output_line(struct libscols_table *table);
/* Prints the table; when it has no rows, says `none` on stderr. */
void output_table_or(struct libscols_table *table, const char *none);
/* Sets a cell; *column is moved to the next one. NULL is an empty cell. */
void output_cell(struct libscols_line *line, size_t *column, const char *text);
void output_number(struct libscols_line *line, size_t *column, const json_t *number);
/* "a,b,c"; free() it. */
char *output_join(const json_t *strings);

#endif
