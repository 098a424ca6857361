/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the global options out, finds the verb, runs it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complete.h"
#include "cli/verb.h"
#include "daemon/control/codec.h"

#define RUNTIME_DIR "/run/xmcast"

struct globals {
	const char *socket, *netns;
	bool json, help, version;
};

/*
 * When argv[*i] is `name` with a value ("--name V" or "--name=V") stores it and moves *i.
 * 1 taken, 0 another option, -1 the value is missing.
 */
static int take_value(const char **argv, int *i, const char *name, const char **out)
{
	size_t len = strlen(name);

	if (strncmp(argv[*i], name, len) != 0)
		return 0;
	if (argv[*i][len] == '=') {
		*out = argv[*i] + len + 1;
		return 1;
	}
	if (argv[*i][len])
		return 0;
	if (!argv[*i + 1])
		return -1;
	*out = argv[++*i];
	return 1;
}

static bool take_flag(const char *word, struct globals *globals)
{
	static const struct {
		const char *name;
		size_t flag;
	} flags[] = {
	    {"--json", offsetof(struct globals, json)},
	    {"--help", offsetof(struct globals, help)},
	    {"-h", offsetof(struct globals, help)},
	    {"--version", offsetof(struct globals, version)},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (strcmp(word, flags[i].name) != 0)
			continue;
		*((bool *)((char *)globals + flags[i].flag)) = true;
		return true;
	}
	return false;
}

/* Takes the global options out of argv, wherever they stand. The number of words left, or -1. */
static int take_globals(int argc, const char **argv, struct globals *globals)
{
	int left = 0;

	for (int i = 0; i < argc; i++) {
		const char *word = argv[i];
		int r = take_value(argv, &i, "--socket", &globals->socket);

		if (r == 0)
			r = take_value(argv, &i, "--netns", &globals->netns);
		if (r < 0) {
			cli_fail(0, "%s needs a value", word);
			return -1;
		}
		if (r == 0 && !take_flag(word, globals))
			argv[left++] = word;
	}
	argv[left] = NULL;
	return left;
}

static int socket_path(const struct globals *globals, char *path, size_t size)
{
	const char *chosen = globals->socket;
	int n;

	if (!chosen && !globals->netns)
		chosen = getenv("XMCAST_SOCKET");
	if (chosen && *chosen)
		n = snprintf(path, size, "%s", chosen);
	else if (globals->netns)
		n = snprintf(path, size, RUNTIME_DIR "/%s/" CONTROL_SOCKET, globals->netns);
	else
		n = snprintf(path, size, RUNTIME_DIR "/" CONTROL_SOCKET);
	return n < 0 || (size_t)n >= size ? -1 : 0;
}

static int run(const struct globals *globals, int argc, const char **argv)
{
	const struct verb *verb = verb_find(argv[0]);
	char path[PATH_MAX];
	struct cli cli = {.socket = path, .netns = globals->netns, .json = globals->json};
	int r;

	if (!verb)
		return CLI_USAGE;
	if (globals->help) {
		verb_help(verb);
		return CLI_DONE;
	}
	if (globals->socket && globals->netns)
		return cli_fail(CLI_USAGE, "--socket and --netns exclude each other");
	if (socket_path(globals, path, sizeof(path)) < 0)
		return cli_fail(CLI_USAGE, "the socket's path is too long");
	argv[0] = verb->name;
	r = verb->run(&cli, argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout))
		return cli_fail(CLI_REFUSED, "cannot write the output");
	return r;
}

/* --complete WORD...: global options before the last word matter only for whom to ask. */
static int complete_line(int count, const char **words)
{
	struct globals globals = {};
	char path[PATH_MAX];
	const struct cli cli = {.socket = path};
	const char *last = count ? words[count - 1] : NULL;

	if (count > 1 &&
	    (!strcmp(words[count - 2], "--socket") || !strcmp(words[count - 2], "--netns")))
		return CLI_DONE; /* its value */
	if (last) {
		count = take_globals(count - 1, words, &globals);
		words[count++] = last;
	}
	return socket_path(&globals, path, sizeof(path)) < 0 ? CLI_USAGE
							     : complete(&cli, count, words);
}

int main(int argc, char **argv)
{
	const char **words = (const char **)argv + 1;
	struct globals globals = {};

	if (argc > 1 && strcmp(words[0], "--complete") == 0)
		return complete_line(argc - 2, words + 1);
	int count = take_globals(argc - 1, words, &globals);

	if (count < 0)
		return CLI_USAGE;
	if (globals.version) {
		printf("xmcastctl %s\n", XM_VERSION);
		return CLI_DONE;
	}
	if (count > 0 && strcmp(words[0], "help") == 0) { /* what people type first */
		globals.help = true;
		words++;
		count--;
	}
	if (count > 0)
		return run(&globals, count, words);
	if (!globals.help)
		return cli_fail(CLI_USAGE, "which verb? See xmcastctl --help");
	verb_help_all();
	return CLI_DONE;
}
