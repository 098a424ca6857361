/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a group statement as they come in JSON. */
#ifndef XM_CONTROL_WORDS_H
#define XM_CONTROL_WORDS_H

#include "daemon/control/method.h"

struct words {
	struct prefix address, source;
	bool has_address, has_source, has_vlan;
	__u32 vlan;
	struct names from, to, exclude; /* to: also from "interfaces" */
	bool pending;
};

/*
 * Decodes an object that fields_check() let pass. 0; -EINVAL with the name of the field (of
 * `object`) and fault; -ENOMEM. words_free() it, also after a failure.
 */
int words_decode(const json_t *object, struct words *out, const char **name, struct fault *fault);
void words_free(struct words *words);
/* Adds the strings of an array (NULL, null: none) to names. Errors as above. */
int words_names(const json_t *array, struct names *names, const char *what, struct fault *fault);
/* Parses a group's address into `out`. 0, or -EINVAL with fault. */
int words_address(const char *text, struct prefix *out, struct fault *fault);
/* The group for one of `from`; its names are those of `words`. */
struct group words_group(const struct words *words, const char *from);
static inline enum group_check words_check(const struct words *words)
{
	return words->pending ? CHECK_PENDING : CHECK_PRESENT;
}
/* True when `key` is one that the words mean; what was not said matches anything. */
bool words_match(const struct words *words, const struct group_key *key);

#endif
