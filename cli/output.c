/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/verb.h"
#include "daemon/control/codec.h"
#include "daemon/model/reasons.h"

int output_value(const json_t *value)
{
	struct buffer text = {};
	int r = message_encode(&text, value);

	/* its NUL is not written; one call, since jansson makes one of each token */
	if (r == 0 && fwrite(text.data, 1, buffer_len(&text) - 1, stdout) < buffer_len(&text) - 1)
		r = -1;
	buffer_free(&text);
	return r < 0 ? CLI_REFUSED : CLI_DONE;
}

int output_json(const json_t *value)
{
	int r = output_value(value);

	return r == CLI_DONE && putchar('\n') == EOF ? CLI_REFUSED : r;
}

const char *output_string_or(const json_t *object, const char *key, const char *missing)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : missing;
}

const char *output_string(const json_t *object, const char *key)
{
	return output_string_or(object, key, "");
}

const char *output_reason_text(const char *name)
{
	for (int i = 0; i < XM_REASONS; i++) {
		if (strcmp(name, reason_name(i)) == 0)
			return reason_text(i);
	}
	return "";
}

bool output_colours(void)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && terminal && strcmp(terminal, "dumb");
}

struct libscols_table *output_table(const struct output_column *columns)
{
	struct libscols_table *table = scols_new_table();

	for (; table && columns->name; columns++) {
		int flags = columns->right ? SCOLS_FL_RIGHT : 0;

		if (!scols_table_new_column(table, columns->name, 0, flags)) {
			scols_unref_table(table);
			return NULL;
		}
	}
	return table;
}

struct libscols_line *output_line(struct libscols_table *table)
{
	return scols_table_new_line(table, NULL);
}

void output_table_or(struct libscols_table *table, const char *none)
{
	if (scols_table_is_empty(table))
		fprintf(stderr, "xmcastctl: %s\n", none);
	else
		scols_print_table(table);
}

void output_cell(struct libscols_line *line, size_t *column, const char *text)
{
	if (line)
		scols_line_set_data(line, *column, text ? text : "");
	++*column;
}

void output_number(struct libscols_line *line, size_t *column, const json_t *number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(number));
	output_cell(line, column, text);
}

char *output_join(const json_t *strings)
{
	size_t len = 1, i;
	char *joined;
	json_t *item;

	json_array_foreach((json_t *)strings, i, item) len += json_string_length(item) + 1;
	joined = calloc(1, len);
	json_array_foreach((json_t *)strings, i, item)
	{
		if (!joined)
			break;
		if (i)
			strcat(joined, ",");
		strcat(joined, json_string_value(item));
	}
	return joined;
}
