/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explain and Trace over a real socket, with a backend that has no kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/control/fixture.h"

/* A reply of Trace, as described; the number of its frame, 0: it has none. */
static json_int_t next(struct line *of, bool continues)
{
	struct reply reply;
	json_int_t number;

	assert_true(line_reply(of, &reply));
	assert_null(reply.error);
	assert_int_equal(reply.continues, continues);
	idl_check(talk.idl, &idl_find(talk.idl, IDL_METHOD, "Trace")->out, reply.parameters,
		  "Trace");
	number = json_integer_value(
	    json_object_get(json_object_get(reply.parameters, "frame"), "number"));
	if (!continues)
		assert_string_equal(json_string_value(json_object_get(reply.parameters, "ended")),
				    "all were seen");
	reply_free(&reply);
	return number;
}

static void test_explain(void **state)
{
	struct reply reply;
	const json_t *frame;

	(void)state;
	line_call(&line, "Explain",
		  "{\"address\":\"239.1.1.1\",\"from\":\"eth0\",\"source\":null,\"size\":1500}",
		  &reply);
	assert_null(reply.error);
	frame = json_object_get(reply.parameters, "frame");
	assert_int_equal(json_integer_value(json_object_get(frame, "size")), 1500);
	assert_true(json_is_null(json_object_get(frame, "number")));
	assert_int_equal(json_array_size(json_object_get(frame, "egress")), 2);
	reply_free(&reply);
	line_refused(&line, "Explain", "{\"address\":\"239.1.1.1\",\"from\":\"nosuch\"}",
		     "InterfaceUnknown", "nosuch");
	line_refused(&line, "Explain", "{\"address\":\"239.1.1.1\",\"from\":\"eth0\",\"size\":-1}",
		     "InvalidParameter", "integer");
	line_refused(&line, "Explain",
		     "{\"address\":\"239.1.1.1\",\"from\":\"a-name-that-is-too-long\"}",
		     "InvalidParameter", "interface");
}

static void test_trace(void **state)
{
	(void)state;
	line_refused(&line, "Trace", "{\"address\":\"239.1.1.1\"}", "ExpectedMore", "more");
	line_start(&line, "Trace", "{\"address\":\"239.1.1.1\",\"count\":2}", true);
	assert_int_equal(next(&line, true), 0); /* it has begun */
	fake_trace_frame(&talk.fake);
	assert_int_equal(next(&line, true), 1);
	fake_trace_frame(&talk.fake);
	assert_int_equal(next(&line, true), 2);
	assert_int_equal(next(&line, false), 0);
	line_done(&line, "Stats", "{}"); /* the connection goes on */
	assert_int_equal(talk.fake.trace_stops, 0);
}

static void test_one_at_a_time(void **state)
{
	struct line other;
	struct reply reply;

	(void)state;
	line_start(&line, "Trace", "{\"unmatched\":true}", true);
	next(&line, true);
	assert_true(talk.fake.trace.unmatched);
	assert_int_equal(talk.fake.trace.count, 10);
	line_open(&other, &talk);
	line_start(&other, "Trace", "{\"address\":\"239.0.0.0/8\"}", true);
	assert_true(line_reply(&other, &reply));
	assert_non_null(strstr(reply.error, "Refused"));
	reply_free(&reply);
	line_close(&other); /* who does not trace ends nothing */
	talk_run(&talk);
	assert_int_equal(talk.fake.trace_stops, 0);
}

/* Who hangs up, or does not read, ends the trace. */
static void test_end(void **state)
{
	struct line other;

	(void)state;
	line_open(&other, &talk);
	line_start(&other, "Trace", "{\"address\":\"239.1.1.1\"}", true);
	next(&other, true);
	line_close(&other);
	talk_run(&talk);
	assert_int_equal(talk.fake.trace_stops, 1);
	line_start(&line, "Trace", "{\"address\":\"239.1.1.1\",\"count\":10000}", true);
	next(&line, true);
	assert_int_equal(talk.fake.trace.count, 10000);
	for (int i = 0; i < 9000 && talk.fake.trace.frame; i++) {
		fake_trace_frame(&talk.fake);
		if (i % 500 == 0)
			talk_run(&talk);
	}
	assert_int_equal(talk.fake.trace_stops, 2);
}

static void test_parameters(void **state)
{
	static const char *const wrong[] = {
	    "{}",
	    "{\"address\":\"nonsense\"}",
	    "{\"address\":\"239.1.1.1\",\"count\":\"3\"}",
	    "{\"address\":\"239.1.1.1\",\"count\":0}",
	    "{\"address\":\"239.1.1.1\",\"count\":10001}",
	    "{\"address\":\"239.1.1.1\",\"seconds\":0}",
	    "{\"address\":\"239.1.1.1\",\"seconds\":3601}",
	    "{\"unmatched\":true,\"from\":\"a-name-that-is-too-long\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct reply reply;

		line_start(&line, "Trace", wrong[i], true);
		assert_true(line_reply(&line, &reply));
		assert_non_null(strstr(reply.error, "InvalidParameter"));
		reply_free(&reply);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_explain, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_trace, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_one_at_a_time, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_end, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_parameters, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
