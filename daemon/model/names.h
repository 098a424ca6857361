/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sorted set of interface names or shell patterns (fnmatch(3): `veth*`). */
#ifndef XM_MODEL_NAMES_H
#define XM_MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Owned by whoever holds it: names_free() releases the strings. All zero is empty. */
struct names {
	char **name; /* strcmp order, no duplicates */
	size_t count;
};

/* A name or pattern that an interface can have: what the kernel takes, but no , # \\ or quotes. */
bool name_is_possible(const char *name);
/* Adds one name; 0 also when it was there. -EINVAL: not a possible name; -ENOMEM. */
int names_add(struct names *names, const char *name);
/* Adds every name of "a,b,c". On failure `names` is as before. */
int names_add_list(struct names *names, const char *list, const char **why);
/* 0, or -ENOENT when it was not there. */
int names_remove(struct names *names, const char *name);
int names_copy(struct names *to, const struct names *from);
void names_free(struct names *names);
bool names_equal(const struct names *a, const struct names *b);
bool names_have(const struct names *names, const char *name); /* literally */
/* True when `interface` is one of the names or matches one of the patterns. */
bool names_match(const struct names *names, const char *interface);
bool name_is_pattern(const char *name); /* has one of * ? [ */

#endif
