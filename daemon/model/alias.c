/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two names may mean one ingress: eth0.100 is eth0 with the tag 100. What its groups say counts
 * together with what is said of eth0, so the keys are resolved first and compiled then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/private.h"

struct resolved {
	struct group *shadow; /* groups with another key than they were written with */
	size_t shadows;
	struct group **groups; /* all, sorted by resolved key */
	size_t count;
};

static bool is_shadow(const struct resolved *all, const struct group *group)
{
	return group >= all->shadow && group < all->shadow + all->shadows;
}

/* Of one key, who names the ingress itself comes first, then the order of the model. */
static int compare(const void *a, const void *b, void *data)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;
	const struct resolved *all = data;
	int order = group_key_compare(&x->key, &y->key);

	if (order)
		return order;
	if (is_shadow(all, x) != is_shadow(all, y))
		return is_shadow(all, x) ? 1 : -1;
	return (x > y) - (x < y);
}

static size_t count_aliases(const struct model *model, key_resolve resolve, void *data)
{
	size_t count = 0;
	const struct group_key *last = NULL;
	bool alias = false;

	for (size_t i = 0; i < model->group_count; i++) {
		struct group_key key = model->groups[i]->key;

		if (!last || last->vlan != key.vlan || strcmp(last->from, key.from))
			alias = resolve(&key, data);
		last = &model->groups[i]->key;
		count += alias;
	}
	return count;
}

static void fill(struct resolved *all, const struct model *model, key_resolve resolve, void *data)
{
	for (size_t i = 0; i < model->group_count; i++) {
		struct group *group = model->groups[i];
		struct group_key key = group->key;

		if (resolve(&key, data)) {
			struct group *shadow = &all->shadow[all->shadows++];

			*shadow = *group;
			shadow->key = key;
			group = shadow;
		}
		all->groups[all->count++] = group;
	}
}

/* The first of each key. */
static void leave_out_losers(struct resolved *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++)
		if (!kept || group_key_compare(&all->groups[kept - 1]->key, &all->groups[i]->key))
			all->groups[kept++] = all->groups[i];
	all->count = kept;
}

int model_compile_resolved(const struct model *model, key_resolve resolve, void *data,
			   struct group **shadows, struct entry **out, size_t *count,
			   struct fault *fault)
{
	struct resolved all = {0};
	int r = -ENOMEM;

	*shadows = NULL;
	model_settle(model);
	size_t aliases = count_aliases(model, resolve, data);
	if (!aliases)
		return model_compile(model, out, count, fault);
	all.shadow = calloc(aliases, sizeof(*all.shadow));
	all.groups = calloc(model->group_count, sizeof(*all.groups));
	if (all.shadow && all.groups) {
		fill(&all, model, resolve, data);
		qsort_r(all.groups, all.count, sizeof(*all.groups), compare, &all);
		leave_out_losers(&all);
		r = compile_groups(all.groups, all.count, model->limits.entries, out, count, fault);
	} else {
		fault_set(fault, r, "out of memory for map entries");
	}
	free(all.groups);
	if (r < 0)
		free(all.shadow);
	else
		*shadows = all.shadow;
	return r;
}
