/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verbs that change groups, over a real socket: what they do, what they refuse. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/control/fixture.h"

static void expect_result(const char *method, const char *parameters, const char *result,
			  size_t warnings)
{
	struct reply reply;

	line_call(&line, method, parameters, &reply);
	if (reply.error)
		fail_msg("%s: %s", parameters, text_of(&reply, "message"));
	assert_string_equal(text_of(&reply, "result"), result);
	assert_int_equal(json_array_size(json_object_get(reply.parameters, "warnings")), warnings);
	reply_free(&reply);
}

#define G "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\"],\"to\":[\"veth1\",\"veth2\"]"

static void test_add_group(void **state)
{
	const struct group *group;

	(void)state;
	expect_result("AddGroup", G "}", "added", 0);
	assert_int_equal(talk.fake.changes, 1);
	assert_int_equal(talk.fake.model->group_count, 1);
	group = talk.fake.model->groups[0];
	assert_string_equal(group->key.from, "eth0");
	assert_true(names_have(&group->to, "veth1") && names_have(&group->to, "veth2"));
	assert_int_equal(group->to.count, 2);
	assert_null(group->file);
	expect_result("AddGroup", G "}", "unchanged", 0);
	assert_int_equal(talk.fake.changes, 1);
	expect_result("AddGroup", G ",\"vlan\":\"5.7\",\"source\":\"10.0.0.0/8\"}", "added", 0);
	expect_result("AddGroup",
		      "{\"address\":\"ff3e::/32\",\"from\":[\"eth0\",\"eth1\"],"
		      "\"to\":[\"veth*\"],\"exclude\":[\"veth3\"],\"source\":null}",
		      "added", 0);
	assert_int_equal(talk.fake.model->group_count, 4);
	expect_result("AddGroup",
		      "{\"address\":\"239.1.1.2\",\"from\":[\"eth0\"],\"to\":[\"veth9\"]}", "added",
		      1);
	expect_result("AddGroup",
		      "{\"address\":\"239.1.1.3\",\"from\":[\"later0\"],"
		      "\"to\":[\"later1\"],\"pending\":true}",
		      "added", 0);
}

static void test_add_group_refusals(void **state)
{
	(void)state;
	line_done(&line, "AddGroup", G "}");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\"],\"to\":[\"veth3\"]}",
		     "Conflict", "239.1.1.1");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"10.1.1.1\",\"from\":[\"eth0\"],\"to\":[\"veth3\"]}", "Refused",
		     "multicast");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.9\",\"from\":[\"eth0\"],\"to\":[\"eth0\"]}", "Refused",
		     "");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.9\",\"from\":[\"peer0\"],\"to\":[\"peer1\"]}",
		     "Refused", "veth pair");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.9\",\"from\":[\"eth0\"],\"to\":[\"unknown7\"]}",
		     "InterfaceUnknown", "unknown7");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"nonsense\",\"from\":[\"eth0\"],\"to\":[\"veth3\"]}",
		     "InvalidParameter", "nonsense");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.9\",\"from\":[\"eth*\"],\"to\":[\"veth3\"]}",
		     "InvalidParameter", "pattern");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.9\",\"from\":[],\"to\":[\"veth3\"]}",
		     "InvalidParameter", "from");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.9\",\"from\":[\"eth0\"],\"to\":[\"a/b\"]}",
		     "InvalidParameter", "a/b");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.9\",\"from\":[\"eth0\"],"
		     "\"to\":[\"veth3\"],\"vlan\":\"4095\"}",
		     "InvalidParameter", "4095");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.9\",\"from\":[\"eth0\"],"
		     "\"to\":[\"veth3\"],\"ttl\":1}",
		     "InvalidParameter", "'ttl'");
	/* one of two ingresses is impossible: neither is added */
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.1.1.9\",\"from\":[\"eth0\",\"veth3\"],\"to\":[\"veth3\"]}",
		     "Refused", "veth3");
	assert_int_equal(talk.fake.model->group_count, 1);
	assert_int_equal(talk.fake.changes, 1);
}

static void test_limit(void **state)
{
	(void)state;
	talk.fake.model->limits.groups = 1;
	line_done(&line, "AddGroup", G "}");
	line_refused(&line, "AddGroup", G ",\"vlan\":\"5\"}", "LimitReached", "limit groups");
	assert_int_equal(talk.fake.model->group_count, 1);
}

static void test_del_group(void **state)
{
	struct reply reply;

	(void)state;
	line_done(&line, "AddGroup", G "}");
	line_done(&line, "AddGroup", G ",\"source\":\"10.0.0.1\"}");
	line_done(&line, "AddGroup", G ",\"vlan\":\"5\"}");
	line_call(&line, "DelGroup", "{\"address\":\"239.1.1.1\"}", &reply);
	assert_string_equal(reply.error, CONTROL_INTERFACE ".Ambiguous");
	assert_int_equal(json_array_size(json_object_get(reply.parameters, "groups")), 3);
	reply_free(&reply);
	line_refused(&line, "DelGroup", "{\"address\":\"239.1.1.1\",\"vlan\":\"0\"}", "Ambiguous",
		     "2 groups");
	line_done(&line, "DelGroup", "{\"address\":\"239.1.1.1\",\"source\":\"10.0.0.1\"}");
	line_done(&line, "DelGroup", "{\"address\":\"239.1.1.1\",\"vlan\":\"0\"}");
	assert_int_equal(talk.fake.model->group_count, 1);
	assert_int_equal(talk.fake.model->groups[0]->key.vlan, 5);
	line_refused(&line, "DelGroup", "{\"address\":\"239.1.1.2\"}", "NotFound", "239.1.1.2");
	line_done(&line, "DelGroup", "{\"address\":\"239.1.1.1\"}");
	line_refused(&line, "DelGroup", "{\"address\":\"239.1.1.1\"}", "NotFound", "239.1.1.1");
}

