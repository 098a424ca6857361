/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements in their canonical form: what is read back is the same. */
#include <errno.h>

#include "daemon/config/private.h"

static void write_names(FILE *stream, const char *option, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		fputs(i ? "," : option, stream);
		fputs(names->name[i], stream);
	}
}

/* The stream's error counts for the whole of a file, so the last answer says it all. */
static int finish(FILE *stream)
{
	fputc('\n', stream);
	return ferror(stream) ? -EIO : 0;
}

int config_write_group(FILE *stream, const struct group *group)
{
	const struct group_key *key = &group->key;
	char text[PREFIX_TEXT_MAX], vlan[VLAN_TEXT_MAX];

	/* no formats: the state file is written with every change, of 100,000 groups perhaps */
	fputs("group ", stream);
	fputs(prefix_format(&key->address, text), stream);
	fputs(" --from ", stream);
	fputs(key->from, stream);
	write_names(stream, " --to ", &group->to);
	if (key->source.len)
		fprintf(stream, " --source %s", prefix_format(&key->source, text));
	if (key->vlan)
		fprintf(stream, " --vlan %s", vlan_format(key->vlan, vlan));
	write_names(stream, " --exclude ", &group->exclude);
	return finish(stream);
}

int config_write_interface(FILE *stream, const struct interface_wish *wish)
{
	fprintf(stream, "interface %.15s", wish->name);
	if (wish->mode != MODE_AUTO)
		fprintf(stream, " --mode %s", mode_name(wish->mode));
	write_names(stream, " --exclude ", &wish->exclude);
	if (wish->detached)
		fputs(" --detached", stream);
	return finish(stream);
}

int config_write_runtime(FILE *stream, const struct model *model)
{
	int r = ferror(stream) ? -EIO : 0;

	model_settle(model);
	for (size_t i = 0; !r && i < model->interface_count; i++)
		if (!model->interfaces[i].file)
			r = config_write_interface(stream, &model->interfaces[i]);
	for (size_t i = 0; !r && i < model->group_count; i++)
		if (!model->groups[i]->file)
			r = config_write_group(stream, model->groups[i]);
	return r;
}
