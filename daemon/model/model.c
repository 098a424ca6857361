/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/private.h"

struct model *model_new(void)
{
	struct model *model = calloc(1, sizeof(*model));
	struct model_private *private = calloc(1, sizeof(*private));

	if (!model || !private) {
		free(model);
		free(private);
		return NULL;
	}
	model->private = private;
	model->limits = LIMITS_DEFAULT;
	private->groups.kind = &group_kind;
	private->filling = private->sorted = true;
	private->generation = 1;
	intern_init(private);
	set_init(private);
	return model;
}

static void free_set(void *item)
{
	free(set_kept(item));
}

/* Frees what the groups share, without counting down: everything goes. */
void model_empty(struct model *model)
{
	struct model_private *private = model->private;

	table_clear(&private->sets, free_set);
	table_clear(&private->lists, free);
	table_clear(&private->atoms, free);
	table_clear(&private->groups, NULL);
	set_forget_recipes(private);
	free(private->config.wish);
	free(private->runtime.wish);
	private->config = private->runtime = (struct wishes){};
	free(model->interfaces);
	free(model->groups);
	model->interfaces = NULL;
	model->groups = NULL;
	model->interface_count = model->group_count = private->room = private->prefixes = 0;
	private->filling = private->sorted = true;
	model->version++;
}

void model_free(struct model *model)
{
	struct table *sets;

	if (!model)
		return;
	sets = &model->private->sets;
	for (size_t i = 0; model->set_gone && i < sets->size; i++)
		if (sets->slot[i])
			model->set_gone(sets->slot[i], model->set_gone_data);
	for (size_t i = 0; i < model->group_count; i++)
		free(group_kept(model->groups[i]));
	model_empty(model);
	free(model->private);
	free(model);
}

static int compare(const void *a, const void *b)
{
	const struct group *const *x = a, *const *y = b;

	return group_key_compare(&(*x)->key, &(*y)->key);
}

void model_settle(const struct model *model)
{
	struct model_private *private = model->private;

	if (!private->sorted)
		qsort(model->groups, model->group_count, sizeof(*model->groups), compare);
	private->sorted = true;
	private->filling = false;
}

int model_set_enforce(struct model *model, enum enforce enforce, struct fault *fault)
{
	enum enforce before = model->enforce;
	int r;

	if (enforce == before)
		return 0;
	model->enforce = enforce;
	r = model_rederive(model, fault);
	if (r < 0)
		model->enforce = before;
	else
		model->version++;
	return r;
}
