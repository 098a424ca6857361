/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of one statement: one option table for all, and who may use which. */
#include <assert.h>
#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/private.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define BIT(option)  (1u << (option))

static const struct poptOption options[] = {
    {"from", 0, POPT_ARG_STRING, NULL, OPTION_FROM, NULL, NULL},
    {"to", 0, POPT_ARG_STRING, NULL, OPTION_TO, NULL, NULL},
    {"source", 0, POPT_ARG_STRING, NULL, OPTION_SOURCE, NULL, NULL},
    {"vlan", 0, POPT_ARG_STRING, NULL, OPTION_VLAN, NULL, NULL},
    {"exclude", 0, POPT_ARG_STRING, NULL, OPTION_EXCLUDE, NULL, NULL},
    {"pending", 0, POPT_ARG_NONE, NULL, OPTION_PENDING, NULL, NULL},
    {"mode", 0, POPT_ARG_STRING, NULL, OPTION_MODE, NULL, NULL},
    {"detached", 0, POPT_ARG_NONE, NULL, OPTION_DETACHED, NULL, NULL},
    {"enforce", 0, POPT_ARG_STRING, NULL, OPTION_ENFORCE, NULL, NULL},
    POPT_TABLEEND,
};

/* Lists may be given in several options; of the others one must be enough. */
#define LIST_OPTIONS (BIT(OPTION_FROM) | BIT(OPTION_TO) | BIT(OPTION_EXCLUDE))

static const struct kind {
	const char *name;
	const char *usage;
	unsigned int arguments;
	unsigned int allowed; /* options */
} kinds[] = {
    [STATEMENT_LIMIT] = {"limit", "limit NAME N", 2, 0},
    [STATEMENT_DAEMON] = {"daemon", "daemon [--enforce fold|lookup]", 0, BIT(OPTION_ENFORCE)},
    [STATEMENT_INTERFACE] = {"interface",
			     "interface IF [--mode auto|native|generic] [--exclude IF,..] "
			     "[--detached]",
			     1, BIT(OPTION_MODE) | BIT(OPTION_EXCLUDE) | BIT(OPTION_DETACHED)},
    [STATEMENT_GROUP] = {"group",
			 "group ADDR[/LEN] --from IF,.. --to IF,.. [--source ADDR[/LEN]] "
			 "[--vlan V] [--exclude IF,..]",
			 1,
			 LIST_OPTIONS | BIT(OPTION_SOURCE) | BIT(OPTION_VLAN) |
			     BIT(OPTION_PENDING)},
};
static_assert(COUNT(kinds) == STATEMENT_KINDS, "a kind of statement without words");

const char *statement_kind_name(enum statement_kind kind)
{
	return kinds[kind].name;
}

int statement_kind_parse(const char *word, enum statement_kind *out)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(kinds[i].name, word))
			continue;
		*out = i;
		return 0;
	}
	return -EINVAL;
}

void statement_free(struct statement *statement)
{
	for (size_t i = 0; i < COUNT(statement->argument); i++)
		free(statement->argument[i]);
	names_free(&statement->from);
	names_free(&statement->to);
	names_free(&statement->exclude);
	*statement = (struct statement){};
}

static const char *option_name(int option)
{
	for (const struct poptOption *o = options; o->longName; o++)
		if (o->val == option)
			return o->longName;
	return "";
}

/* Parses one option's value into *out; `why` is what is wrong with it. */
static int take_value(struct statement *out, int option, const char *value, const char **why)
{
	switch (option) {
	case OPTION_FROM:
		return names_add_list(&out->from, value, why);
	case OPTION_TO:
		return names_add_list(&out->to, value, why);
	case OPTION_EXCLUDE:
		return names_add_list(&out->exclude, value, why);
	case OPTION_SOURCE:
		return prefix_parse(value, &out->source, why);
	case OPTION_VLAN:
		return vlan_parse(value, &out->vlan, why);
	case OPTION_MODE:
		*why = "is none of auto, native, generic";
		return mode_parse(value, &out->mode);
	case OPTION_ENFORCE:
		*why = "is none of fold, lookup";
		return enforce_parse(value, &out->enforce);
	}
	return 0; /* without a value: being given is all */
}

static int take_option(const struct kind *kind, struct statement *out, int option,
		       const char *value, struct fault *fault)
{
	const char *name = option_name(option), *why = "";
	int r;

	if (!(kind->allowed & BIT(option)))
		return fault_set(fault, -EINVAL, "%s: --%s does not belong here: write `%s`",
				 kind->name, name, kind->usage);
	if (out->given & BIT(option) & ~LIST_OPTIONS)
		return fault_set(fault, -EINVAL, "%s: --%s is given twice", kind->name, name);
	out->given |= BIT(option);
	r = take_value(out, option, value, &why);
	if (r < 0)
		fault_set(fault, r, "%s: --%s %.64s: %s", kind->name, name, value, why);
	return r;
}

static int take_options(poptContext context, const struct kind *kind, struct statement *out,
			struct fault *fault)
{
	int option, r;

	while ((option = poptGetNextOpt(context)) > 0) {
		char *value = poptGetOptArg(context);

		r = take_option(kind, out, option, value ? value : "", fault);
		free(value);
		if (r < 0)
			return r;
	}
	if (option < -1)
		return fault_set(fault, -EINVAL, "%s: %.64s: %s: write `%s`", kind->name,
				 poptBadOption(context, POPT_BADOPTION_NOALIAS),
				 poptStrerror(option), kind->usage);
	return 0;
}

static int take_arguments(poptContext context, const struct kind *kind, struct statement *out,
			  struct fault *fault)
{
	const char **word = poptGetArgs(context);

	for (; word && *word; word++) {
		if (out->arguments == kind->arguments)
			return fault_set(fault, -EINVAL,
					 "%s: %.64s is one word too many: write `%s`", kind->name,
					 *word, kind->usage);
		out->argument[out->arguments] = strdup(*word);
		if (!out->argument[out->arguments])
			return fault_set(fault, -ENOMEM, "%s: out of memory", kind->name);
		out->arguments++;
	}
	if (out->arguments < kind->arguments)
		return fault_set(fault, -EINVAL, "%s: a word is missing: write `%s`", kind->name,
				 kind->usage);
	return 0;
}

int statement_parse(enum statement_kind kind, int argc, const char **argv, struct statement *out,
		    struct fault *fault)
{
	struct statement statement = {};
	poptContext context;
	int r;

	context = poptGetContext(NULL, argc, argv, options, POPT_CONTEXT_KEEP_FIRST);
	if (!context)
		return fault_set(fault, -ENOMEM, "%s: out of memory", kinds[kind].name);
	r = take_options(context, &kinds[kind], &statement, fault);
	if (!r)
		r = take_arguments(context, &kinds[kind], &statement, fault);
	poptFreeContext(context);
	if (r < 0) {
		statement_free(&statement);
		return r;
	}
	*out = statement;
	return 0;
}
