/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bulk changes, all or nothing: first a plan of the whole new state is made, where anything
 * may fail and all that was taken is given back; then it is put into force, where nothing can.
 * A change of an exclude or of the enforcer is the same with no groups coming or going.
 */
#include <errno.h>
#include <stdlib.h>

#include "daemon/model/private.h"

/* One group of the new state. The references are the plan's until it is in force. */
struct step {
	struct kept_group *keep;  /* the group that stays, NULL: it is new */
	struct kept_group *donor; /* the other model's, NULL: `keep` says the same as before */
	struct atom *from;	  /* with donor only, as are the lists */
	struct name_list *to, *exclude;
	struct egress_set *set;
};

struct plan {
	struct step *step; /* in order of keys */
	size_t count;
	struct group **gone; /* groups that the new state does not have */
	size_t gone_count;
	struct group **groups; /* the new array, in order */
	size_t prefixes;       /* groups whose address is not a single one */
};

static const struct group *step_group(const struct step *step)
{
	return step->donor ? &step->donor->group : &step->keep->group;
}

static void plan_drop(struct model *model, struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		struct step *step = &plan->step[i];

		set_put(model, step->set);
		list_put(model->private, step->to);
		list_put(model->private, step->exclude);
		atom_put(model->private, step->from);
	}
	/* Those of the plan were made with settings that do not come. */
	set_forget_recipes(model->private);
	free(plan->step);
	free(plan->gone);
	free(plan->groups);
}

static int both_origins(const struct group *old, const struct group *new, struct fault *fault)
{
	char key[GROUP_KEY_TEXT_MAX], owner[OWNER_MAX];

	group_key_format(&new->key, key);
	if (old->file)
		return fault_set(fault, -EEXIST,
				 "group %s: belongs to %s: leave it out, or remove it there and "
				 "reload",
				 key, group_owner(old, owner));
	return fault_set(fault, -EEXIST,
			 "group %s: %s defines what is a runtime group already: remove one of the "
			 "two (xmcastctl del-group)",
			 key, group_owner(new, owner));
}

/*
 * A reload may take over a runtime group that says the same: that is what `save` and then
 * `reload` make of it, and it loses no frame.
 */
static bool may_meet(const struct group *old, const struct group *new, bool config)
{
	if (!old->file == !config)
		return true;
	return config && names_equal(&old->to, &new->to) &&
	       names_equal(&old->exclude, &new->exclude);
}

/* Walks both sorted arrays at once: who stays, who comes, who goes. */
static int plan_merge(struct plan *plan, const struct model *model, const struct model *other,
		      bool config, struct fault *fault)
{
	size_t i = 0, j = 0, others = other ? other->group_count : 0;

	while (i < model->group_count || j < others) {
		struct group *old = i < model->group_count ? model->groups[i] : NULL;
		struct group *new = j < others ? other->groups[j] : NULL;
		int order = !old ? 1 : !new ? -1 : group_key_compare(&old->key, &new->key);
		struct step *step = &plan->step[plan->count];

		i += order <= 0;
		j += order >= 0;
		if (order < 0 && other && !old->file == !config) {
			plan->gone[plan->gone_count++] = old;
			continue;
		}
		if (!order && !may_meet(old, new, config))
			return both_origins(old, new, fault);
		step->keep = order <= 0 ? group_kept(old) : NULL;
		step->donor = order >= 0 ? group_kept(new) : NULL;
		plan->groups[plan->count] = step->keep ? old : new;
		plan->prefixes += plan->groups[plan->count++]->key.address.len < 128;
	}
	return 0;
}

static int plan_make(struct plan *plan, const struct model *model, const struct model *other,
		     bool config, struct fault *fault)
{
	size_t most = model->group_count + (other ? other->group_count : 0);

	plan->step = calloc(most + 1, sizeof(*plan->step));
	plan->groups = calloc(most + 1, sizeof(*plan->groups));
	plan->gone = calloc(model->group_count + 1, sizeof(*plan->gone));
	if (!plan->step || !plan->groups || !plan->gone)
		return fault_set(fault, -ENOMEM, "out of memory for %zu groups", most);
	return plan_merge(plan, model, other, config, fault);
}

