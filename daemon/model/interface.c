/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `interface` statements. Each origin has its own; the one that counts is runtime's, so a
 * `detach` holds whatever the configuration says, and dropping it brings config's back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/private.h"

static size_t find(const struct wishes *wishes, const char *name, bool *there)
{
	size_t low = 0, high = wishes->count;

	*there = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int r = strcmp(wishes->wish[middle].name, name);

		if (!r) {
			*there = true;
			return middle;
		}
		if (r < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct interface_wish *wishes_find(const struct wishes *wishes, const char *name)
{
	bool there;
	size_t at = find(wishes, name, &there);

	return there ? &wishes->wish[at] : NULL;
}

static void release(struct model_private *private, struct interface_wish *wish)
{
	list_put(private, list_of(&wish->exclude));
	atom_put(private, atom_find(private, wish->name));
}

/* Replaces or adds a copy. 0 or -ENOMEM. */
static int wishes_set(struct model_private *private, struct wishes *wishes,
		      const struct interface_wish *wish)
{
	bool there;
	size_t at = find(wishes, wish->name, &there);
	struct interface_wish copy = *wish, *grown;
	struct name_list *list;

	if (!there) {
		grown = reallocarray(wishes->wish, wishes->count + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		wishes->wish = grown;
	}
	if (list_get(private, &wish->exclude, &list) < 0)
		return -ENOMEM;
	if (!atom_get(private, wish->name)) {
		list_put(private, list);
		return -ENOMEM;
	}
	copy.exclude = list_names(list);
	if (there) {
		release(private, &wishes->wish[at]);
	} else {
		memmove(wishes->wish + at + 1, wishes->wish + at,
			(wishes->count - at) * sizeof(*wish));
		wishes->count++;
	}
	wishes->wish[at] = copy;
	return 0;
}

static void wishes_remove(struct model_private *private, struct wishes *wishes, const char *name)
{
	bool there;
	size_t at = find(wishes, name, &there);

	if (!there)
		return;
	release(private, &wishes->wish[at]);
	wishes->count--;
	memmove(wishes->wish + at, wishes->wish + at + 1,
		(wishes->count - at) * sizeof(*wishes->wish));
}

void wishes_free(struct model_private *private, struct wishes *wishes)
{
	for (size_t i = 0; i < wishes->count; i++)
		release(private, &wishes->wish[i]);
	free(wishes->wish);
	*wishes = (struct wishes){};
}

const struct interface_wish *wish_effective(const struct model_private *private, const char *name)
{
	const struct interface_wish *wish = wishes_find(&private->runtime, name);

	return wish ? wish : wishes_find(&private->config, name);
}

struct wishes *wishes_of(struct model_private *private, bool config)
{
	return config ? &private->config : &private->runtime;
}

int wishes_copy(struct model_private *private, struct wishes *to, const struct wishes *from)
{
	for (size_t i = 0; i < from->count; i++)
		if (wishes_set(private, to, &from->wish[i]) < 0)
			return -ENOMEM;
	return 0;
}

struct interface_wish *interfaces_room(const struct model *model, size_t more)
{
	size_t most = model->private->config.count + model->private->runtime.count + more;

	return calloc(most + 1, sizeof(struct interface_wish)); /* never of 0 bytes */
}

void interfaces_merge(struct model *model, struct interface_wish *room)
{
	const struct wishes *c = &model->private->config, *r = &model->private->runtime;
	size_t i = 0, j = 0, count = 0;

	while (i < c->count || j < r->count) {
		int order = i == c->count   ? 1
			    : j == r->count ? -1
					    : strcmp(c->wish[i].name, r->wish[j].name);

		room[count++] = order < 0 ? c->wish[i] : r->wish[j];
		i += order <= 0;
		j += order >= 0;
	}
	free(model->interfaces);
	model->interfaces = room;
	model->interface_count = count;
}

/* What a wish says, whoever wrote it. */
static bool says_same(const struct interface_wish *a, const struct interface_wish *b)
{
	return a->mode == b->mode && a->detached == b->detached &&
	       names_equal(&a->exclude, &b->exclude);
}

void wishes_drop_said(struct model_private *private)
{
	for (size_t i = private->runtime.count; i-- > 0;) {
		const struct interface_wish *wish = &private->runtime.wish[i],
					    *said = wishes_find(&private->config, wish->name);

		if (said && says_same(wish, said))
			wishes_remove(private, &private->runtime, said->name);
	}
}

/* Stores a wish. A runtime wish that changes nothing is dropped: `attach` undoes `detach`. */
static int store(struct model_private *private, struct wishes *wishes,
		 const struct interface_wish *wish, struct fault *fault)
{
	const struct interface_wish none = {}, *config = wishes_find(&private->config, wish->name);
	int r = 0;

	if (wish->file || !says_same(wish, config ? config : &none))
		r = wishes_set(private, wishes, wish);
	else
		wishes_remove(private, wishes, wish->name);
	return r ? fault_set(fault, r, "interface %s: out of memory", wish->name) : 0;
}

/* Stores into a copy of the wishes and derives all sets anew, so that a refusal is undone. */
static int store_and_derive(struct model *model, struct wishes *wishes,
			    const struct interface_wish *wish, struct fault *fault)
{
	struct model_private *private = model->private;
	struct wishes before = *wishes, after = {};
	int r;

	r = wishes_copy(private, &after, &before);
	if (r < 0) {
		wishes_free(private, &after);
		return fault_set(fault, r, "interface %s: out of memory", wish->name);
	}
	*wishes = after;
	r = store(private, wishes, wish, fault);
	if (!r)
		r = model_rederive(model, fault);
	after = r < 0 ? *wishes : before;
	if (r < 0)
		*wishes = before;
	wishes_free(private, &after);
	return r;
}

static bool same_exclude(const struct interface_wish *a, const struct interface_wish *b)
{
	const struct names none = {};

	return names_equal(a ? &a->exclude : &none, b ? &b->exclude : &none);
}

/* How many names more than now the model would know. */
static size_t new_names(const struct model_private *private, const struct interface_wish *wish)
{
	size_t count = 0;

	for (size_t i = 0; i < wish->exclude.count; i++)
		count += !atom_find(private, wish->exclude.name[i]);
	return count + !atom_find(private, wish->name);
}

int model_set_interface(struct model *model, const struct interface_wish *wish, struct fault *fault)
{
	struct model_private *private = model->private;
	struct wishes *wishes = wishes_of(private, wish->file);
	struct interface_wish *room;
	size_t more;
	int r;

	if (strnlen(wish->name, IF_NAMESIZE) == IF_NAMESIZE || !name_is_possible(wish->name) ||
	    name_is_pattern(wish->name))
		return fault_set(fault, -EINVAL,
				 "interface %.15s: is not a name: patterns are for --to and "
				 "--exclude only",
				 wish->name);
	more = new_names(private, wish);
	if (more && private->atoms.count + more > model->limits.interfaces)
		return fault_limit(fault, "interfaces", model->limits.interfaces,
				   "interface names");
	room = interfaces_room(model, 1);
	if (!room)
		return fault_set(fault, -ENOMEM, "interface %s: out of memory", wish->name);
	if (!model->group_count || same_exclude(wish_effective(private, wish->name), wish))
		r = store(private, wishes, wish, fault);
	else
		r = store_and_derive(model, wishes, wish, fault);
	if (r < 0) {
		free(room);
		return r;
	}
	interfaces_merge(model, room);
	model->version++;
	return 0;
}

const struct interface_wish *model_find_interface(const struct model *model, const char *name)
{
	return wish_effective(model->private, name);
}
