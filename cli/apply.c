/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply FILE: the file is parsed here, so that all its errors are told with their lines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/words.h"

/* Bytes of JSON in one ApplyAdd, well below CODEC_MESSAGE_MAX with one group more. */
#define PIECE_TEXT (768u << 10)

/* Some groups of the model, to be sent with one call. */
struct piece {
	const struct group *groups[CODEC_GROUPS_MAX];
	size_t count;
};

static void print_error(const char *file, unsigned int line, const char *text, void *data)
{
	(void)data;
	if (line)
		fprintf(stderr, "%s:%u: %s\n", file, line, text);
	else
		fprintf(stderr, "%s: %s\n", file, text);
}

static int read_file(const char *file, struct model *model)
{
	FILE *stream = strcmp(file, "-") == 0 ? stdin : config_open(file, 0, true);
	const char *name = stream == stdin ? "(standard input)" : file;
	int r;

	if (!stream)
		return cli_fail(CLI_REFUSED, "cannot read %s: %s", file, config_unreadable(-errno));
	limits_raise(&model->limits); /* the daemon's limits are the daemon's to enforce */
	r = config_read_stream(stream, name, true, model, print_error, NULL);
	if (stream != stdin)
		fclose(stream);
	if (r < 0)
		return cli_fail(CLI_REFUSED, "cannot apply %s: %s", name, config_unreadable(r));
	if (r > 0)
		return cli_fail(CLI_REFUSED, "%d %s in %s: nothing was changed", r,
				r == 1 ? "error" : "errors", name);
	model_settle(model);
	return CLI_DONE;
}

static int warn(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	(void)data;
	client_warn(parameters);
	return CLI_DONE;
}

static json_t *names_array(const struct names *names)
{
	json_t *array = json_array();

	for (size_t i = 0; i < names->count; i++)
		json_array_append_new(array, json_string(names->name[i]));
	return array;
}

static int send_interfaces(struct client *client, const struct model *model)
{
	json_t *interfaces = json_array();

	for (size_t i = 0; i < model->interface_count; i++) {
		const struct interface_wish *wish = &model->interfaces[i];

		json_array_append_new(
		    interfaces, json_pack("{s:s, s:s, s:o, s:b}", "interface", wish->name, "mode",
					  mode_name(wish->mode), "exclude",
					  names_array(&wish->exclude), "detached", wish->detached));
	}
	if (!json_array_size(interfaces)) {
		json_decref(interfaces);
		return CLI_DONE;
	}
	return client_call(client, "ApplyAdd",
			   json_pack("{s:[], s:o}", "groups", "interfaces", interfaces), false,
			   warn, NULL);
}

/* Upper bound of one group's JSON, in bytes. */
static size_t text_size(const struct group *group)
{
	size_t size = 256 + IF_NAMESIZE;

	size += (group->to.count + group->exclude.count) * (IF_NAMESIZE + 3);
	return size;
}

/* Takes the groups from *next on that fit in one ApplyAdd. */
static void take_piece(const struct model *model, size_t *next, struct piece *piece)
{
	size_t size = 0;

	piece->count = 0;
	while (*next < model->group_count && size < PIECE_TEXT && piece->count < CODEC_GROUPS_MAX) {
		const struct group *group = model->groups[(*next)++];

		size += text_size(group);
		piece->groups[piece->count++] = group;
	}
}

/* Orders by all but the address. Equal lists of a model are one list: its address is enough. */
static int compare(const void *left, const void *right)
{
	const struct group *a = *(const struct group *const *)left;
	const struct group *b = *(const struct group *const *)right;
	int r;

	if (a->to.name != b->to.name)
		return a->to.name < b->to.name ? -1 : 1;
	if (a->exclude.name != b->exclude.name)
		return a->exclude.name < b->exclude.name ? -1 : 1;
	if (a->key.vlan != b->key.vlan)
		return a->key.vlan < b->key.vlan ? -1 : 1;
	r = prefix_compare(&a->key.source, &b->key.source);
	return r ? r : strcmp(a->key.from, b->key.from);
}

/* {"groups": [..]}, each for as many addresses as share the rest. */
static json_t *piece_parameters(struct piece *piece)
{
	json_t *groups = json_array(), *addresses = NULL;

	qsort(piece->groups, piece->count, sizeof(*piece->groups), compare);
	for (size_t i = 0; i < piece->count; i++) {
		char address[PREFIX_TEXT_MAX];

		if (i == 0 || compare(&piece->groups[i - 1], &piece->groups[i]) != 0) {
			json_t *object = words_group(piece->groups[i], NULL);

			json_object_del(object, "address");
			addresses = json_array();
			json_object_set_new(object, "addresses", addresses);
			json_array_append_new(groups, object);
		}
		prefix_format(&piece->groups[i]->key.address, address);
		json_array_append_new(addresses, json_string(address));
	}
	return json_pack("{s:o}", "groups", groups);
}

/* While the daemon works on one piece we make the next. */
static int send_groups(struct client *client, const struct model *model)
{
	size_t next = 0, waiting = 0;
	struct piece piece;
	int r = CLI_DONE;

	while (next < model->group_count && r == CLI_DONE) {
		take_piece(model, &next, &piece);
		r = client_send(client, "ApplyAdd", piece_parameters(&piece), false);
		if (r == CLI_DONE && waiting++ > 0) {
			r = client_receive(client, false, warn, NULL);
			waiting--;
		}
	}
	while (waiting-- > 0 && r == CLI_DONE)
		r = client_receive(client, false, warn, NULL);
	return r;
}

static int print_done(const json_t *parameters, bool continues, void *data)
{
	const struct cli *cli = data;
	json_int_t groups = json_integer_value(json_object_get(parameters, "groups"));

	(void)continues;
	if (cli->json)
		json_dumpf(parameters, stdout, JSON_COMPACT);
	else
		printf("%lld %s", (long long)groups, groups == 1 ? "group" : "groups");
	printf("\n");
	return CLI_DONE;
}

static int send_all(const struct cli *cli, const struct model *model)
{
	struct client client;
	int r = client_open(&client, cli);

	if (r != CLI_DONE)
		return r;
	r = client_call(&client, "ApplyBegin", json_object(), false, NULL, NULL);
	if (r == CLI_DONE)
		r = send_interfaces(&client, model);
	if (r == CLI_DONE)
		r = send_groups(&client, model);
	if (r == CLI_DONE)
		r = client_call(&client, "ApplyCommit", json_object(), false, print_done,
				(void *)cli);
	client_close(&client);
	return r;
}

int cmd_apply(const struct cli *cli, int argc, const char **argv)
{
	struct model *model;
	int r;

	if (argc != 2)
		return verb_usage(argv[0], "it takes one FILE, or - for the standard input");
	model = model_new();
	if (!model)
		return cli_fail(CLI_REFUSED, "out of memory");
	r = read_file(argv[1], model);
	if (r == CLI_DONE)
		r = send_all(cli, model);
	model_free(model);
	return r;
}
