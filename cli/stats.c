/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"
#include "daemon/model/reasons.h"

static const struct output_column columns[] = {{"COUNT", true}, {"WHAT", false}, {}};

static void add_row(struct libscols_table *table, const json_t *count, const char *what)
{
	struct libscols_line *line = output_line(table);
	size_t column = 0;

	output_number(line, &column, count);
	output_cell(line, &column, what);
}

/* The sentence for a name of a closed list; "" when this xmcastctl does not know it. */
static const char *protocol_sentence(const char *name)
{
	for (int i = 0; i < XM_PROTOCOLS; i++) {
		if (strcmp(name, protocol_name(i)) == 0)
			return protocol_text(i);
	}
	return "";
}

/* Only what has happened: the rest is at zero. */
static void add_rows(struct libscols_table *table, const json_t *counts, const char *what,
		     bool protocol)
{
	char text[256];
	const char *key;
	json_t *count;

	json_object_foreach((json_t *)counts, key, count)
	{
		if (!json_integer_value(count))
			continue;
		snprintf(text, sizeof(text), "%s %s: %s", what, key,
			 protocol ? protocol_sentence(key) : output_reason_text(key));
		add_row(table, count, text);
	}
}

static int print(const json_t *stats, bool continues, void *data)
{
	struct libscols_table *table = output_table(columns);

	(void)continues;
	(void)data;
	add_row(table, json_object_get(stats, "received"), "frames received");
	add_row(table, json_object_get(stats, "matched"), "  matched a group");
	add_rows(table, json_object_get(stats, "unmatched"), "  unmatched", true);
	add_row(table, json_object_get(stats, "copies"), "copies due");
	add_row(table, json_object_get(stats, "transmitted"), "  transmitted");
	add_rows(table, json_object_get(stats, "dropped"), "  dropped", false);
	add_row(table, json_object_get(stats, "unexplained"), "  unexplained");
	add_rows(table, json_object_get(stats, "not_ready"), "interfaces not ready,", false);
	scols_print_table(table);
	scols_unref_table(table);
	return CLI_DONE;
}

int cmd_stats(const struct cli *cli, int argc, const char **argv)
{
	if (argc > 1)
		return verb_usage(argv[0], "%s is one word too many", argv[1]);
	return client_do(cli, "Stats", json_object(), print, NULL);
}
