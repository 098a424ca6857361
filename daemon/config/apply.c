/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What statements mean: from words to the model. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/private.h"

#define GIVEN(statement, option) ((statement)->given & 1u << (option))

void group_statement_free(struct group_statement *statement)
{
	names_free(&statement->from);
	names_free(&statement->to);
	names_free(&statement->exclude);
	*statement = (struct group_statement){};
}

/* Moves the words into a group statement, or says what is wrong with them. */
static int to_group(struct statement *words, bool needs_to, struct group_statement *out,
		    struct fault *fault)
{
	struct group_statement group = {.source = words->source, .vlan = words->vlan};
	const char *why, *address = words->argument[0];

	if (prefix_parse(address, &group.address, &why) < 0)
		return fault_set(fault, -EINVAL, "group: %.64s: %s", address, why);
	if (needs_to && !words->from.count)
		return fault_set(fault, -EINVAL,
				 "group %s: --from is missing: name the ingress interface",
				 address);
	if (needs_to && !words->to.count)
		return fault_set(fault, -EINVAL,
				 "group %s: --to is missing: name the egress interfaces", address);
	group.from = words->from;
	group.to = words->to;
	group.exclude = words->exclude;
	group.pending = GIVEN(words, OPTION_PENDING);
	words->from = words->to = words->exclude = (struct names){};
	*out = group;
	return 0;
}

int group_statement_parse(int argc, const char **argv, bool needs_to, struct group_statement *out,
			  struct fault *fault)
{
	struct statement words;
	int r = statement_parse(STATEMENT_GROUP, argc, argv, &words, fault);

	if (r < 0)
		return r;
	r = to_group(&words, needs_to, out, fault);
	statement_free(&words);
	return r;
}

static int defined_before(const struct model *model, const struct group_key *key,
			  const struct names *from, struct fault *fault)
{
	struct group_key one = *key;
	char text[GROUP_KEY_TEXT_MAX];

	for (size_t i = 0; i < from->count; i++) {
		const struct group *old;

		memset(one.from, 0, sizeof(one.from));
		strncpy(one.from, from->name[i], sizeof(one.from) - 1);
		old = model_find_group(model, &one);
		if (old && !old->file)
			return fault_set(fault, -EEXIST,
					 "group %s: is defined otherwise in line %u: make one "
					 "statement of the two",
					 group_key_format(&one, text), old->line);
		if (old)
			break;
	}
	return -EEXIST;
}

int group_statement_add(const struct group_statement *statement, struct model *model,
			const char *file, unsigned int line, struct fault *fault)
{
	struct group group = {
	    .key = {.vlan = statement->vlan,
		    .address = statement->address,
		    .source = statement->source},
	    .to = statement->to,
	    .exclude = statement->exclude,
	    .file = file,
	    .line = line,
	};
	int r = model_add_groups(model, &group, &statement->from, fault);

	if (r == -EEXIST && !file) /* two lines of what is applied, not a change of a group */
		return defined_before(model, &group.key, &statement->from, fault);
	return r;
}

static int apply_group(struct statement *words, struct model *model, const char *file,
		       unsigned int line, struct fault *fault)
{
	struct group_statement group;
	int r = to_group(words, true, &group, fault);

	if (r < 0)
		return r;
	r = group_statement_add(&group, model, file, line, fault);
	group_statement_free(&group);
	return r;
}

static int apply_interface(const struct statement *words, struct model *model, const char *file,
			   unsigned int line, struct fault *fault)
{
	struct interface_wish wish = {
	    .mode = words->mode,
	    .exclude = words->exclude,
	    .detached = GIVEN(words, OPTION_DETACHED),
	    .file = file,
	    .line = file ? line : 0,
	};
	const char *name = words->argument[0];
	const struct interface_wish *old = model_find_interface(model, name);

	if (strlen(name) >= sizeof(wish.name))
		return fault_set(fault, -EINVAL,
				 "interface %.64s: is not a name: those have 1 to 15 characters",
				 name);
	/* a file read later replaces the statement: so does what `save` wrote */
	if (old && file && old->file == file)
		return fault_set(fault, -EEXIST,
				 "interface %s: is stated at %s:%u already: make one statement of "
				 "the two",
				 name, old->file, old->line);
	strcpy(wish.name, name);
	return model_set_interface(model, &wish, fault);
}

static int apply_limit(const struct statement *words, struct model *model, struct fault *fault)
{
	const char *name = words->argument[0], *number = words->argument[1];
	unsigned int max, *limit = limits_find(&model->limits, name, &max);
	unsigned long long value = 0;

	if (!limit)
		return fault_set(fault, -EINVAL,
				 "limit %.64s: there is no such limit: name one of %s", name,
				 limits_names());
	/* Digits only: strtoull() alone would take signs. 9 digits never overflow. */
	if (strspn(number, "0123456789") == strlen(number) && strlen(number) < 10)
		value = strtoull(number, NULL, 10);
	if (!value || value > max)
		return fault_set(fault, -EINVAL, "limit %s %.64s: must be a number from 1 to %u",
				 name, number, max);
	*limit = value;
	return 0;
}

static int apply_daemon(const struct statement *words, struct model *model, struct fault *fault)
{
	if (!GIVEN(words, OPTION_ENFORCE))
		return 0;
	return model_set_enforce(model, words->enforce, fault);
}

static int apply_words(enum statement_kind kind, struct statement *words, struct model *model,
		       const char *file, unsigned int line, struct fault *fault)
{
	switch (kind) {
	case STATEMENT_LIMIT:
		return apply_limit(words, model, fault);
	case STATEMENT_DAEMON:
		return apply_daemon(words, model, fault);
	case STATEMENT_INTERFACE:
		return apply_interface(words, model, file, line, fault);
	case STATEMENT_GROUP:
		return apply_group(words, model, file, line, fault);
	}
	return -EINVAL;
}

int statement_apply(enum statement_kind kind, int argc, const char **argv, struct model *model,
		    const char *file, unsigned int line, struct fault *fault)
{
	struct statement words;
	int r;

	if (!file && (kind == STATEMENT_LIMIT || kind == STATEMENT_DAEMON))
		return fault_set(fault, -EINVAL,
				 "limit and daemon belong in the configuration file: what is "
				 "applied at run time holds group and interface only");
	r = statement_parse(kind, argc, argv, &words, fault);
	if (r < 0)
		return r;
	r = apply_words(kind, &words, model, file, line, fault);
	statement_free(&words);
	return r;
}
