/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models from texts, and texts from models, for the tests of this directory. */
#ifndef XM_TESTS_MODEL_MAKE_H
#define XM_TESTS_MODEL_MAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/model/model.h"

/* A group as people write it; what is NULL is left out. */
struct wanted {
	const char *address, *from, *to, *exclude, *source, *vlan;
	const char *file; /* NULL: runtime */
	unsigned int line;
};

struct prefix make_prefix(const char *text); /* fails the test when it does not parse */
struct names make_names(const char *list);   /* NULL: none */
struct group_key make_key(const struct wanted *wanted);
struct group *find(const struct model *model, const struct wanted *wanted);

/* As model_add_group(). */
int add(struct model *model, const struct wanted *wanted, struct fault *fault);
/* Further members by name: ADD(model, "239.1.1.1", "in", "out", .vlan = "5") */
#define ADD(model, a, f, t, ...)                                                                   \
	add(model, &(struct wanted){.address = a, .from = f, .to = t, ##__VA_ARGS__}, &fault)
#define FIND(model, a, f, ...) find(model, &(struct wanted){.address = a, .from = f, ##__VA_ARGS__})

/* As model_set_interface(), with mode auto. */
int wish(struct model *model, const char *name, const char *exclude, bool detached,
	 const char *file, struct fault *fault);

/* "a,b" of names; in a static buffer of which there are four. */
const char *list(const struct names *names);
/* All that a model holds, to compare; free() it. */
char *dump(const struct model *model);

#define assert_says(fault, part)                                                                   \
	do {                                                                                       \
		if (!strstr((fault).text, part))                                                   \
			fail_msg("\"%s\" does not say \"%s\"", (fault).text, part);                \
	} while (0)

#endif
