/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/model/scarce.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long allocations_left = -1;

static bool fails(void)
{
	if (allocations_left < 0)
		return false;
	return allocations_left-- == 0;
}

/* ld --wrap: what is linked statically comes here. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);
__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **out, const char *format, ...);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

int __wrap_asprintf(char **out, const char *format, ...)
{
	va_list arguments;
	int length;

	if (fails())
		return -1;
	va_start(arguments, format);
	length = vasprintf(out, format, arguments);
	va_end(arguments);
	return length;
}
