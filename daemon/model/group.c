/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups one by one: add, remove, change, find. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/private.h"

/* Fields one by one: between them there is padding. */
static uint64_t prefix_hash(uint64_t hash, const struct prefix *p)
{
	uint64_t word[2];

	memcpy(word, p->address.byte, sizeof(word));
	return hash_word(hash_word(hash ^ p->len, word[0]), word[1]);
}

static uint64_t group_hash(const void *item)
{
	const struct group_key *key = &((const struct group *)item)->key;

	return prefix_hash(prefix_hash(hash_text(key->vlan, key->from), &key->address),
			   &key->source);
}

static bool group_equal(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return !group_key_compare(&x->key, &y->key);
}

const struct table_kind group_kind = {.hash = group_hash, .equal = group_equal};

struct kept_group *group_kept(const struct group *group)
{
	return CONTAINER(group, struct kept_group, group);
}

const char *group_owner(const struct group *group, char buf[static OWNER_MAX])
{
	if (group->file)
		snprintf(buf, OWNER_MAX, "%s:%u", group->file, group->line);
	else
		snprintf(buf, OWNER_MAX, "runtime");
	return buf;
}

static int check_limits(const struct model *model, size_t names_before, size_t sets_before,
			struct fault *fault)
{
	const struct model_private *private = model->private;

	if (private->atoms.count > names_before && private->atoms.count > model->limits.interfaces)
		return fault_limit(fault, "interfaces", model->limits.interfaces,
				   "interface names");
	if (private->sets.count > sets_before && private->sets.count > model->limits.sets)
		return fault_limit(fault, "sets", model->limits.sets, "different egress sets");
	return 0;
}

void group_release(struct model *model, struct kept_group *kept)
{
	set_put(model, kept->group.set);
	list_put(model->private, list_of(&kept->group.to));
	list_put(model->private, list_of(&kept->group.exclude));
	atom_put(model->private, kept->from);
	free(kept);
}

/* Takes the references that a group holds. What it got before a failure stays for release. */
static int take(struct model_private *private, struct kept_group *kept, const struct names *to,
		const struct names *exclude)
{
	struct name_list *list;

	kept->from = atom_get(private, kept->group.key.from);
	if (!kept->from || list_get(private, to, &list) < 0)
		return -ENOMEM;
	kept->group.to = list_names(list);
	if (list_get(private, exclude, &list) < 0)
		return -ENOMEM;
	kept->group.exclude = list_names(list);
	return 0;
}

/* Fills lists and set of a group that has its key; group_release() it, also on failure. */
static int fill(struct model *model, struct kept_group *kept, const struct names *to,
		const struct names *exclude, struct fault *fault)
{
	struct group *group = &kept->group;
	size_t names = model->private->atoms.count, sets = model->private->sets.count;
	char text[GROUP_KEY_TEXT_MAX];
	struct fault why;
	int r;

	if (!to->count)
		return group_refuse(&group->key, fault,
				    "has no egress left: name one, or delete the group");
	r = take(model->private, kept, to, exclude);
	if (r < 0)
		fault_set(&why, r, "out of memory");
	else
		r = set_derive(model, kept->from, list_of(&group->to), list_of(&group->exclude),
			       &group->set, &why);
	if (!r)
		r = check_limits(model, names, sets, &why);
	if (r < 0)
		fault_set(fault, r, "group %s: %s", group_key_format(&group->key, text), why.text);
	return r;
}

