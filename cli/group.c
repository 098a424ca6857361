/* SPDX-License-Identifier: GPL-2.0-or-later */
/* add-group, del-group, list-groups */
#include <fnmatch.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"
#include "cli/words.h"

static int print_result(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	(void)data;
	printf("%s\n", output_string_or(parameters, "result", "deleted"));
	return CLI_DONE;
}

int cmd_add_group(const struct cli *cli, int argc, const char **argv)
{
	struct group_statement statement = {};
	struct fault fault = {};
	struct group group;
	json_t *parameters;

	if (group_statement_parse(argc - 1, argv + 1, true, &statement, &fault) < 0)
		return verb_usage(argv[0], "%s", fault.text);
	group = (struct group){.to = statement.to, .exclude = statement.exclude};
	group.key.address = statement.address;
	group.key.source = statement.source;
	group.key.vlan = statement.vlan;
	parameters = words_group(&group, &statement.from);
	if (parameters && statement.pending)
		json_object_set_new(parameters, "pending", json_true());
	group_statement_free(&statement);
	return client_do(cli, "AddGroup", parameters, print_result, NULL);
}

int cmd_del_group(const struct cli *cli, int argc, const char **argv)
{
	json_t *parameters;
	int r = words_which(argc, argv, false, &parameters);

	return r == CLI_DONE ? client_do(cli, "DelGroup", parameters, print_result, NULL) : r;
}

static const struct output_column columns[] = {
    {"GROUP", false},
    {"SOURCE", false},
    {"VLAN", false},
    {"FROM", false},
    {"TO", false},
    {"EXCLUDE", false},
    {"STATE", false},
    {"FRAMES", true},
    {"COPIES", true},
    {"ORIGIN", false},
    {},
};

/* eth2 stands before eth10. */
static int compare_names(const void *left, const void *right)
{
	const json_t *a = *(const json_t *const *)left, *b = *(const json_t *const *)right;

	return strverscmp(output_string(a, "interface"), output_string(b, "interface"));
}

/* The egresses of a group, borrowed, in the order of their names. free() it. */
static const json_t **sorted_egresses(const json_t *group, size_t *count)
{
	const json_t *array = json_object_get(group, "egress");
	const json_t **sorted;

	*count = json_array_size(array);
	sorted = calloc(*count + 1, sizeof(*sorted));
	for (size_t i = 0; sorted && i < *count; i++)
		sorted[i] = json_array_get(array, i);
	if (sorted)
		qsort(sorted, *count, sizeof(*sorted), compare_names);
	return sorted;
}

static void print_egress(FILE *out, const json_t *egress)
{
	fputs(output_string(egress, "interface"), out);
	if (!json_is_true(json_object_get(egress, "ready")))
		fprintf(out, "(%s)", output_string_or(egress, "reason", "not ready"));
}

/* One word of `to`, and those who get copies because of it. */
static void print_to(FILE *out, const char *to, const json_t **egress, size_t count)
{
	bool pattern = name_is_pattern(to), any = false;

	if (pattern)
		fprintf(out, "%s:[", to);
	for (size_t i = 0; i < count; i++) {
		const char *name = output_string(egress[i], "interface");

		if (pattern ? fnmatch(to, name, 0) : strcmp(to, name))
			continue;
		if (any)
			fputc(',', out);
		print_egress(out, egress[i]);
		any = true;
	}
	if (pattern)
		fputc(']', out);
	else if (!any) /* nobody knows yet, or the ingress's own excludes */
		fprintf(out, "%s%s", to, count ? "(excluded)" : "");
}

/* "veth1,veth2(down),tap*:[tap0]": who gets copies, and why not. free() it. */
static char *egress_text(const json_t *group)
{
	char *text = NULL;
	size_t len = 0, i, count;
	const json_t **egress = sorted_egresses(group, &count);
	json_t *to;
	FILE *out = egress ? open_memstream(&text, &len) : NULL;

	if (out) {
		json_array_foreach(json_object_get(group, "to"), i, to)
		{
			if (i)
				fputc(',', out);
			print_to(out, json_string_value(to), egress, count);
		}
	}
	free(egress);
	return out && fclose(out) == 0 ? text : NULL;
}

