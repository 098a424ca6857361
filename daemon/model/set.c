/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Egress sets: what a group says, brought into a normal form, so that groups with the same
 * members share one set. Literal names are decided here; what patterns match is not known
 * before there are interfaces, so excludes that could meet a pattern stay in the set.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/private.h"

/* A set in the making: borrowed texts of atoms, in strcmp order. */
struct draft {
	struct names to, exclude;
};

static uint64_t set_hash(const void *item)
{
	const struct egress_set *set = item;
	uint64_t hash = set->to.count;

	for (size_t i = 0; i < set->to.count; i++)
		hash = hash_word(hash, (uintptr_t)set->to.name[i]);
	for (size_t i = 0; i < set->exclude.count; i++)
		hash = hash_word(hash, (uintptr_t)set->exclude.name[i]);
	return hash;
}

static bool set_equal(const void *a, const void *b)
{
	const struct egress_set *x = a, *y = b;

	return names_equal(&x->to, &y->to) && names_equal(&x->exclude, &y->exclude);
}

static const struct table_kind set_kind = {.hash = set_hash, .equal = set_equal};

struct kept_set *set_kept(struct egress_set *set)
{
	return CONTAINER(set, struct kept_set, set);
}

void set_init(struct model_private *private)
{
	private->sets.kind = &set_kind;
}

void set_forget_recipes(struct model_private *private)
{
	private->generation++;
}

static void kept_free(struct model_private *private, struct kept_set *kept)
{
	for (unsigned int i = 0; i < kept->length; i++)
		atom_put(private, atom_of(kept->name[i]));
	free(kept);
}

void set_put(struct model *model, struct egress_set *set)
{
	if (!set || --set->users)
		return;
	if (model->set_gone)
		model->set_gone(set, model->set_gone_data);
	table_remove(&model->private->sets, set);
	set_forget_recipes(model->private);
	kept_free(model->private, set_kept(set));
}

static int kept_new(struct model *model, const struct draft *draft, struct egress_set **out)
{
	size_t length = draft->to.count + draft->exclude.count;
	struct kept_set *kept = calloc(1, sizeof(*kept) + length * sizeof(*kept->name));

	if (!kept)
		return -ENOMEM;
	for (size_t i = 0; i < length; i++) {
		kept->name[i] = i < draft->to.count ? draft->to.name[i]
						    : draft->exclude.name[i - draft->to.count];
		atom_of(kept->name[i])->users++;
		kept->length++;
	}
	kept->set.to = (struct names){kept->name, draft->to.count};
	kept->set.exclude = (struct names){kept->name + draft->to.count, draft->exclude.count};
	if (table_add(&model->private->sets, &kept->set) < 0) {
		kept_free(model->private, kept);
		return -ENOMEM;
	}
	*out = &kept->set;
	return 0;
}

/*
 * True when nothing that `pattern` matches escapes `exclude`. Sound, not complete: an exclude
 * of literals and stars that matches the pattern's own text matches all that it can become.
 */
static bool covers(const char *exclude, const char *name)
{
	if (!strcmp(exclude, name))
		return true;
	if (!name_is_pattern(name))
		return name_is_pattern(exclude) && !fnmatch(exclude, name, FNM_NOESCAPE);
	return !strpbrk(exclude, "?[") && !strchr(name, '[') && strchr(exclude, '*') &&
	       !fnmatch(exclude, name, FNM_NOESCAPE);
}

/* False when no name can match both: then their literal beginnings differ. */
static bool may_meet(const char *exclude, const char *pattern)
{
	if (!name_is_pattern(exclude))
		return !fnmatch(pattern, exclude, FNM_NOESCAPE);
	for (; *exclude && *pattern && !strchr("*?[", *exclude) && !strchr("*?[", *pattern);
	     exclude++, pattern++)
		if (*exclude != *pattern)
			return false;
	return true;
}

static bool excluded(const struct names *excludes, const char *name)
{
	for (size_t i = 0; i < excludes->count; i++)
		if (covers(excludes->name[i], name))
			return true;
	return false;
}

static bool may_meet_any(const char *exclude, const struct names *to)
{
	for (size_t i = 0; i < to->count; i++)
		if (name_is_pattern(to->name[i]) && may_meet(exclude, to->name[i]))
			return true;
	return false;
}

