/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects what backend->check_group() warns of, bounded. */
#ifndef XM_CONTROL_WARNINGS_H
#define XM_CONTROL_WARNINGS_H

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "daemon/control/codec.h"

#define WARNINGS_MAX 100

struct warnings {
	json_t *list; /* of strings; owned until warnings_take() */
	size_t more;  /* that were not kept */
};

static inline void warnings_add(const char *text, void *token)
{
	struct warnings *warnings = token;

	if (!warnings->list)
		warnings->list = json_array();
	size_t kept = json_array_size(warnings->list);
	json_t *last = json_array_get(warnings->list, kept - 1);
	if (last && !strcmp(json_string_value(last), text))
		return; /* the same of another group */
	if (kept < WARNINGS_MAX)
		json_array_append_new(warnings->list, json_text(text));
	else
		warnings->more++;
}

/* The array for a reply; empty when nothing was warned of. */
static inline json_t *warnings_take(struct warnings *warnings)
{
	json_t *list = warnings->list ? warnings->list : json_array();
	char text[64];

	if (warnings->more) {
		snprintf(text, sizeof(text), "%zu warnings more", warnings->more);
		json_array_append_new(list, json_string(text));
	}
	*warnings = (struct warnings){};
	return list;
}

static inline void warnings_free(struct warnings *warnings)
{
	json_decref(warnings->list);
	*warnings = (struct warnings){};
}

#endif