static void add_row(struct libscols_table *table, const json_t *group)
{
	struct libscols_line *line = output_line(table);
	char *egress = egress_text(group),
	     *exclude = output_join(json_object_get(group, "exclude"));
	char origin[300];
	size_t column = 0;

	snprintf(origin, sizeof(origin), "%s", output_string(group, "origin"));
	if (json_object_get(group, "file"))
		snprintf(origin, sizeof(origin), "%s:%lld", output_string(group, "file"),
			 (long long)json_integer_value(json_object_get(group, "line")));
	output_cell(line, &column, output_string(group, "address"));
	output_cell(line, &column, output_string_or(group, "source", "any"));
	output_cell(line, &column, output_string_or(group, "vlan", "-"));
	output_cell(line, &column, output_string(group, "from"));
	output_cell(line, &column, egress);
	output_cell(line, &column, exclude && *exclude ? exclude : "-");
	output_cell(line, &column, output_string(group, "state"));
	output_number(line, &column, json_object_get(group, "frames"));
	output_number(line, &column, json_object_get(group, "copies"));
	output_cell(line, &column, origin);
	free(egress);
	free(exclude);
}

struct listing {
	bool json;
	struct libscols_table *table;
	bool begun;	/* JSON: something was printed */
	char hint[256]; /* the last one: many groups have the same egress */
};

/* Many replies become one object. */
static void print_json(struct listing *listing, const json_t *groups, bool continues)
{
	size_t i;
	json_t *group;

	json_array_foreach((json_t *)groups, i, group)
	{
		fputs(listing->begun ? "," : "{\"groups\":[", stdout);
		output_value(group);
		listing->begun = true;
	}
	if (continues)
		return;
	fputs(listing->begun ? "]}\n" : "{\"groups\":[]}\n", stdout);
}

/* What to do about egresses that are not ready, once for those in a row. */
static void hint(struct listing *listing, const json_t *group)
{
	char text[sizeof(listing->hint)];
	size_t i;
	json_t *egress;

	json_array_foreach(json_object_get(group, "egress"), i, egress)
	{
		if (!*output_string(egress, "detail"))
			continue;
		snprintf(text, sizeof(text), "egress %s is not ready (%s): %s",
			 output_string(egress, "interface"), output_string(egress, "reason"),
			 output_string(egress, "detail"));
		if (strcmp(text, listing->hint))
			fprintf(stderr, "xmcastctl: %s\n", text);
		memcpy(listing->hint, text, sizeof(text));
	}
}

static int take_groups(const json_t *parameters, bool continues, void *data)
{
	const json_t *groups = json_object_get(parameters, "groups");
	struct listing *listing = data;
	size_t i;
	json_t *group;

	if (listing->json) {
		print_json(listing, groups, continues);
		return CLI_DONE;
	}
	json_array_foreach((json_t *)groups, i, group)
	{
		add_row(listing->table, group);
		hint(listing, group);
		if (*output_string(group, "detail"))
			fprintf(stderr, "xmcastctl: %s from %s: %s\n",
				output_string(group, "address"), output_string(group, "from"),
				output_string(group, "detail"));
	}
	return CLI_DONE;
}

static int list(const struct cli *cli, json_t *parameters)
{
	bool filtered = json_object_size(parameters);
	struct listing listing = {.json = cli->json, .table = output_table(columns)};
	struct client client;
	int r = client_open(&client, cli);

	if (r != CLI_DONE) {
		json_decref(parameters);
	} else {
		r = client_call(&client, "ListGroups", parameters, true, take_groups, &listing);
		client_close(&client);
	}
	if (r == CLI_DONE && !cli->json)
		output_table_or(listing.table, filtered ? "no such group" : "no groups");
	scols_unref_table(listing.table);
	return r;
}

int cmd_list_groups(const struct cli *cli, int argc, const char **argv)
{
	static const char *const names[] = {"source", "vlan", "from", "to", "origin", "state"};
	enum { COUNT = sizeof(names) / sizeof(*names) };
	char *values[COUNT] = {};
	struct poptOption options[COUNT + 1] = {};
	json_t *parameters = json_object();
	char *address;
	int r;

	for (size_t i = 0; i < COUNT; i++)
		options[i] = (struct poptOption){names[i], 0, POPT_ARG_STRING, &values[i], 0, 0, 0};
	r = verb_options(argc, argv, options, &address, 1);
	if (address)
		json_object_set_new(parameters, "address", json_string(address));
	free(address);
	for (size_t i = 0; i < COUNT; i++) {
		if (values[i])
			json_object_set_new(parameters, names[i], json_string(values[i]));
		free(values[i]);
	}
	if (r == CLI_DONE)
		return list(cli, parameters);
	json_decref(parameters);
	return r;
}
