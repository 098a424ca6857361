/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xmcastctl --complete WORD...: what the last word may become, one a line; the shells' own files
 * ask this, so that all of them know the same. Says nothing when the daemon cannot be asked.
 */
#include "cli/complete.h"

#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/output.h"

#define GROUPS_MAX 1000 /* groups offered */

enum what { NOTHING, GROUPS, INTERFACES };

/* What stands at the first and the second place behind a verb that is no option. */
static const struct {
	const char *verb;
	enum what first, second;
} places[] = {
    {"del-group", GROUPS, NOTHING},	 {"add-egress", GROUPS, INTERFACES},
    {"del-egress", GROUPS, INTERFACES},	 {"add-exclude", GROUPS, INTERFACES},
    {"del-exclude", GROUPS, INTERFACES}, {"list-groups", GROUPS, NOTHING},
    {"trace", GROUPS, NOTHING},		 {"explain", GROUPS, NOTHING},
    {"attach", INTERFACES, NOTHING},	 {"detach", INTERFACES, NOTHING},
    {"reattach", INTERFACES, NOTHING},	 {"doctor", INTERFACES, INTERFACES},
};

/* Values of options, separated by spaces; of one verb, or of any. */
static const struct {
	const char *option;
	enum what what;
	const char *values, *verb;
} options[] = {
    {"--from", INTERFACES, "", NULL},
    {"--to", INTERFACES, "", NULL},
    {"--exclude", INTERFACES, "", NULL},
    {"--group", GROUPS, "", NULL},
    {"--origin", NOTHING, "config runtime", NULL},
    {"--state", NOTHING, "active pending no-egress detached failed conflict", NULL},
    {"--sort", NOTHING, "frames copies bytes dropped name", NULL},
    {"--in", INTERFACES, "", NULL},
    {"--out", INTERFACES, "", NULL},
    {"--pktgen-dev", INTERFACES, "", NULL},
    {"--source", NOTHING, "live packet pktgen external", "bench"},
};

/* Options without a value. */
static const char *const flags[] = {"--pending", "--unmatched", "--groups",	    "--http",
				    "--native",	 "--generic",	"--quick",	    "--random",
				    "--csv",	 "--markdown",	"--allow-long-free"};

#define LPM                                                                                        \
	"lpm-trie lpm-trie-noop lpm-trie-baseline lpm-trie-lookup lpm-trie-insert "                \
	"lpm-trie-update lpm-trie-delete lpm-trie-free"

/* What may stand behind bench, and the options behind a word that begins so. */
static const struct {
	const char *word, *words, *options;
} bench[] = {
    {"throughput", "throughput",
     "--native --generic --programs --receivers --topology --in --out --pktgen-dev --source "
     "--frame-size --pairs --duration --seed --label --quick --batch --pps --output"},
    {"lpm-trie", LPM,
     "--nr-entries --prefix-len --producers --random --warmup --duration --seed "
     "--allow-long-free --output"},
    {"show", "show", "--csv --markdown --plot"},
    {"compare", "compare", "--fail-below"},
};
#define BENCH (sizeof(bench) / sizeof(*bench))

static void offer(const char *head, const char *word, size_t len, const char *begun)
{
	if (strncmp(word, begun, strlen(begun)) == 0 && len >= strlen(begun))
		printf("%s%.*s\n", head, (int)len, word);
}

/* Of a list "eth0,eth" the last name is completed. */
static void offer_interfaces(const char *begun)
{
	const char *comma = strrchr(begun, ',');
	size_t done = comma ? comma - begun + 1 : 0;
	struct if_nameindex *all = if_nameindex();
	char *head = strndup(begun, done);

	for (struct if_nameindex *i = all; head && i && i->if_index; i++)
		if (strcmp(i->if_name, "lo"))
			offer(head, i->if_name, strlen(i->if_name), begun + done);
	free(head);
	if (all)
		if_freenameindex(all);
}

struct group_offer {
	const char *begun;
	char last[80]; /* groups come sorted: one address may have several */
	size_t count;
};

static int offer_some_groups(const json_t *parameters, bool continues, void *data)
{
	struct group_offer *o = data;
	size_t i;
	json_t *group;

	(void)continues;
	json_array_foreach(json_object_get(parameters, "groups"), i, group)
	{
		const char *address = output_string(group, "address");
		if (!strcmp(address, o->last) || o->count == GROUPS_MAX)
			continue;
		snprintf(o->last, sizeof(o->last), "%s", address);
		offer("", address, strlen(address), o->begun);
		o->count++;
	}
	return CLI_DONE;
}

