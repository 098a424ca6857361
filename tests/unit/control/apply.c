/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Apply over a real socket: in pieces, all or nothing. */
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

#define G "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\"],\"to\":[\"veth1\",\"veth2\"]"

static void test_apply(void **state)
{
	struct reply reply;
	struct line other;
	json_t *wish;

	(void)state;
	fake_config_group(&talk.fake, "239.0.0.7");
	line_done(&line, "AddGroup", G "}");
	line_refused(&line, "ApplyAdd", "{\"groups\":[]}", "Refused", "ApplyBegin");
	line_refused(&line, "ApplyCommit", "{}", "Refused", "ApplyBegin");
	line_done(&line, "ApplyBegin", "{}");
	line_done(&line, "ApplyAdd",
		  "{\"groups\":[{\"addresses\":[\"239.2.0.1\",\"239.2.0.2\"],"
		  "\"from\":[\"eth0\",\"later0\"],\"to\":[\"veth1\"]}],"
		  "\"interfaces\":[{\"interface\":\"eth0\",\"mode\":\"generic\"}]}");
	assert_int_equal(talk.fake.model->group_count, 2); /* nothing yet */
	line_open(&other, &talk);			   /* nobody else sees it */
	line_refused(&other, "ApplyCommit", "{}", "Refused", "ApplyBegin");
	line_close(&other);
	line_done(&line, "ApplyCommit", "{}");
	assert_int_equal(talk.fake.model->group_count, 5);
	assert_int_equal(model_find_interface(talk.fake.model, "eth0")->mode, MODE_GENERIC);
	line_call(&line, "ListWishes", "{}", &reply);
	wish = json_array_get(json_object_get(reply.parameters, "interfaces"), 0);
	assert_string_equal(json_string_value(json_object_get(wish, "mode")), "generic");
	reply_free(&reply);
	line_refused(&line, "ApplyCommit", "{}", "Refused", "ApplyBegin");
	line_done(&line, "ApplyBegin", "{}"); /* an empty one leaves the configuration's */
	line_done(&line, "ApplyCommit", "{}");
	assert_int_equal(talk.fake.model->group_count, 1);
}

/* An error in any piece, and all is as before; so with a lost connection. */
static void test_apply_is_all_or_nothing(void **state)
{
	static const char good[] =
	    "{\"groups\":[{\"addresses\":[\"239.2.0.1\"],\"from\":[\"eth0\"],\"to\":[\"veth1\"]}]}";
	static const struct {
		const char *parameters, *error, *words;
	} bad[] = {
	    {"{\"groups\":[{\"addresses\":[\"239.2.0.2\",\"10.0.0.1\"],\"from\":[\"eth0\"],\"to\":["
	     "\"veth1\"]}]}",
	     "Refused", "multicast"},
	    {"{\"groups\":[{\"addresses\":[\"x\"],\"from\":[\"eth0\"],\"to\":[\"veth1\"]}]}",
	     "Refused", "x"},
	    {"{\"groups\":[{\"addresses\":[\"239.2.0.1\"],\"from\":[\"eth0\"],\"to\":[\"veth2\"]}]"
	     "}",
	     "Conflict", "239.2.0.1"},
	    {"{\"groups\":[{\"addresses\":[\"239.2.0.2\"],\"from\":[],\"to\":[\"veth2\"]}]}",
	     "InvalidParameter", "ingress"},
	    {"{\"groups\":[{},{\"addresses\":1}]}", "InvalidParameter", "groups[0].addresses"},
	    {"{\"groups\":[1]}", "InvalidParameter", "groups[0]"},
	    {"{\"groups\":[],\"interfaces\":[{\"interface\":\"eth0\",\"mode\":\"x\"}]}",
	     "InvalidParameter", "mode"},
	    {"{\"groups\":[],\"interfaces\":[{\"interface\":\"\"}]}", "InvalidParameter",
	     "interface name"},
	};

	(void)state;
	line_done(&line, "AddGroup", G "}");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		bool ill_formed = strstr(bad[i].words, "groups[0]");

		line_done(&line, "ApplyBegin", "{}");
		line_done(&line, "ApplyAdd", good);
		line_refused(&line, "ApplyAdd", bad[i].parameters, bad[i].error, bad[i].words);
		if (!ill_formed) /* those never reached the handler */
			line_refused(&line, "ApplyCommit", "{}", "Refused", "ApplyBegin");
	}
	line_done(&line, "ApplyBegin", "{}");
	line_done(&line, "ApplyAdd", good);
	line_close(&line);
	talk_run(&talk);
	assert_int_equal(talk.fake.model->group_count, 1);
	assert_int_equal(talk.fake.changes, 1);
	line_open(&line, &talk);
	fake_config_group(&talk.fake, "239.2.0.1");
	line_done(&line, "ApplyBegin", "{}");
	line_done(&line, "ApplyAdd", good);
	line_refused(&line, "ApplyCommit", "{}", "Conflict", "/etc/xmcast/x.conf:7");
	assert_int_equal(talk.fake.model->group_count, 2);
}

static void test_apply_piece_is_bounded(void **state)
{
	json_t *addresses = json_array(), *parameters;
	char address[32], *text;

	(void)state;
	for (int i = 0; i < 1001; i++) {
		snprintf(address, sizeof(address), "239.3.%d.%d", i >> 8, i & 255);
		json_array_append_new(addresses, json_string(address));
	}
	parameters = json_pack("{s:[{s:o, s:[s], s:[s]}]}", "groups", "addresses", addresses,
			       "from", "eth0", "to", "veth1");
	text = json_dumps(parameters, 0);
	line_done(&line, "ApplyBegin", "{}");
	line_refused(&line, "ApplyAdd", text, "InvalidParameter", "1000");
	free(text);
	json_decref(parameters);
}

#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(apply),
	    T(apply_is_all_or_nothing),
	    T(apply_piece_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
