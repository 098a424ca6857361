/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/control/method.h"

const struct field group_fields[] = {
    {"addresses", FIELD_STRINGS, false},
    {"from", FIELD_STRINGS, false},
    {"to", FIELD_STRINGS, false},
    {"source", FIELD_STRING, true},
    {"vlan", FIELD_STRING, true},
    {"exclude", FIELD_STRINGS, true},
    {},
};

const struct field interface_fields[] = {
    {"interface", FIELD_STRING, false},
    {"mode", FIELD_STRING, true},
    {"exclude", FIELD_STRINGS, true},
    {"detached", FIELD_BOOL, true},
    {},
};

static const struct field *find_field(const struct field *fields, const char *name)
{
	for (; fields->name; fields++) {
		if (strcmp(fields->name, name) == 0)
			return fields;
	}
	return NULL;
}

static void name_field(char name[static FIELD_NAME_MAX], const char *within, const char *key)
{
	snprintf(name, FIELD_NAME_MAX, "%s%s%.32s", within, *within ? "." : "", key);
}

static int check_strings(const json_t *value, const char *name, struct fault *fault)
{
	size_t i;
	json_t *item;

	if (!json_is_array(value))
		return fault_set(fault, -EINVAL, "'%s' must be an array of strings", name);
	json_array_foreach(value, i, item)
	{
		if (!json_is_string(item))
			return fault_set(fault, -EINVAL, "'%s[%zu]' must be a string", name, i);
	}
	return 0;
}

/* "outer[3]" */
static void name_item(char name[static FIELD_NAME_MAX], const char *outer, size_t i)
{
	snprintf(name, FIELD_NAME_MAX, "%.48s[%zu]", outer, i);
}

static int check_objects(const json_t *value, const struct field *fields, const char *outer,
			 char name[static FIELD_NAME_MAX], struct fault *fault)
{
	char within[FIELD_NAME_MAX];
	size_t i;
	json_t *item;

	if (!json_is_array(value))
		return fault_set(fault, -EINVAL, "'%s' must be an array of objects", outer);
	json_array_foreach(value, i, item)
	{
		if (json_is_object(item) && fields_check(item, fields, "", name, NULL) == 0)
			continue;
		name_item(within, outer, i); /* now again, with words */
		if (json_is_object(item))
			return fields_check(item, fields, within, name, fault);
		memcpy(name, within, sizeof(within));
		return fault_set(fault, -EINVAL, "'%s' must be an object", within);
	}
	return 0;
}

static int check_type(const json_t *value, const struct field *field,
		      char name[static FIELD_NAME_MAX], struct fault *fault)
{
	switch (field->type) {
	case FIELD_STRING:
		return json_is_string(value)
			   ? 0
			   : fault_set(fault, -EINVAL, "'%s' must be a string", name);
	case FIELD_BOOL:
		return json_is_boolean(value)
			   ? 0
			   : fault_set(fault, -EINVAL, "'%s' must be a boolean", name);
	case FIELD_INT:
		return json_is_integer(value) && json_integer_value(value) >= 0 &&
			       json_integer_value(value) <= FIELD_INT_MAX
			   ? 0
			   : fault_set(fault, -EINVAL, "'%s' must be an integer of 0 to %d", name,
				       FIELD_INT_MAX);
	case FIELD_STRINGS:
		return check_strings(value, name, fault);
	case FIELD_GROUPS:
		return check_objects(value, group_fields, field->name, name, fault);
	case FIELD_INTERFACES:
		return check_objects(value, interface_fields, field->name, name, fault);
	}
	return -EINVAL;
}

static int check_known(const json_t *object, const struct field *fields, const char *within,
		       char name[static FIELD_NAME_MAX], struct fault *fault)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		if (find_field(fields, key))
			continue;
		name_field(name, within, key);
		return fault_set(fault, -EINVAL, "'%s' is not a parameter of this method", name);
	}
	return 0;
}

int fields_check(const json_t *object, const struct field *fields, const char *within,
		 char name[static FIELD_NAME_MAX], struct fault *fault)
{
	int r = check_known(object, fields, within, name, fault);

	for (; r == 0 && fields->name; fields++) {
		const json_t *value = json_object_get(object, fields->name);

		if ((!value || json_is_null(value)) && fields->optional)
			continue; /* Varlink: null is absent */
		if (fault)
			name_field(name, within, fields->name);
		if (!value)
			r = fault_set(fault, -EINVAL, "'%s' is missing", name);
		else
			r = check_type(value, fields, name, fault);
	}
	return r;
}