static void offer_groups(const struct cli *cli, const char *begun)
{
	struct group_offer o = {.begun = begun};
	struct client client;

	if (client_open(&client, cli) != CLI_DONE)
		return;
	client_call(&client, "ListGroups", json_object(), true, offer_some_groups, &o);
	client_close(&client);
}

static void offer_what(const struct cli *cli, enum what what, const char *begun)
{
	if (what == GROUPS)
		offer_groups(cli, begun);
	else if (what == INTERFACES)
		offer_interfaces(begun);
}

static void offer_words(const char *words, const char *begun)
{
	while (*words) {
		size_t len = strcspn(words, " ");
		offer("", words, len, begun);
		words += len + (words[len] == ' ');
	}
}

/* The options that a verb's usage names. */
static void offer_options(const struct verb *verb, const char *begun)
{
	for (const char *at = strstr(verb->arguments, "--"); at; at = strstr(at, "--")) {
		size_t len = 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
		offer("", at, len, begun);
		at += len;
	}
	offer_words("--help --json", begun);
}

/* The options of bench depend on the word behind it. */
static void offer_bench_options(int count, const char **words, const char *begun)
{
	size_t b = BENCH;

	if (count > 2)
		for (b = 0; b < BENCH; b++)
			if (strncmp(words[1], bench[b].word, strlen(bench[b].word)) == 0)
				break;
	offer_words(bench[b < BENCH ? b : 0].options, begun);
	offer_words("--help --json", begun);
}

static bool takes_value(const char *option)
{
	if (strncmp(option, "--", 2) || strchr(option, '='))
		return false;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(option, flags[i]))
			return false;
	return true;
}

/* The value of the option before, if it is one that takes one. */
static bool offer_value(const struct cli *cli, const struct verb *verb, const char *option,
			const char *begun)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (strcmp(options[i].option, option) ||
		    (options[i].verb && strcmp(options[i].verb, verb->name)))
			continue;
		offer_what(cli, options[i].what, begun);
		offer_words(options[i].values, begun);
		return true;
	}
	return takes_value(option); /* another one: nothing to offer */
}

/* Words before the last that are no options and no values of options. */
static int place_of(int count, const char **words)
{
	int place = 0;

	for (int i = 1; i < count - 1; i++) {
		if (strncmp(words[i], "--", 2) == 0)
			i += takes_value(words[i]);
		else
			place++;
	}
	return place;
}

static void offer_place(const struct cli *cli, const struct verb *verb, int place,
			const char *begun)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strcmp(places[i].verb, verb->name))
			offer_what(cli, place ? places[i].second : places[i].first, begun);
}

static void offer_verbs(const char *begun)
{
	for (const struct verb *verb = verbs; verb->name; verb++)
		offer("", verb->name, strlen(verb->name), begun);
}

static void offer_behind(const struct cli *cli, const struct verb *verb, int count,
			 const char **words)
{
	const char *begun = words[count - 1];
	bool is_bench = strcmp(verb->name, "bench") == 0;
	int place = place_of(count, words);

	if (begun[0] == '-' && is_bench)
		offer_bench_options(count, words, begun);
	else if (begun[0] == '-')
		offer_options(verb, begun);
	else if (count > 2 && offer_value(cli, verb, words[count - 2], begun))
		;
	else if (!is_bench)
		offer_place(cli, verb, place, begun);
	else if (!place)
		for (size_t b = 0; b < BENCH; b++)
			offer_words(bench[b].words, begun);
}

int complete(const struct cli *cli, int count, const char **words)
{
	const struct verb *verb;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDERR_FILENO); /* who completes a word wants no errors */
	if (count <= 1) {
		const char *begun = count ? words[0] : "";
		offer_verbs(begun);
		offer_words("help --socket --netns --json --help --version", begun);
	} else if (strcmp(words[0], "help") == 0) {
		if (count == 2)
			offer_verbs(words[1]);
	} else {
		verb = verb_find(words[0]);
		if (verb)
			offer_behind(cli, verb, count, words);
	}
	return CLI_DONE;
}