/* Where a group with this key is or belongs. */
static size_t position(const struct model *model, const struct group_key *key)
{
	size_t low = 0, high = model->group_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (group_key_compare(&model->groups[middle]->key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int make_room(struct model *model)
{
	size_t room = model->private->room;
	struct group **grown;

	if (model->group_count < room)
		return 0;
	room += room / 2 + 16;
	grown = reallocarray(model->groups, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	model->groups = grown;
	model->private->room = room;
	return 0;
}

/* make_room() came before. Behind the last when it belongs there, or while filling. */
static void insert(struct model *model, struct group *group)
{
	size_t count = model->group_count, at = count;
	bool last = !count || group_key_compare(&model->groups[count - 1]->key, &group->key) < 0;

	if (!last && model->private->filling) {
		model->private->sorted = false;
	} else if (!last) {
		at = position(model, &group->key);
		memmove(model->groups + at + 1, model->groups + at,
			(count - at) * sizeof(*model->groups));
	}
	model->groups[at] = group;
	model->group_count++;
	model->private->prefixes += group->key.address.len < 128;
}

static void take_out(struct model *model, const struct group *group)
{
	size_t at = model->group_count - 1;

	if (!model->private->filling)
		at = position(model, &group->key);
	while (model->groups[at] != group) /* only while filling: in no order */
		at--;

	model->private->prefixes -= group->key.address.len < 128;
	model->group_count--;
	memmove(model->groups + at, model->groups + at + 1,
		(model->group_count - at) * sizeof(*model->groups));
}

struct group *model_find_group(const struct model *model, const struct group_key *key)
{
	const struct group like = {.key = group_key_normal(key)};

	return table_find(&model->private->groups, &like);
}

/* 1: the same is there already; -EEXIST: it says something else or belongs to another. */
static int meet(const struct group *old, const struct group *new, struct fault *fault)
{
	char text[GROUP_KEY_TEXT_MAX], owner[OWNER_MAX];
	bool same = names_equal(&old->to, &new->to) && names_equal(&old->exclude, &new->exclude);

	if (same && !old->file == !new->file)
		return 1;
	group_key_format(&old->key, text);
	group_owner(old, owner);
	if (old->file && new->file)
		return fault_set(fault, -EEXIST,
				 "group %s: is defined otherwise at %s: keep one of the two", text,
				 owner);
	if (old->file)
		return fault_set(fault, -EEXIST,
				 "group %s: belongs to %s: change it there and reload", text,
				 owner);
	if (new->file)
		return fault_set(fault, -EEXIST,
				 "group %s: is a runtime group already: remove that first "
				 "(xmcastctl del-group)",
				 text);
	return fault_set(fault, -EEXIST,
			 "group %s: is there with other --to or --exclude: change it with "
			 "add-egress, del-egress, add-exclude, del-exclude, or remove it first",
			 text);
}

/* Puts a filled group into the array and the table, then looks at the entries it costs. */
static int enter(struct model *model, struct kept_group *kept, struct fault *fault)
{
	int r;

	if (make_room(model) < 0 || table_reserve(&model->private->groups, 1) < 0)
		return fault_set(fault, -ENOMEM, "out of memory for a group");
	insert(model, &kept->group);
	if (!model->private->filling) { /* while filling model_replace() looks once, at the end */
		r = compile_check(model->groups, model->group_count, model->private->prefixes,
				  model->limits.entries, fault);
		if (r < 0) {
			take_out(model, &kept->group);
			return r;
		}
	}
	return table_add(&model->private->groups, &kept->group);
}

int model_add_group(struct model *model, const struct group *group, struct fault *fault)
{
	struct group new = *group;
	struct kept_group *kept;
	struct group *old;
	int r;

	new.key = group_key_normal(&group->key);
	r = group_key_check(&new.key, fault);
	if (r < 0)
		return r;
	old = table_find(&model->private->groups, &new);
	if (old)
		return meet(old, &new, fault);
	if (model->group_count >= model->limits.groups)
		return fault_limit(fault, "groups", model->limits.groups, "groups");
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return fault_set(fault, -ENOMEM, "out of memory for a group");
	kept->group.key = new.key;
	kept->group.file = group->file;
	kept->group.line = group->line;
	r = fill(model, kept, &group->to, &group->exclude, fault);
	if (!r)
		r = enter(model, kept, fault);
	if (r < 0) {
		group_release(model, kept);
		return r;
	}
	model->version++;
	return 0;
}

static void drop(struct model *model, struct group *group)
{
	take_out(model, group);
	table_remove(&model->private->groups, group);
	group_release(model, group_kept(group));
}

int model_add_groups(struct model *model, const struct group *group, const struct names *from,
		     struct fault *fault)
{
	struct group **added = calloc(from->count + 1, sizeof(*added)), one = *group;
	size_t count = 0;
	int r = 0;

	if (!added)
		return fault_set(fault, -ENOMEM, "out of memory for a group");
	for (size_t i = 0; r >= 0 && i < from->count; i++) {
		memset(one.key.from, 0, sizeof(one.key.from));
		memcpy(one.key.from, from->name[i], strnlen(from->name[i], IF_NAMESIZE - 1));
		r = model_add_group(model, &one, fault);
		if (!r)
			added[count++] = model_find_group(model, &one.key);
	}
	while (r < 0 && count)
		drop(model, added[--count]);
	free(added);
	return r < 0 ? r : !count;
}

/* The runtime group with this key, or -ENOENT, or -EPERM: config's. */
static int find_own(const struct model *model, const struct group_key *key, struct group **out,
		    struct fault *fault)
{
	char text[GROUP_KEY_TEXT_MAX], owner[OWNER_MAX];
	struct group *group = model_find_group(model, key);

	group_key_format(key, text);
	if (!group)
		return fault_set(fault, -ENOENT,
				 "group %s: there is none (xmcastctl list-groups shows all)", text);
	if (group->file)
		return fault_set(fault, -EPERM,
				 "group %s: belongs to %s: change it there and reload", text,
				 group_owner(group, owner));
	*out = group;
	return 0;
}

int model_del_group(struct model *model, const struct group_key *key, struct fault *fault)
{
	struct group *group;
	int r = find_own(model, key, &group, fault);

	if (r < 0)
		return r;
	model_settle(model);
	drop(model, group);
	model->version++;
	return 0;
}

int model_change_group(struct model *model, const struct group_key *key, const struct names *to,
		       const struct names *exclude, struct fault *fault)
{
	struct kept_group *new;
	struct group *group, old;
	int r = find_own(model, key, &group, fault);

	if (r < 0)
		return r;
	new = calloc(1, sizeof(*new));
	if (!new)
		return fault_set(fault, -ENOMEM, "out of memory for a group");
	new->group.key = group->key;
	r = fill(model, new, to, exclude, fault);
	if (!r) { /* the struct stays, its content changes places with the new one's */
		old = *group;
		group->to = new->group.to;
		group->exclude = new->group.exclude;
		group->set = new->group.set;
		new->group.to = old.to;
		new->group.exclude = old.exclude;
		new->group.set = old.set;
		model->version++;
	}
	group_release(model, new);
	return r;
}
