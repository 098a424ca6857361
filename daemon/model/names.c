/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/names.h"

bool name_is_pattern(const char *name)
{
	return strpbrk(name, "*?[");
}

/*
 * What the kernel takes as an interface name (dev_valid_name()), without the comma and the
 * '#', that part names and begin comments. Patterns are held to the same length.
 */
bool name_is_possible(const char *name)
{
	size_t len = strlen(name);

	if (!len || len >= IF_NAMESIZE || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)name[i]) || strchr("/:,#\"'\\", name[i]))
			return false;
	return true;
}

/* Where `name` is or belongs. */
static size_t find(const struct names *names, const char *name, bool *there)
{
	size_t low = 0, high = names->count;

	*there = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int r = strcmp(names->name[middle], name);

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

int names_add(struct names *names, const char *name)
{
	bool there;
	size_t at = find(names, name, &there);
	char **grown, *copy;

	if (!name_is_possible(name))
		return -EINVAL;
	if (there)
		return 0;
	copy = strdup(name);
	grown = reallocarray(names->name, names->count + 1, sizeof(*grown));
	if (grown)
		names->name = grown;
	if (!copy || !grown) {
		free(copy);
		return -ENOMEM;
	}
	memmove(grown + at + 1, grown + at, (names->count - at) * sizeof(*grown));
	grown[at] = copy;
	names->count++;
	return 0;
}

static int add_words(struct names *names, const char *list)
{
	for (const char *at = list;; at++) {
		char name[IF_NAMESIZE];
		size_t len = strcspn(at, ",");
		int r;

		if (len >= sizeof(name))
			return -EINVAL;
		memcpy(name, at, len);
		name[len] = '\0';
		r = names_add(names, name);
		if (r < 0)
			return r;
		at += len;
		if (!*at)
			return 0;
	}
}

int names_add_list(struct names *names, const char *list, const char **why)
{
	struct names sum;
	int r;

	*why = "out of memory";
	r = names_copy(&sum, names);
	if (r < 0)
		return r;
	r = add_words(&sum, list);
	if (r < 0) {
		if (r == -EINVAL)
			*why =
			    "is not a list of interface names: 1 to 15 characters each, parted by "
			    "commas, without blanks, '/', ':', '#', quotes or '\\'";
		names_free(&sum);
		return r;
	}
	names_free(names);
	*names = sum;
	return 0;
}

int names_remove(struct names *names, const char *name)
{
	bool there;
	size_t at = find(names, name, &there);

	if (!there)
		return -ENOENT;
	free(names->name[at]);
	names->count--;
	memmove(names->name + at, names->name + at + 1, (names->count - at) * sizeof(*names->name));
	if (!names->count) {
		free(names->name);
		names->name = NULL;
	}
	return 0;
}

int names_copy(struct names *to, const struct names *from)
{
	struct names copy = {};

	*to = copy;
	if (!from->count)
		return 0;
	copy.name = calloc(from->count, sizeof(*copy.name));
	if (!copy.name)
		return -ENOMEM;
	for (; copy.count < from->count; copy.count++) {
		copy.name[copy.count] = strdup(from->name[copy.count]);
		if (!copy.name[copy.count]) {
			names_free(&copy);
			return -ENOMEM;
		}
	}
	*to = copy;
	return 0;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct names){};
}

bool names_equal(const struct names *a, const struct names *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->name[i] != b->name[i] && strcmp(a->name[i], b->name[i]))
			return false;
	return true;
}

bool names_have(const struct names *names, const char *name)
{
	bool there;

	find(names, name, &there);
	return there;
}

bool names_match(const struct names *names, const char *interface)
{
	if (names_have(names, interface))
		return true;
	for (size_t i = 0; i < names->count; i++)
		if (name_is_pattern(names->name[i]) && !fnmatch(names->name[i], interface, 0))
			return true;
	return false;
}
