/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The description that is served and the method table say the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/control/method.h"
#include "tests/unit/control/idl.h"

static void compare_fields(const struct idl *idl, const struct idl_type *type,
			   const struct field *fields, const char *where);

static void compare_field(const struct idl *idl, const struct idl_type *type,
			  const struct field *field)
{
	static const enum idl_kind kinds[] = {
	    [FIELD_STRING] = IDL_STRING, [FIELD_BOOL] = IDL_BOOL,    [FIELD_INT] = IDL_INT,
	    [FIELD_STRINGS] = IDL_ARRAY, [FIELD_GROUPS] = IDL_ARRAY, [FIELD_INTERFACES] = IDL_ARRAY,
	};
	const struct field *inner = field->type == FIELD_GROUPS	      ? group_fields
				    : field->type == FIELD_INTERFACES ? interface_fields
								      : NULL;

	assert_int_equal(type->kind, kinds[field->type]);
	assert_int_equal(type->nullable, field->optional);
	if (field->type == FIELD_STRINGS)
		assert_int_equal(type->item->kind, IDL_STRING);
	if (!inner)
		return;
	assert_int_equal(type->item->kind, IDL_NAME);
	compare_fields(idl, &idl_find(idl, IDL_TYPE, type->item->name)->in, inner,
		       type->item->name);
}

static void compare_fields(const struct idl *idl, const struct idl_type *type,
			   const struct field *fields, const char *where)
{
	const struct idl_field *described = type->first;

	for (; fields->name && described; fields++, described = described->next) {
		assert_string_equal(described->name, fields->name);
		compare_field(idl, &described->type, fields);
	}
	if (fields->name || described)
		fail_msg("%s: '%s' is only in one of the two", where,
			 fields->name ? fields->name : described->name);
}

static void test_table_is_described(void **state)
{
	struct idl *idl = idl_parse(control_description);
	size_t i = 0;

	(void)state;
	assert_string_equal(idl->interface, CONTROL_INTERFACE);
	for (const struct idl_member *member = idl->first; member; member = member->next) {
		if (member->kind != IDL_METHOD)
			continue;
		assert_true(i < control_method_count);
		assert_string_equal(member->name, control_methods[i].name);
		compare_fields(idl, &member->in, control_methods[i].fields, member->name);
		i++;
	}
	assert_int_equal(i, control_method_count);
	idl_free(idl);
}

static void test_every_error_has_a_message(void **state)
{
	struct idl *idl = idl_parse(control_description);
	int errors = 0;

	(void)state;
	for (const struct idl_member *member = idl->first; member; member = member->next) {
		if (member->kind != IDL_ERROR)
			continue;
		assert_string_equal(member->in.first->name, "message");
		assert_int_equal(member->in.first->type.kind, IDL_STRING);
		errors++;
	}
	assert_true(errors > 0);
	idl_free(idl);
}

static void test_service_is_described(void **state)
{
	struct idl *idl = idl_parse(service_description);

	(void)state;
	assert_string_equal(idl->interface, SERVICE_INTERFACE);
	assert_non_null(idl_find(idl, IDL_METHOD, "GetInfo"));
	assert_non_null(idl_find(idl, IDL_METHOD, "GetInterfaceDescription"));
	assert_non_null(idl_find(idl, IDL_ERROR, "PermissionDenied"));
	idl_free(idl);
}

/* Only what changes nothing is open to everybody. */
static void test_privileges(void **state)
{
	static const char *const open[] = {"ListGroups", "ListInterfaces", "ListWishes", "Stats",
					   "Monitor",	 "Status",	   "Explain",	 "Doctor"};

	(void)state;
	for (size_t i = 0; i < control_method_count; i++) {
		bool is_open = false;

		for (size_t j = 0; j < sizeof(open) / sizeof(*open); j++)
			is_open |= strcmp(control_methods[i].name, open[j]) == 0;
		assert_int_equal(control_methods[i].privilege == PRIVILEGE_READ, is_open);
	}
}

static void refuse(const char *text, const char *field, const char *why)
{
	json_t *object = json_loads(text, 0, NULL);
	char name[FIELD_NAME_MAX] = "";
	struct fault fault = {};

	assert_non_null(object);
	assert_int_equal(fields_check(object, control_methods[0].fields, "", name, &fault), -22);
	assert_string_equal(name, field);
	if (!strstr(fault.text, why))
		fail_msg("expected '%s', got '%s'", why, fault.text);
	json_decref(object);
}

static void test_fields(void **state)
{
	json_t *good = json_loads("{\"address\":\"239.1.1.1\",\"from\":[\"a\"],\"to\":[],"
				  "\"source\":null,\"pending\":true}",
				  0, NULL);
	char name[FIELD_NAME_MAX];
	struct fault fault;

	(void)state;
	assert_int_equal(fields_check(good, control_methods[0].fields, "", name, &fault), 0);
	json_decref(good);
	refuse("{}", "address", "'address' is missing");
	refuse("{\"address\":null}", "address", "must be a string");
	refuse("{\"address\":1}", "address", "must be a string");
	refuse("{\"address\":\"x\",\"from\":\"a\"}", "from", "array of strings");
	refuse("{\"address\":\"x\",\"from\":[1]}", "from", "'from[0]' must be a string");
	refuse("{\"address\":\"x\",\"from\":[],\"to\":[],\"pending\":1}", "pending", "boolean");
	refuse("{\"adress\":\"x\"}", "adress", "'adress' is not a parameter");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table_is_described),
	    cmocka_unit_test(test_service_is_described),
	    cmocka_unit_test(test_every_error_has_a_message),
	    cmocka_unit_test(test_privileges),
	    cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
