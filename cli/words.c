/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/words.h"

#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verb.h"

static json_t *names_array(const struct names *names)
{
	json_t *array = json_array();

	for (size_t i = 0; i < names->count; i++)
		json_array_append_new(array, json_string(names->name[i]));
	return array;
}

json_t *words_group(const struct group *group, const struct names *from)
{
	char address[PREFIX_TEXT_MAX], source[PREFIX_TEXT_MAX], vlan[VLAN_TEXT_MAX];
	const struct group_key *key = &group->key;
	json_t *ingress = from ? names_array(from) : json_pack("[s]", key->from);
	json_t *object =
	    json_pack("{s:s, s:o, s:o}", "address", prefix_format(&key->address, address), "from",
		      ingress, "to", names_array(&group->to));

	if (object && key->source.len)
		json_object_set_new(object, "source",
				    json_string(prefix_format(&key->source, source)));
	if (object && key->vlan)
		json_object_set_new(object, "vlan", json_string(vlan_format(key->vlan, vlan)));
	if (object && group->exclude.count)
		json_object_set_new(object, "exclude", names_array(&group->exclude));
	return object;
}

struct which {
	char *source, *vlan, *from;
	int pending;
	const char *address, *interfaces;
};

/* The grammar says the same here as in a file; what only selects is taken out before. */
static int check(const char *verb, const struct which *which)
{
	struct group_statement statement = {};
	const char *words[8];
	struct fault fault = {};
	int count = 0, r;

	words[count++] = which->address;
	if (which->source) {
		words[count++] = "--source";
		words[count++] = which->source;
	}
	if (which->vlan && strcmp(which->vlan, "0") != 0) {
		words[count++] = "--vlan";
		words[count++] = which->vlan;
	}
	if (which->from) {
		words[count++] = "--from";
		words[count++] = which->from;
	}
	words[count] = NULL;
	r = group_statement_parse(count, words, false, &statement, &fault);
	if (r < 0)
		return verb_usage(verb, "%s", fault.text);
	group_statement_free(&statement);
	return CLI_DONE;
}

/* "a,b" as ["a","b"]. NULL after the error was printed. */
static json_t *split(const char *verb, const char *list)
{
	struct names names = {};
	const char *why = "out of memory";
	json_t *array = NULL;

	if (names_add_list(&names, list, &why) == 0)
		array = names_array(&names);
	else
		verb_usage(verb, "%s: %s", list, why);
	names_free(&names);
	return array;
}

static int build(const char *verb, const struct which *which, json_t **out)
{
	json_t *object = json_pack("{s:s}", "address", which->address);

	if (which->source)
		json_object_set_new(object, "source", json_string(which->source));
	if (which->vlan)
		json_object_set_new(object, "vlan", json_string(which->vlan));
	if (which->pending)
		json_object_set_new(object, "pending", json_true());
	if ((which->from && json_object_set_new(object, "from", split(verb, which->from)) < 0) ||
	    (which->interfaces &&
	     json_object_set_new(object, "interfaces", split(verb, which->interfaces)) < 0)) {
		json_decref(object);
		return CLI_USAGE;
	}
	*out = object;
	return CLI_DONE;
}

int words_which(int argc, const char **argv, bool interfaces, json_t **out)
{
	struct which which = {};
	const struct poptOption options[] = {
	    {"source", 0, POPT_ARG_STRING, &which.source, 0, NULL, NULL},
	    {"vlan", 0, POPT_ARG_STRING, &which.vlan, 0, NULL, NULL},
	    {"from", 0, POPT_ARG_STRING, &which.from, 0, NULL, NULL},
	    {"pending", 0, POPT_ARG_NONE, &which.pending, 0, NULL, NULL},
	    POPT_TABLEEND,
	};
	char *words[2] = {};
	int r = verb_options(argc, argv, options, words, interfaces ? 2 : 1);

	which.address = words[0];
	which.interfaces = words[1];
	if (r == CLI_DONE && !words[0])
		r = verb_usage(argv[0], "which group? Its address is missing");
	else if (r == CLI_DONE && interfaces && !words[1])
		r = verb_usage(argv[0], "which interfaces? They are missing");
	if (r == CLI_DONE)
		r = check(argv[0], &which);
	if (r == CLI_DONE)
		r = build(argv[0], &which, out);
	free(words[0]);
	free(words[1]);
	free(which.source);
	free(which.vlan);
	free(which.from);
	return r;
}