static int step_derive(struct model *model, struct step *step, struct fault *fault)
{
	struct model_private *private = model->private;
	const struct group *group = step_group(step);
	struct atom *from = step->keep ? step->keep->from : NULL;
	struct name_list *to = list_of(&group->to), *exclude = list_of(&group->exclude);
	char key[GROUP_KEY_TEXT_MAX], owner[OWNER_MAX];
	struct fault why = {};
	int r = 0;

	if (step->donor) {
		if (!from)
			from = step->from = atom_get_twin(private, step->donor->from);
		if (!from || list_get_twin(private, to, &step->to) < 0 ||
		    list_get_twin(private, exclude, &step->exclude) < 0)
			r = fault_set(&why, -ENOMEM, "out of memory");
		to = step->to;
		exclude = step->exclude;
	}
	if (!r)
		r = set_derive(model, from, to, exclude, &step->set, &why);
	if (r < 0)
		fault_set(fault, r, "group %s (%s): %s", group_key_format(&group->key, key),
			  group_owner(group, owner), why.text);
	return r;
}

/* Counts what the new state refers to, each once: `mark` is of this count alone. */
struct tally {
	unsigned int mark;
	size_t names, sets;
};

static void tally_atom(struct tally *tally, struct atom *atom)
{
	tally->names += atom->mark != tally->mark;
	atom->mark = tally->mark;
}

static void tally_list(struct tally *tally, struct name_list *list)
{
	if (!list || list->mark == tally->mark)
		return;
	list->mark = tally->mark;
	for (size_t i = 0; i < list->names.count; i++)
		tally_atom(tally, atom_of(list->names.name[i]));
}

static void tally_wishes(struct tally *tally, const struct model_private *private,
			 const struct wishes *wishes)
{
	for (size_t i = 0; i < wishes->count; i++) {
		tally_atom(tally, atom_find(private, wishes->wish[i].name));
		tally_list(tally, list_of(&wishes->wish[i].exclude));
	}
}

static void tally_step(struct tally *tally, const struct step *step)
{
	struct kept_set *set = set_kept(step->set);

	tally_atom(tally, step->from ? step->from : step->keep->from);
	tally_list(tally, step->donor ? step->to : list_of(&step->keep->group.to));
	tally_list(tally, step->donor ? step->exclude : list_of(&step->keep->group.exclude));
	tally->sets += set->mark != tally->mark;
	set->mark = tally->mark;
}

static int plan_check(const struct plan *plan, struct model *model, struct fault *fault)
{
	struct model_private *private = model->private;
	struct tally tally = {.mark = ++private->mark};

	if (plan->count > model->limits.groups)
		return fault_limit(fault, "groups", model->limits.groups, "groups");
	for (size_t i = 0; i < plan->count; i++)
		tally_step(&tally, &plan->step[i]);
	tally_wishes(&tally, private, &private->config);
	tally_wishes(&tally, private, &private->runtime);
	if (tally.names > model->limits.interfaces)
		return fault_limit(fault, "interfaces", model->limits.interfaces,
				   "interface names");
	if (tally.sets > model->limits.sets)
		return fault_limit(fault, "sets", model->limits.sets, "different egress sets");
	return compile_check(plan->groups, plan->count, plan->prefixes, model->limits.entries,
			     fault);
}

static int plan_derive(struct plan *plan, struct model *model, struct fault *fault)
{
	int r = 0;

	set_forget_recipes(model->private);
	for (size_t i = 0; !r && i < plan->count; i++)
		r = step_derive(model, &plan->step[i], fault);
	return r < 0 ? r : plan_check(plan, model, fault);
}

