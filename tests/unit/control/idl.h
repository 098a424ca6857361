/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a Varlink interface description and holds messages against it. */
#ifndef XM_TESTS_IDL_H
#define XM_TESTS_IDL_H

#include <jansson.h>
#include <stdbool.h>

enum idl_kind {
	IDL_BOOL,
	IDL_INT,
	IDL_FLOAT,
	IDL_STRING,
	IDL_OBJECT,
	IDL_ARRAY,
	IDL_MAP,
	IDL_STRUCT,
	IDL_NAME
};

struct idl_type {
	enum idl_kind kind;
	bool nullable;
	char name[64];		 /* IDL_NAME */
	struct idl_type *item;	 /* IDL_ARRAY, IDL_MAP */
	struct idl_field *first; /* IDL_STRUCT */
};

struct idl_field {
	char name[64];
	struct idl_type type;
	struct idl_field *next;
};

struct idl_member {
	enum { IDL_TYPE, IDL_METHOD, IDL_ERROR } kind;
	char name[64];
	struct idl_type in, out; /* IDL_TYPE, IDL_ERROR: in */
	struct idl_member *next;
};

struct idl {
	char interface[128];
	struct idl_member *first;
};

/* Fails the test with the line when the text breaks Varlink's grammar. */
struct idl *idl_parse(const char *text);
void idl_free(struct idl *idl);
const struct idl_member *idl_find(const struct idl *idl, int kind, const char *name);
/* Fails the test when `value` is not of that type: missing, unknown or ill-typed members. */
void idl_check(const struct idl *idl, const struct idl_type *type, const json_t *value,
	       const char *where);

#endif
