/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/verb.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 32

/* Levenshtein's distance; longer names are far from everything. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_LEN + 1], len = strlen(b);

	if (len > NAME_MAX_LEN || strlen(a) > NAME_MAX_LEN)
		return NAME_MAX_LEN;
	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= len; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[len];
}

static void suggest(const char *name)
{
	const struct verb *best = NULL;
	size_t least = strlen(name) / 2 < 3 ? strlen(name) / 2 + 1 : 4; /* beyond it is no typo */

	for (const struct verb *verb = verbs; verb->name; verb++) {
		size_t d = distance(name, verb->name);

		if (d < least) {
			least = d;
			best = verb;
		}
	}
	if (name[0] == '-')
		cli_fail(0, "there is no option '%s': see xmcastctl --help", name);
	else if (best)
		cli_fail(0, "there is no verb '%s': did you mean '%s'?", name, best->name);
	else
		cli_fail(0, "there is no verb '%s': see xmcastctl --help", name);
}

static void tell_ambiguous(const char *name, size_t len)
{
	fprintf(stderr, "xmcastctl: '%s' can be", name);
	for (const struct verb *verb = verbs; verb->name; verb++) {
		if (strncmp(verb->name, name, len) == 0)
			fprintf(stderr, " %s", verb->name);
	}
	fprintf(stderr, ": write more of it\n");
}

const struct verb *verb_find(const char *name)
{
	const struct verb *found = NULL;
	size_t len = strlen(name);
	int count = 0;

	for (const struct verb *verb = verbs; verb->name; verb++) {
		if (strcmp(verb->name, name) == 0)
			return verb;
		if (len && strncmp(verb->name, name, len) == 0) {
			found = verb;
			count++;
		}
	}
	if (count == 1)
		return found;
	if (count)
		tell_ambiguous(name, len);
	else
		suggest(name);
	return NULL;
}

static void print_usage(FILE *out, const struct verb *verb)
{
	fprintf(out, "usage: xmcastctl %s%s%s\n", verb->name, *verb->arguments ? " " : "",
		verb->arguments);
}

void verb_help(const struct verb *verb)
{
	print_usage(stdout, verb);
	printf("%s.\n", verb->summary);
	if (verb->details)
		printf("%s", verb->details);
	printf("\nexamples:\n  %s\n  %s\n", verb->examples[0], verb->examples[1]);
}

void verb_help_all(void)
{
	printf("usage: xmcastctl [--socket PATH] [--netns NAME] [--json] VERB ...\n\n");
	for (const struct verb *verb = verbs; verb->name; verb++)
		printf("  %-16s %s\n", verb->name, verb->summary);
	printf("\n"
	       "  --socket PATH    the daemon's socket (XMCAST_SOCKET; "
	       "/run/xmcast/io.xmcast.Control)\n"
	       "  --netns NAME     the daemon of that network namespace\n"
	       "  --json           print the daemon's reply itself\n"
	       "  --version        print the version\n\n"
	       "A verb may be shortened while it is unique. xmcastctl VERB --help shows examples.\n"
	       "Exit: 0 done, 1 refused, 2 usage, 3 daemon not reachable, 4 not permitted.\n");
}

int verb_usage(const char *name, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "xmcastctl %s: ", name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	for (const struct verb *verb = verbs; verb->name; verb++) {
		if (strcmp(verb->name, name) == 0)
			print_usage(stderr, verb);
	}
	return CLI_USAGE;
}

int verb_options(int argc, const char **argv, const struct poptOption *options, char **words,
		 size_t count)
{
	poptContext context = poptGetContext(NULL, argc, argv, options, 0);
	int option = poptGetNextOpt(context), r = CLI_DONE;

	if (option < -1)
		r = verb_usage(argv[0], "%s: %s", poptBadOption(context, 0), poptStrerror(option));
	for (size_t i = 0; i < count; i++) {
		const char *word = poptGetArg(context);
		words[i] = word ? strdup(word) : NULL;
	}
	if (r == CLI_DONE && poptPeekArg(context))
		r = verb_usage(argv[0], "%s is one word too many", poptPeekArg(context));
	poptFreeContext(context);
	return r;
}

int cli_fail(int code, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "xmcastctl: ");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	return code;
}
