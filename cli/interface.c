/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list-interfaces, attach, detach, reattach */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/interface.h"
#include "cli/output.h"

static const struct output_column columns[] = {
    {"INTERFACE", false},
    {"ROLE", false},
    {"MODE", false},
    {"ATTACH", false},
    {"DRIVER", false},
    {"MTU", true},
    {"READY", false},
    {"RECEIVED", true},
    {"TRANSMITTED", true},
    {"DROPPED", true},
    {},
};

static json_int_t sum(const json_t *counts)
{
	json_int_t all = 0;
	const char *key;
	json_t *count;

	json_object_foreach((json_t *)counts, key, count) all += json_integer_value(count);
	return all;
}

static void add_row(struct libscols_table *table, const json_t *interface)
{
	struct libscols_line *line = output_line(table);
	json_t *dropped = json_integer(sum(json_object_get(interface, "dropped")));
	bool ready = json_is_true(json_object_get(interface, "ready"));
	size_t column = 0;

	output_cell(line, &column, output_string(interface, "interface"));
	output_cell(line, &column, output_string(interface, "role"));
	output_cell(line, &column, output_string(interface, "mode"));
	output_cell(line, &column, output_string(interface, "attach"));
	output_cell(line, &column, output_string_or(interface, "driver", "-"));
	output_number(line, &column, json_object_get(interface, "mtu"));
	output_cell(line, &column, ready ? "yes" : output_string_or(interface, "reason", "no"));
	output_number(line, &column, json_object_get(interface, "received"));
	output_number(line, &column, json_object_get(interface, "transmitted"));
	output_number(line, &column, dropped);
	json_decref(dropped);
}

int interface_table(const json_t *parameters, bool continues, void *data)
{
	const json_t *interfaces = json_object_get(parameters, "interfaces");
	struct libscols_table *table = output_table(columns);
	size_t i;
	json_t *interface;

	(void)continues;
	(void)data;
	json_array_foreach((json_t *)interfaces, i, interface) add_row(table, interface);
	output_table_or(table, "no interfaces");
	scols_unref_table(table);
	json_array_foreach((json_t *)interfaces, i, interface)
	{
		if (*output_string(interface, "detail"))
			printf("%s: %s\n", output_string(interface, "interface"),
			       output_string(interface, "detail"));
	}
	return CLI_DONE;
}

int cmd_list_interfaces(const struct cli *cli, int argc, const char **argv)
{
	if (argc > 1)
		return verb_usage(argv[0], "%s is one word too many", argv[1]);
	return client_do(cli, "ListInterfaces", json_object(), interface_table, NULL);
}

/* What attach and detach say of interfaces, and of none. */
struct change_words {
	const char *done, *nothing;
};

static int print_changed(const json_t *parameters, bool continues, void *data)
{
	char *names = output_join(json_object_get(parameters, "interfaces"));
	const struct change_words *words = data;

	(void)continues;
	if (names && *names)
		printf("%s: %s\n", words->done, names);
	else
		printf("unchanged: %s\n", words->nothing);
	free(names);
	return CLI_DONE;
}

static int change(const struct cli *cli, const char *method, struct change_words words, int argc,
		  const char **argv)
{
	json_t *parameters = json_object();

	if (argc > 2) {
		json_decref(parameters);
		return verb_usage(argv[0], "%s is one word too many", argv[2]);
	}
	if (argc == 2)
		json_object_set_new(parameters, "interface", json_string(argv[1]));
	return client_do(cli, method, parameters, print_changed, &words);
}

int cmd_attach(const struct cli *cli, int argc, const char **argv)
{
	static const struct change_words words = {
	    "attached", "not detached; xmcastctl reattach IF tries again what failed to attach"};

	return change(cli, "Attach", words, argc, argv);
}

int cmd_detach(const struct cli *cli, int argc, const char **argv)
{
	static const struct change_words words = {"detached", "detached already"};

	return change(cli, "Detach", words, argc, argv);
}

/* What came of it: the mode, and what forced it. */
static int print_mode(const json_t *parameters, bool continues, void *data)
{
	const char *name = data;
	size_t i;
	json_t *interface;

	(void)continues;
	json_array_foreach(json_object_get(parameters, "interfaces"), i, interface)
	{
		const char *detail = output_string(interface, "detail");

		if (!strcmp(output_string(interface, "interface"), name))
			printf("%s: %s%s%s\n", name, output_string(interface, "mode"),
			       *detail ? ": " : "", detail);
	}
	return CLI_DONE;
}

int cmd_reattach(const struct cli *cli, int argc, const char **argv)
{
	if (argc != 2)
		return verb_usage(argv[0], "it takes the name of one interface");
	int r = client_do(cli, "Reattach", json_pack("{s:s}", "interface", argv[1]), NULL, NULL);

	if (r != CLI_DONE || cli->json)
		return r;
	return client_do(cli, "ListInterfaces", json_object(), print_mode, (void *)argv[1]);
}
