/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults, names of enums and limits: what the model and its users say. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/model/private.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

int fault_set(struct fault *fault, int error, const char *format, ...)
{
	va_list arguments;

	if (!fault)
		return error;
	va_start(arguments, format);
	vsnprintf(fault->text, sizeof(fault->text), format, arguments);
	va_end(arguments);
	return error;
}

int fault_limit(struct fault *fault, const char *limit, unsigned int value, const char *what)
{
	return fault_set(fault, -E2BIG,
			 "too many %s: `limit %s %u` is reached; raise it with `limit %s N` in the "
			 "configuration",
			 what, limit, value, limit);
}

static const char *const modes[] = {
    [MODE_AUTO] = "auto", [MODE_NATIVE] = "native", [MODE_GENERIC] = "generic"};
static_assert(COUNT(modes) == MODE_GENERIC + 1, "a mode without a name");

static const char *const enforces[] = {[ENFORCE_FOLD] = "fold", [ENFORCE_LOOKUP] = "lookup"};
static_assert(COUNT(enforces) == ENFORCE_LOOKUP + 1, "an enforcer without a name");

const char *mode_name(enum mode mode)
{
	return modes[mode];
}

const char *enforce_name(enum enforce mode)
{
	return enforces[mode];
}

/* The index of `text`, or -EINVAL. */
static int word_find(const char *const words[], size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(words[i], text))
			return i;
	return -EINVAL;
}

int mode_parse(const char *text, enum mode *out)
{
	int r = word_find(modes, COUNT(modes), text);

	if (r < 0)
		return r;
	*out = r;
	return 0;
}

int enforce_parse(const char *text, enum enforce *out)
{
	int r = word_find(enforces, COUNT(enforces), text);

	if (r < 0)
		return r;
	*out = r;
	return 0;
}

/*
 * Name and highest value. Set 0 means none in the words of bpf/words.h; slots of interfaces have
 * 16 bits there. A million groups is what is cleared within seconds at the start: the words would
 * take 16 times as many.
 */
#define MILLION 1048576
static_assert(2 * MILLION < XM_ENTRIES_MAX, "entries and groups together have a number each");
#define LIMITS(X)                                                                                  \
	X(groups, MILLION)                                                                         \
	X(entries, MILLION)                                                                        \
	X(sets, XM_SETS_MAX - 1)                                                                   \
	X(members, XM_MEMBERS_MAX)                                                                 \
	X(interfaces, 65535)

static const struct limit_name {
	const char *name;
	size_t offset;
	unsigned int max;
} limit_names[] = {
#define LIMIT(name, max) {#name, offsetof(struct limits, name), max},
    LIMITS(LIMIT)
#undef LIMIT
};
static_assert(COUNT(limit_names) == sizeof(struct limits) / sizeof(unsigned int),
	      "a limit without a name");

const char *limits_names(void)
{
#define LIMIT(name, max) ", " #name
	return &(LIMITS(LIMIT))[2];
#undef LIMIT
}

unsigned int *limits_find(struct limits *limits, const char *name, unsigned int *max)
{
	for (size_t i = 0; i < COUNT(limit_names); i++) {
		if (strcmp(limit_names[i].name, name))
			continue;
		*max = limit_names[i].max;
		return (unsigned int *)((char *)limits + limit_names[i].offset);
	}
	return NULL;
}

void limits_raise(struct limits *limits)
{
#define LIMIT(name, max) .name = max,
	*limits = (struct limits){LIMITS(LIMIT)};
#undef LIMIT
}
