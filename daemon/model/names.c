/* SPDX-License-Identifier: GPL-2.0-or-later */
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

static bool is_possible(unsigned char c)
{
	switch (c) {
	case '/': /* dev_valid_name() of the kernel refuses these, and blanks */
	case ':':
	case ',': /* these have a meaning in our statements */
	case '#':
	case '"':
	case '\'':
	case '\\':
		return false;
	}
	return c > ' ' && c < 0x7f;
}

/* Patterns are held to the length of names. */
bool name_is_possible(const char *name)
{
	size_t len = 0;

	for (; name[len]; len++)
		if (len == IF_NAMESIZE - 1 || !is_possible(name[len]))
			return false;
	return len && strcmp(name, ".") && strcmp(name, "..");
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

/*
 * Room for one more. The array always has the next power of two of its count, so it grows
 * when the count is one.
 */
static int make_room(struct names *names)
{
	size_t count = names->count;
	char **grown;

	if (count & (count - 1))
		return 0;
	grown = reallocarray(names->name, count ? 2 * count : 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	names->name = grown;
	return 0;
}

int names_add(struct names *names, const char *name)
{
	bool there;
	size_t at = find(names, name, &there);
	char *copy;

	if (!name_is_possible(name))
		return -EINVAL;
	if (there)
		return 0;
	copy = strdup(name);
	if (!copy || make_room(names) < 0) {
		free(copy);
		return -ENOMEM;
	}
	memmove(names->name + at + 1, names->name + at, (names->count - at) * sizeof(copy));
	names->name[at] = copy;
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
	for (; copy.count < from->count; copy.count++) {
		char *name = strdup(from->name[copy.count]);

		if (!name || make_room(&copy) < 0) {
			free(name);
			names_free(&copy);
			return -ENOMEM;
		}
		copy.name[copy.count] = name;
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