static void test_del_group_of_any_source(void **state)
{
	(void)state;
	line_done(&line, "AddGroup", G "}");
	line_done(&line, "AddGroup", G ",\"source\":\"10.0.0.1\"}");
	line_done(&line, "DelGroup", "{\"address\":\"239.1.1.1\",\"source\":\"0.0.0.0/0\"}");
	assert_int_equal(talk.fake.model->group_count, 1);
	assert_int_equal(talk.fake.model->groups[0]->key.source.len, 128);
}

static void test_del_group_of_several_ingresses(void **state)
{
	(void)state;
	line_done(&line, "AddGroup",
		  "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\",\"eth1\"],"
		  "\"to\":[\"veth1\"]}");
	line_refused(&line, "DelGroup", "{\"address\":\"239.1.1.1\"}", "Ambiguous", "2 groups");
	/* all or none */
	line_refused(&line, "DelGroup", "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\",\"eth2\"]}",
		     "NotFound", "eth2");
	assert_int_equal(talk.fake.model->group_count, 2);
	line_done(&line, "DelGroup", "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\",\"eth1\"]}");
	assert_int_equal(talk.fake.model->group_count, 0);
}

static void test_config_groups_are_owned(void **state)
{
	static const char words[] = "{\"address\":\"239.0.0.7\",\"interfaces\":[\"veth1\"]}";

	(void)state;
	fake_config_group(&talk.fake, "239.0.0.7");
	line_refused(&line, "DelGroup", "{\"address\":\"239.0.0.7\"}", "OwnedByConfig",
		     "/etc/xmcast/x.conf:7");
	line_refused(&line, "AddEgress", words, "OwnedByConfig", "/etc/xmcast/x.conf:7");
	line_refused(&line, "DelExclude", words, "OwnedByConfig", "/etc/xmcast/x.conf:7");
	line_refused(&line, "AddGroup",
		     "{\"address\":\"239.0.0.7\",\"from\":[\"eth0\"],\"to\":[\"veth2\"]}",
		     "Conflict", "/etc/xmcast/x.conf:7");
	assert_int_equal(talk.fake.changes, 0);
}

#define E(list) "{\"address\":\"239.1.1.1\",\"interfaces\":[" list "]"

static void expect_lists(const char *to, const char *exclude)
{
	const struct group *group = talk.fake.model->groups[0];
	struct names expected = {};
	const char *why;

	assert_int_equal(names_add_list(&expected, to, &why), 0);
	assert_true(names_equal(&group->to, &expected));
	names_free(&expected);
	if (*exclude)
		assert_int_equal(names_add_list(&expected, exclude, &why), 0);
	assert_true(names_equal(&group->exclude, &expected));
	names_free(&expected);
}

static void test_egress(void **state)
{
	(void)state;
	line_done(&line, "AddGroup", G "}");
	expect_result("AddEgress", E("\"veth3\",\"veth9\"") "}", "changed", 1);
	expect_lists("veth1,veth2,veth3,veth9", "");
	expect_result("AddEgress", E("\"veth3\"") "}", "unchanged", 1);
	expect_result("DelEgress", E("\"veth9\",\"veth1\"") "}", "changed", 0);
	expect_lists("veth2,veth3", "");
	expect_result("AddExclude", E("\"veth3\"") "}", "changed", 0);
	expect_lists("veth2,veth3", "veth3");
	line_refused(&line, "AddExclude", E("\"veth2\"") "}", "Refused", "no egress");
	line_refused(&line, "DelEgress", E("\"veth2\"") "}", "Refused", "no egress");
	expect_result("DelExclude", E("\"veth3\"") "}", "changed", 0);
	expect_lists("veth2,veth3", "");
	line_refused(&line, "DelExclude", E("\"veth3\"") "}", "NotFound", "veth3");
	line_refused(&line, "DelEgress", E("\"veth7\"") "}", "NotFound", "veth7");
	line_refused(&line, "AddEgress", E("\"unknown7\"") "}", "InterfaceUnknown", "unknown7");
	expect_result("AddEgress", E("\"unknown7\"") ",\"pending\":true}", "changed", 0);
	line_refused(&line, "AddEgress", E("") "}", "InvalidParameter", "interfaces");
	expect_lists("unknown7,veth2,veth3", "");
}

/* The second of two groups cannot be changed: the first is put back. */
static void test_egress_of_several_groups(void **state)
{
	(void)state;
	line_done(&line, "AddGroup",
		  "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\"],"
		  "\"to\":[\"veth1\",\"veth2\"]}");
	line_done(&line, "AddGroup",
		  "{\"address\":\"239.1.1.1\",\"from\":[\"veth1\"],"
		  "\"to\":[\"veth1\",\"veth2\"]}");
	line_refused(&line, "DelEgress", E("\"veth2\"") ",\"from\":[\"eth0\",\"veth1\"]}",
		     "Refused", "no egress");
	expect_lists("veth1,veth2", "");
	expect_result("AddEgress", E("\"veth3\"") ",\"from\":[\"eth0\",\"veth1\"]}", "changed", 0);
	expect_lists("veth1,veth2,veth3", "");
}

#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(add_group),
	    T(add_group_refusals),
	    T(limit),
	    T(del_group),
	    T(del_group_of_any_source),
	    T(del_group_of_several_ingresses),
	    T(config_groups_are_owned),
	    T(egress),
	    T(egress_of_several_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