/* What the step brings and what the group had change places; the old is given back. */
static void step_commit(struct model *model, struct step *step)
{
	struct kept_group *kept = step->keep ? step->keep : step->donor;
	struct group *group = &kept->group, old = *group;

	group->set = step->set;
	if (step->donor) {
		group->to = list_names(step->to);
		group->exclude = list_names(step->exclude);
		group->file = step->donor->group.file;
		group->line = step->donor->group.line;
	}
	if (!step->keep) { /* what it had was the other model's, which goes as a whole */
		kept->from = step->from;
		table_add(&model->private->groups, group);
		return;
	}
	set_put(model, old.set);
	if (!step->donor)
		return;
	list_put(model->private, list_of(&old.to));
	list_put(model->private, list_of(&old.exclude));
	free(step->donor);
}

static void plan_commit(struct plan *plan, struct model *model)
{
	for (size_t i = 0; i < plan->gone_count; i++) {
		table_remove(&model->private->groups, plan->gone[i]);
		group_release(model, group_kept(plan->gone[i]));
	}
	for (size_t i = 0; i < plan->count; i++)
		step_commit(model, &plan->step[i]);
	free(model->groups);
	model->groups = plan->groups;
	model->group_count = model->private->room = plan->count;
	model->private->prefixes = plan->prefixes;
	model->version++;
	free(plan->step);
	free(plan->gone);
}

int model_rederive(struct model *model, struct fault *fault)
{
	struct plan plan = {};
	int r;

	model_settle(model);
	r = plan_make(&plan, model, NULL, false, fault);
	if (!r)
		r = plan_derive(&plan, model, fault);
	if (r < 0) {
		plan_drop(model, &plan);
		return r;
	}
	plan_commit(&plan, model);
	return 0;
}

/* Puts the other's wishes, limits and enforcer in; `back` gets what was there. */
struct settings {
	struct wishes wishes;
	struct limits limits;
	enum enforce enforce;
};

static int settings_install(struct model *model, const struct model *other, bool config,
			    struct settings *back)
{
	struct wishes *mine = wishes_of(model->private, config), new = {};

	if (wishes_copy(model->private, &new, wishes_of(other->private, config)) < 0) {
		wishes_free(model->private, &new);
		return -ENOMEM;
	}
	*back = (struct settings){*mine, model->limits, model->enforce};
	*mine = new;
	if (config) {
		model->limits = other->limits;
		model->enforce = other->enforce;
	}
	return 0;
}

static void settings_restore(struct model *model, bool config, const struct settings *back)
{
	struct wishes *mine = wishes_of(model->private, config);

	wishes_free(model->private, mine);
	*mine = back->wishes;
	model->limits = back->limits;
	model->enforce = back->enforce;
}

int model_replace(struct model *model, struct model *other, bool config, struct fault *fault)
{
	struct interface_wish *room;
	struct settings back;
	struct plan plan = {};
	int r;

	model_settle(model);
	model_settle(other);
	intern_forget_twins(other->private);
	if (settings_install(model, other, config, &back) < 0)
		return fault_set(fault, -ENOMEM, "out of memory for interfaces");
	room = interfaces_room(model, 0);
	r = room ? 0 : fault_set(fault, -ENOMEM, "out of memory for interfaces");
	if (!r)
		r = plan_make(&plan, model, other, config, fault);
	if (!r && table_reserve(&model->private->groups, other->group_count) < 0)
		r = fault_set(fault, -ENOMEM, "out of memory for groups");
	if (!r)
		r = plan_derive(&plan, model, fault);
	if (r < 0) {
		plan_drop(model, &plan);
		settings_restore(model, config, &back);
		free(room);
		return r;
	}
	plan_commit(&plan, model);
	wishes_free(model->private, &back.wishes);
	if (config)
		wishes_drop_said(model->private);
	interfaces_merge(model, room);
	model_empty(other);
	return 0;
}
