/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/model/make.h"

struct prefix make_prefix(const char *text)
{
	struct prefix prefix = {};
	const char *why;

	if (prefix_parse(text, &prefix, &why) < 0)
		fail_msg("%s %s", text, why);
	return prefix;
}

struct names make_names(const char *text)
{
	struct names names = {};
	const char *why;

	if (text && names_add_list(&names, text, &why) < 0)
		fail_msg("%s %s", text, why);
	return names;
}

struct group_key make_key(const struct wanted *wanted)
{
	struct group_key key = {.address = make_prefix(wanted->address)};
	const char *why;

	if (wanted->source)
		key.source = make_prefix(wanted->source);
	if (wanted->vlan)
		assert_int_equal(vlan_parse(wanted->vlan, &key.vlan, &why), 0);
	snprintf(key.from, sizeof(key.from), "%s", wanted->from);
	return key;
}

struct group *find(const struct model *model, const struct wanted *wanted)
{
	struct group_key key = make_key(wanted);

	return model_find_group(model, &key);
}

int add(struct model *model, const struct wanted *wanted, struct fault *fault)
{
	struct group group = {.key = make_key(wanted),
			      .to = make_names(wanted->to),
			      .exclude = make_names(wanted->exclude),
			      .file = wanted->file,
			      .line = wanted->line};
	int r = model_add_group(model, &group, fault);

	names_free(&group.to);
	names_free(&group.exclude);
	return r;
}

int wish(struct model *model, const char *name, const char *exclude, bool detached,
	 const char *file, struct fault *fault)
{
	struct interface_wish wanted = {
	    .exclude = make_names(exclude), .detached = detached, .file = file, .line = 1};
	int r;

	snprintf(wanted.name, sizeof(wanted.name), "%s", name);
	r = model_set_interface(model, &wanted, fault);
	names_free(&wanted.exclude);
	return r;
}

const char *list(const struct names *names)
{
	static char buffers[4][512];
	static unsigned int next;
	char *text = buffers[next++ % 4], *end = text;

	*text = '\0';
	for (size_t i = 0; i < names->count; i++)
		end += sprintf(end, "%s%s", i ? "," : "", names->name[i]);
	return text;
}

static void dump_group(FILE *stream, const struct group *group)
{
	char key[GROUP_KEY_TEXT_MAX];

	fprintf(stream, "%s to %s exclude %s at %s:%u set %s less %s users %u\n",
		group_key_format(&group->key, key), list(&group->to), list(&group->exclude),
		group->file ? group->file : "runtime", group->file ? group->line : 0,
		list(&group->set->to), list(&group->set->exclude), group->set->users);
}

char *dump(const struct model *model)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	fprintf(stream, "groups %u entries %u sets %u members %u interfaces %u enforce %s\n",
		model->limits.groups, model->limits.entries, model->limits.sets,
		model->limits.members, model->limits.interfaces, enforce_name(model->enforce));
	for (size_t i = 0; i < model->group_count; i++)
		dump_group(stream, model->groups[i]);
	for (size_t i = 0; i < model->interface_count; i++) {
		const struct interface_wish *w = &model->interfaces[i];

		fprintf(stream, "%s mode %s exclude %s %s at %s\n", w->name, mode_name(w->mode),
			list(&w->exclude), w->detached ? "detached" : "",
			w->file ? w->file : "runtime");
	}
	fclose(stream);
	return text;
}
