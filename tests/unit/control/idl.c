/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Written from the grammar at https://varlink.org/Interface-Definition. */
#include "tests/unit/control/idl.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct reader {
	const char *at;
	int line;
};

static void skip_space(struct reader *reader)
{
	for (; *reader->at; reader->at++) {
		if (*reader->at == '#')
			reader->at += strcspn(reader->at, "\n");
		if (*reader->at == '\n')
			reader->line++;
		if (!isspace((unsigned char)*reader->at))
			return;
	}
}

static bool accept(struct reader *reader, const char *text)
{
	skip_space(reader);
	if (strncmp(reader->at, text, strlen(text)) != 0)
		return false;
	reader->at += strlen(text);
	return true;
}

static void expect(struct reader *reader, const char *text)
{
	if (!accept(reader, text))
		fail_msg("line %d: expected '%s' before '%.20s'", reader->line, text, reader->at);
}

/* [A-Z][A-Za-z0-9]* for members and types, [A-Za-z](_?[A-Za-z0-9])* for fields. */
static void read_name(struct reader *reader, char out[static 64], bool field)
{
	size_t n = 0;

	skip_space(reader);
	if (!(field ? isalpha((unsigned char)*reader->at) : isupper((unsigned char)*reader->at)))
		fail_msg("line %d: no name at '%.20s'", reader->line, reader->at);
	while (isalnum((unsigned char)*reader->at) ||
	       (field && *reader->at == '_' && isalnum((unsigned char)reader->at[1]))) {
		assert_true(n < 63);
		out[n++] = *reader->at++;
	}
	out[n] = 0;
}

static void read_type(struct reader *reader, struct idl_type *type);

static void read_struct(struct reader *reader, struct idl_type *type)
{
	struct idl_field **link = &type->first;

	type->kind = IDL_STRUCT;
	expect(reader, "(");
	if (accept(reader, ")"))
		return;
	do {
		*link = test_calloc(1, sizeof(**link));
		read_name(reader, (*link)->name, true);
		expect(reader, ":");
		read_type(reader, &(*link)->type);
		link = &(*link)->next;
	} while (accept(reader, ","));
	expect(reader, ")");
}

static void read_item(struct reader *reader, struct idl_type *type, enum idl_kind kind)
{
	type->kind = kind;
	type->item = test_calloc(1, sizeof(*type->item));
	read_type(reader, type->item);
}

static void read_type(struct reader *reader, struct idl_type *type)
{
	static const struct {
		const char *word;
		enum idl_kind kind;
	} words[] = {{"bool", IDL_BOOL},
		     {"int", IDL_INT},
		     {"float", IDL_FLOAT},
		     {"string", IDL_STRING},
		     {"object", IDL_OBJECT}};

	type->nullable = accept(reader, "?");
	if (accept(reader, "[string]")) {
		read_item(reader, type, IDL_MAP);
		return;
	}
	if (accept(reader, "[]")) {
		read_item(reader, type, IDL_ARRAY);
		return;
	}
	skip_space(reader);
	if (*reader->at == '(') {
		read_struct(reader, type);
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (accept(reader, words[i].word)) {
			type->kind = words[i].kind;
			assert_false(isalnum((unsigned char)*reader->at));
			return;
		}
	}
	type->kind = IDL_NAME;
	read_name(reader, type->name, false);
}

static struct idl_member *read_member(struct reader *reader)
{
	struct idl_member *member = test_calloc(1, sizeof(*member));

	if (accept(reader, "type "))
		member->kind = IDL_TYPE;
	else if (accept(reader, "method "))
		member->kind = IDL_METHOD;
	else if (accept(reader, "error "))
		member->kind = IDL_ERROR;
	else
		fail_msg("line %d: no member at '%.20s'", reader->line, reader->at);
	read_name(reader, member->name, false);
	read_struct(reader, &member->in);
	if (member->kind == IDL_METHOD) {
		expect(reader, "->");
		read_struct(reader, &member->out);
	}
	return member;
}

