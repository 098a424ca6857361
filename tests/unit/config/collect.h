/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Configurations from strings, and the errors they make. */
#ifndef XM_TESTS_CONFIG_COLLECT_H
#define XM_TESTS_CONFIG_COLLECT_H

#include "daemon/config/config.h"
#include "tests/unit/model/make.h"

/* Errors as "FILE:LINE: TEXT\n" behind each other. */
struct errors {
	char text[16384];
	unsigned int count;
};
void collect(const char *file, unsigned int line, const char *text, void *errors);

/* config_read_stream() of `size` bytes as file "test.conf"; errors is emptied first. */
int read_bytes(const void *bytes, size_t size, bool runtime, struct model *model,
	       struct errors *errors);
/* A working directory of the test's own, and back to /, without it. 0 or -1. */
int enter_new_directory(void);
int leave_directory(void);
/* Its path. */
extern char dir[];
/* A file there with that text, instead of one that was there; the test fails when it cannot be. */
void put_file(const char *name, const char *text);

int read_string(const char *text, bool runtime, struct model *model, struct errors *errors);

#endif