static void put_name(struct names *names, char *name)
{
	size_t at = names->count;

	while (at && strcmp(names->name[at - 1], name) > 0) {
		names->name[at] = names->name[at - 1];
		at--;
	}
	if (at && names->name[at - 1] == name) { /* atoms: same text, same pointer */
		memmove(names->name + at, names->name + at + 1,
			(names->count - at) * sizeof(*names->name));
		return;
	}
	names->name[at] = name;
	names->count++;
}

/* Fills `draft` (its arrays are large enough) with `to` less everything in `all`. */
static void fill(struct draft *draft, const struct names *to, const struct names *all)
{
	draft->to.count = draft->exclude.count = 0;
	for (size_t i = 0; i < to->count; i++)
		if (!excluded(all, to->name[i]))
			draft->to.name[draft->to.count++] = to->name[i];
	for (size_t i = 0; i < all->count; i++)
		if (may_meet_any(all->name[i], &draft->to))
			put_name(&draft->exclude, all->name[i]);
}

/* Every exclude there is: the ingress itself first, then the group's, then the interface's. */
static size_t gather(struct names *all, const struct atom *from, const struct names *group,
		     const struct names *interface)
{
	all->name[all->count++] = (char *)from->text;
	for (size_t i = 0; i < group->count; i++)
		all->name[all->count++] = group->name[i];
	for (size_t i = 0; i < interface->count; i++)
		all->name[all->count++] = interface->name[i];
	return all->count;
}

static int set_get(struct model *model, const struct draft *draft, struct egress_set **out,
		   struct fault *fault)
{
	const struct egress_set like = {.to = draft->to, .exclude = draft->exclude};
	struct egress_set *set = table_find(&model->private->sets, &like);
	int r;

	if (draft->to.count > model->limits.members)
		return fault_limit(fault, "members", model->limits.members,
				   "egress interfaces in one set");
	if (!set) {
		r = kept_new(model, draft, &set);
		if (r < 0)
			return fault_set(fault, r, "out of memory for an egress set");
	}
	set->users++;
	*out = set;
	return 0;
}

static int derive(struct model *model, const struct atom *from, const struct names *to,
		  const struct names *exclude, struct egress_set **out, struct fault *fault)
{
	const struct interface_wish *wish = wish_effective(model->private, from->text);
	const struct names none = {}, *own = wish ? &wish->exclude : &none;
	size_t excludes = 1 + exclude->count + own->count;
	char **scratch = calloc(to->count + 2 * excludes, sizeof(*scratch));
	struct draft draft = {.to.name = scratch};
	struct names all = {};
	int r;

	if (!scratch)
		return fault_set(fault, -ENOMEM, "out of memory for an egress set");
	draft.exclude.name = scratch + to->count;
	all.name = draft.exclude.name + excludes;
	gather(&all, from, exclude, own);
	fill(&draft, to, &all);
	if (!draft.to.count) {
		free(scratch);
		return fault_set(fault, -EINVAL,
				 "no egress is left after split horizon and excludes: name one in "
				 "--to that is neither the ingress nor excluded");
	}
	if (model->enforce == ENFORCE_LOOKUP) { /* then only the ingress is folded out */
		all.count = 1;
		fill(&draft, to, &all);
	}
	r = set_get(model, &draft, out, fault);
	free(scratch);
	return r;
}

int set_derive(struct model *model, const struct atom *from, const struct name_list *to,
	       const struct name_list *exclude, struct egress_set **out, struct fault *fault)
{
	uint64_t hash = hash_word(hash_word((uintptr_t)to, (uintptr_t)exclude), (uintptr_t)from);
	struct recipe *recipe = &model->private->recipe[hash % RECIPES];
	struct names to_names = list_names(to), exclude_names = list_names(exclude);
	int r;

	if (recipe->generation == model->private->generation && recipe->to == to &&
	    recipe->exclude == exclude && recipe->from == from) {
		recipe->set->users++;
		*out = recipe->set;
		return 0;
	}
	r = derive(model, from, &to_names, &exclude_names, out, fault);
	if (r < 0)
		return r;
	*recipe = (struct recipe){.to = to,
				  .exclude = exclude,
				  .from = from,
				  .set = *out,
				  .generation = model->private->generation};
	return 0;
}
