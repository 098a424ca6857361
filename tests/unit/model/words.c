/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of enums, reasons and limits. */
#include <errno.h>
#include <string.h>

#include "daemon/model/reasons.h"
#include "tests/unit/model/make.h"

static void every_reason_has_its_own_name_and_words(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < XM_REASONS; i++) {
		assert_true(strlen(reason_name(i)) > 2 && strlen(reason_text(i)) > 10);
		assert_int_equal(reason_level(i) == REASON_MEMBER, i >= XM_REASONS_COUNTED);
		for (unsigned int j = 0; j < i; j++)
			assert_string_not_equal(reason_name(i), reason_name(j));
	}
	assert_string_equal(reason_name(XM_REASON_NO_EGRESS), "no-egress");
	assert_int_equal(reason_level(XM_REASON_NO_EGRESS), REASON_FRAME);
	assert_int_equal(reason_level(XM_REASON_TOO_BIG), REASON_COPY);
	assert_string_equal(reason_name(XM_REASON_NOT_ETHERNET), "not-ethernet");
	assert_string_equal(reason_name(XM_REASON_NONE), "none");
	assert_string_equal(reason_text(XM_REASON_NONE), "");
}

static void every_protocol_has_its_own_name_and_words(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < XM_PROTOCOLS; i++) {
		assert_true(strlen(protocol_name(i)) > 2 && strlen(protocol_text(i)) > 10);
		for (unsigned int j = 0; j < i; j++)
			assert_string_not_equal(protocol_name(i), protocol_name(j));
	}
	assert_string_equal(protocol_name(XM_PROTOCOL_IGMP), "igmp");
	assert_string_equal(protocol_name(XM_PROTOCOLS), "none");
}

static void modes_and_enforcers_come_back(void **state)
{
	enum mode mode;
	enum enforce enforce;

	(void)state;
	for (unsigned int i = MODE_AUTO; i <= MODE_GENERIC; i++) {
		assert_int_equal(mode_parse(mode_name(i), &mode), 0);
		assert_int_equal(mode, i);
	}
	assert_int_equal(mode_parse("Native", &mode), -EINVAL);
	for (unsigned int i = ENFORCE_FOLD; i <= ENFORCE_LOOKUP; i++) {
		assert_int_equal(enforce_parse(enforce_name(i), &enforce), 0);
		assert_int_equal(enforce, i);
	}
	assert_int_equal(enforce_parse("", &enforce), -EINVAL);
}

static void limits_are_found_by_name(void **state)
{
	struct limits limits = LIMITS_DEFAULT;
	unsigned int max;

	(void)state;
	assert_ptr_equal(limits_find(&limits, "groups", &max), &limits.groups);
	assert_ptr_equal(limits_find(&limits, "entries", &max), &limits.entries);
	assert_ptr_equal(limits_find(&limits, "sets", &max), &limits.sets);
	assert_int_equal(max, XM_SETS_MAX - 1);
	assert_ptr_equal(limits_find(&limits, "members", &max), &limits.members);
	assert_int_equal(max, XM_MEMBERS_MAX);
	assert_ptr_equal(limits_find(&limits, "interfaces", &max), &limits.interfaces);
	assert_null(limits_find(&limits, "group", &max));
	assert_string_equal(limits_names(), "groups, entries, sets, members, interfaces");
	limits_raise(&limits);
	assert_int_equal(limits.sets, XM_SETS_MAX - 1);
	assert_int_equal(limits.members, XM_MEMBERS_MAX);
}

static void a_fault_is_cut_not_overrun(void **state)
{
	struct fault fault;
	char text[2000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(fault_set(&fault, -EBUSY, "a %s", text), -EBUSY);
	assert_int_equal(strlen(fault.text), sizeof(fault.text) - 1);
	assert_int_equal(fault_set(NULL, -EBUSY, "a %s", text), -EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_reason_has_its_own_name_and_words),
	    cmocka_unit_test(every_protocol_has_its_own_name_and_words),
	    cmocka_unit_test(modes_and_enforcers_come_back),
	    cmocka_unit_test(limits_are_found_by_name),
	    cmocka_unit_test(a_fault_is_cut_not_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
