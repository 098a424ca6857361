/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and lists of names, once each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/private.h"

static uint64_t atom_hash(const void *item)
{
	const struct atom *atom = item;

	return hash_text(0, atom->text);
}

static bool atom_equal(const void *a, const void *b)
{
	const struct atom *x = a, *y = b;

	return !strcmp(x->text, y->text);
}

static uint64_t list_hash(const void *item)
{
	const struct name_list *list = item;
	uint64_t hash = list->names.count;

	for (size_t i = 0; i < list->names.count; i++)
		hash = hash_text(hash, list->names.name[i]);
	return hash;
}

static bool list_equal(const void *a, const void *b)
{
	const struct name_list *x = a, *y = b;

	return names_equal(&x->names, &y->names);
}

static const struct table_kind atom_kind = {.hash = atom_hash, .equal = atom_equal};
static const struct table_kind list_kind = {.hash = list_hash, .equal = list_equal};

void intern_init(struct model_private *private)
{
	private->atoms.kind = &atom_kind;
	private->lists.kind = &list_kind;
}

struct atom *atom_of(const char *text)
{
	return CONTAINER(text, struct atom, text);
}

struct atom *atom_find(const struct model_private *private, const char *text)
{
	struct atom like = {};

	memcpy(like.text, text, strnlen(text, IF_NAMESIZE - 1));
	return table_find(&private->atoms, &like);
}

struct atom *atom_get(struct model_private *private, const char *text)
{
	struct atom *atom = atom_find(private, text);

	if (!atom) {
		atom = calloc(1, sizeof(*atom));
		if (!atom)
			return NULL;
		memcpy(atom->text, text, strnlen(text, IF_NAMESIZE - 1));
		if (table_add(&private->atoms, atom) < 0) {
			free(atom);
			return NULL;
		}
	}
	atom->users++;
	return atom;
}

void atom_put(struct model_private *private, struct atom *atom)
{
	if (!atom || --atom->users)
		return;
	table_remove(&private->atoms, atom);
	/* A recipe may know it as an ingress. */
	set_forget_recipes(private);
	free(atom);
}

struct name_list *list_of(const struct names *names)
{
	return names->count ? CONTAINER(names->name, struct name_list, name) : NULL;
}

struct names list_names(const struct name_list *list)
{
	return list ? list->names : (struct names){};
}

static void list_free(struct model_private *private, struct name_list *list)
{
	for (size_t i = 0; i < list->names.count; i++)
		atom_put(private, atom_of(list->name[i]));
	free(list);
}

static struct name_list *list_new(struct model_private *private, const struct names *names)
{
	struct name_list *list = calloc(1, sizeof(*list) + names->count * sizeof(*list->name));

	if (!list)
		return NULL;
	list->names.name = list->name;
	for (; list->names.count < names->count; list->names.count++) {
		struct atom *atom = atom_get(private, names->name[list->names.count]);

		if (!atom) {
			list_free(private, list);
			return NULL;
		}
		list->name[list->names.count] = atom->text;
	}
	if (table_add(&private->lists, list) < 0) {
		list_free(private, list);
		return NULL;
	}
	return list;
}

int list_get(struct model_private *private, const struct names *names, struct name_list **out)
{
	const struct name_list like = {.names = *names};
	struct name_list *list;

	*out = NULL;
	if (!names->count)
		return 0;
	list = table_find(&private->lists, &like);
	if (!list)
		list = list_new(private, names);
	if (!list)
		return -ENOMEM;
	list->users++;
	*out = list;
	return 0;
}

void list_put(struct model_private *private, struct name_list *list)
{
	if (!list || --list->users)
		return;
	table_remove(&private->lists, list);
	set_forget_recipes(private);
	list_free(private, list);
}

struct atom *atom_get_twin(struct model_private *private, struct atom *other)
{
	if (!other->twin)
		return other->twin = atom_get(private, other->text);
	other->twin->users++;
	return other->twin;
}

int list_get_twin(struct model_private *private, struct name_list *other, struct name_list **out)
{
	int r = 0;

	*out = NULL;
	if (!other)
		return 0;
	if (other->twin)
		other->twin->users++;
	else
		r = list_get(private, &other->names, &other->twin);
	*out = other->twin;
	return r;
}

void intern_forget_twins(struct model_private *other)
{
	for (size_t i = 0; i < other->atoms.size; i++)
		if (other->atoms.slot[i])
			((struct atom *)other->atoms.slot[i])->twin = NULL;
	for (size_t i = 0; i < other->lists.size; i++)
		if (other->lists.slot[i])
			((struct name_list *)other->lists.slot[i])->twin = NULL;
}