/* Every name must be that of a type of this interface. */
static void check_names(const struct idl *idl, const struct idl_type *type)
{
	if (type->kind == IDL_NAME && !idl_find(idl, IDL_TYPE, type->name))
		fail_msg("there is no type %s", type->name);
	if (type->item)
		check_names(idl, type->item);
	for (const struct idl_field *field = type->first; field; field = field->next)
		check_names(idl, &field->type);
}

struct idl *idl_parse(const char *text)
{
	struct reader reader = {text, 1};
	struct idl *idl = test_calloc(1, sizeof(*idl));
	struct idl_member **link = &idl->first;
	size_t n;

	expect(&reader, "interface ");
	n = strspn(reader.at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.");
	assert_in_range(n, 3, sizeof(idl->interface) - 1);
	memcpy(idl->interface, reader.at, n);
	reader.at += n;
	for (skip_space(&reader); *reader.at; skip_space(&reader)) {
		*link = read_member(&reader);
		link = &(*link)->next;
	}
	for (const struct idl_member *member = idl->first; member; member = member->next) {
		check_names(idl, &member->in);
		check_names(idl, &member->out);
		assert_ptr_equal(idl_find(idl, member->kind, member->name), member);
	}
	return idl;
}

static void free_type(struct idl_type *type)
{
	struct idl_field *next;

	for (struct idl_field *field = type->first; field; field = next) {
		next = field->next;
		free_type(&field->type);
		test_free(field);
	}
	if (type->item) {
		free_type(type->item);
		test_free(type->item);
	}
}

void idl_free(struct idl *idl)
{
	struct idl_member *next;

	for (struct idl_member *member = idl->first; member; member = next) {
		next = member->next;
		free_type(&member->in);
		free_type(&member->out);
		test_free(member);
	}
	test_free(idl);
}

const struct idl_member *idl_find(const struct idl *idl, int kind, const char *name)
{
	for (const struct idl_member *member = idl->first; member; member = member->next) {
		if ((int)member->kind == kind && strcmp(member->name, name) == 0)
			return member;
	}
	return NULL;
}

static const struct idl_field *find_field(const struct idl_type *type, const char *name)
{
	for (const struct idl_field *field = type->first; field; field = field->next) {
		if (strcmp(field->name, name) == 0)
			return field;
	}
	return NULL;
}

static void check_struct(const struct idl *idl, const struct idl_type *type, const json_t *value,
			 const char *where)
{
	const char *key;
	json_t *member;

	json_object_foreach((json_t *)value, key, member)
	{
		if (!find_field(type, key))
			fail_msg("%s: '%s' is not in the description", where, key);
	}
	for (const struct idl_field *field = type->first; field; field = field->next) {
		char path[256];

		snprintf(path, sizeof(path), "%s.%s", where, field->name);
		idl_check(idl, &field->type, json_object_get(value, field->name), path);
	}
}

static void check_items(const struct idl *idl, const struct idl_type *type, const json_t *value,
			const char *where)
{
	const char *key;
	json_t *item;
	size_t i;

	json_array_foreach((json_t *)value, i, item) idl_check(idl, type->item, item, where);
	json_object_foreach((json_t *)value, key, item) idl_check(idl, type->item, item, where);
}

void idl_check(const struct idl *idl, const struct idl_type *type, const json_t *value,
	       const char *where)
{
	bool ok = false;

	if (!value || json_is_null(value)) {
		if (!type->nullable)
			fail_msg("%s is missing", where);
		return;
	}
	switch (type->kind) {
	case IDL_BOOL:
		ok = json_is_boolean(value);
		break;
	case IDL_INT:
		ok = json_is_integer(value);
		break;
	case IDL_FLOAT:
		ok = json_is_number(value);
		break;
	case IDL_STRING:
		ok = json_is_string(value);
		break;
	case IDL_OBJECT:
	case IDL_MAP:
	case IDL_STRUCT:
		ok = json_is_object(value);
		break;
	case IDL_ARRAY:
		ok = json_is_array(value);
		break;
	case IDL_NAME:
		idl_check(idl, &idl_find(idl, IDL_TYPE, type->name)->in, value, where);
		return;
	}
	if (!ok)
		fail_msg("%s has another type than described", where);
	if (type->kind == IDL_STRUCT)
		check_struct(idl, type, value, where);
	else
		check_items(idl, type, value, where);
}
