/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/control/codec.h"

/* Messages come out whole, whatever the pieces in which the bytes came in. */
static void test_frames_in_any_pieces(void **state)
{
	static const char bytes[] = "{\"a\":1}\0\0{}\0half";
	size_t total = sizeof(bytes) - 1;

	(void)state;
	for (size_t piece = 1; piece <= total; piece++) {
		struct frames frames = {.limit = 16};
		const char *expected[] = {"{\"a\":1}", "", "{}"};
		const char *text;
		size_t len, seen = 0;

		for (size_t i = 0; i < total; i += piece) {
			size_t n = total - i < piece ? total - i : piece;

			assert_int_equal(buffer_append(&frames.in, bytes + i, n), 0);
			while (frames_next(&frames, &text, &len) == 1) {
				assert_string_equal(text, expected[seen++]);
				assert_int_equal(len, strlen(text));
				frames_drop(&frames, len);
			}
		}
		assert_int_equal(seen, 3);
		assert_int_equal(buffer_len(&frames.in), 4);
		buffer_free(&frames.in);
	}
}

static void test_frame_limit(void **state)
{
	struct frames frames = {.limit = 8};
	const char *text;
	size_t len;

	(void)state;
	buffer_append(&frames.in, "12345678", 8);
	assert_int_equal(frames_next(&frames, &text, &len), 0);
	buffer_append(&frames.in, "", 1);
	assert_int_equal(frames_next(&frames, &text, &len), 1);
	assert_int_equal(len, 8);
	frames_drop(&frames, len);
	buffer_append(&frames.in, "123456789", 9); /* no NUL yet, and too long already */
	assert_int_equal(frames_next(&frames, &text, &len), -EMSGSIZE);
	buffer_append(&frames.in, "", 1);
	assert_int_equal(frames_next(&frames, &text, &len), -EMSGSIZE);
	buffer_free(&frames.in);
}

static void refuse(const char *text, const char *why)
{
	struct codec_error error = {};
	struct call call;

	assert_int_equal(call_decode(text, strlen(text), &call, &error), -EBADMSG);
	if (!strstr(error.text, why))
		fail_msg("'%.60s': expected '%s', got '%s'", text, why, error.text);
}

static void test_calls_that_are_refused(void **state)
{
	(void)state;
	refuse("", "not JSON");
	refuse("{", "not JSON");
	refuse("[]", "not a JSON object");
	refuse("\"method\"", "not JSON");
	refuse("{}", "no key 'method'");
	refuse("{\"method\":1}", "'method' that is not a string");
	refuse("{\"method\":\"a.b\",\"method\":\"a.c\"}", "duplicate");
	refuse("{\"method\":\"a.b\",\"parameters\":[]}", "not an object");
	refuse("{\"method\":\"a.b\",\"parameters\":{\"x\":1,\"x\":2}}", "duplicate");
	refuse("{\"method\":\"a.b\",\"more\":1}", "'more' that is not a boolean");
	refuse("{\"method\":\"a.b\",\"fds\":1}", "unknown key 'fds'");
	refuse("{\"method\":\"a.b\"} {}", "not JSON");
	refuse("{\"method\":\"\xff\xfe\"}", "not JSON");
	refuse("{\"method\":\"\xc0\xaf\"}", "not JSON");
	refuse("{\"method\":\"a\\u0000b\"}", "not JSON");
	refuse("{\"method\":\"a\\ud800b\"}", "not JSON");
	refuse("{\"method\":\"a.b\",\"parameters\":{\"n\":1e999}}", "not JSON");
}

/* `count` times `unit`, between a call's head and tail. */
static char *repeat(const char *unit, size_t count)
{
	static const char head[] = "{\"method\":\"a.b\",\"parameters\":{\"x\":[";
	size_t len = strlen(unit);
	char *text = malloc(sizeof(head) + len * count + 8), *p = text;

	assert_non_null(text);
	p = stpcpy(p, head);
	while (count--)
		p = stpcpy(p, unit);
	strcpy(p, "0]}}");
	return text;
}

static void test_calls_that_would_grow(void **state)
{
	struct codec_error error;
	struct call call;
	char *text;

	(void)state;
	text = repeat("[", 100000);
	refuse(text, "nested deeper");
	free(text);
	text = repeat("{},", CODEC_CONTAINERS_MAX);
	refuse(text, "objects and arrays");
	free(text);
	text = repeat("0,", CODEC_VALUES_MAX);
	refuse(text, "values");
	free(text);
	text = repeat("\"[{,\\\"[{,\",", 9000); /* brackets in strings count for nothing */
	assert_int_equal(call_decode(text, strlen(text), &call, &error), 0);
	call_free(&call);
	free(text);
}

static void test_calls(void **state)
{
	static const char text[] = "{\"parameters\":{\"x\":[1]},\"more\":true,\"oneway\":false,"
				   "\"upgrade\":null,\"method\":\"a.b.C\"}";
	struct codec_error error;
	struct call call;

	(void)state;
	assert_int_equal(call_decode(text, sizeof(text) - 1, &call, &error), 0);
	assert_string_equal(call.method, "a.b.C");
	assert_true(call.more);
	assert_false(call.oneway);
	assert_false(call.upgrade);
	assert_int_equal(json_array_size(json_object_get(call.parameters, "x")), 1);
	call_free(&call);
	assert_int_equal(call_decode("{\"method\":\"a.b\"}", 16, &call, &error), 0);
	assert_true(json_is_object(call.parameters));
	call_free(&call);
}

static void test_round_trip(void **state)
{
	struct buffer out = {};
	struct codec_error error;
	struct reply reply;
	json_t *message;

	(void)state;
	message = reply_encode(json_pack("{s:s}", "a", "\xc3\xa4"), true);
	assert_int_equal(message_encode(&out, message), 0);
	assert_int_equal(out.data[out.end - 1], 0);
	assert_int_equal(strlen(out.data), out.end - 1);
	assert_int_equal(reply_decode(out.data, out.end - 1, &reply, &error), 0);
	assert_true(reply.continues);
	assert_null(reply.error);
	assert_string_equal(json_string_value(json_object_get(reply.parameters, "a")), "\xc3\xa4");
	reply_free(&reply);
	json_decref(message);
	buffer_drop(&out, buffer_len(&out));

	message = error_encode("a.b.Bad", json_object());
	assert_int_equal(message_encode(&out, message), 0);
	assert_int_equal(reply_decode(out.data, out.end - 1, &reply, &error), 0);
	assert_string_equal(reply.error, "a.b.Bad");
	assert_false(reply.continues);
	reply_free(&reply);
	json_decref(message);
	assert_int_equal(message_encode(&out, NULL), -ENOMEM);
	assert_int_equal(reply_decode("{\"error\":1}", 11, &reply, &error), -EBADMSG);
	assert_int_equal(reply_decode("{\"parameters\":1}", 16, &reply, &error), -EBADMSG);
	buffer_free(&out);
}

static void test_text_of_any_bytes(void **state)
{
	json_t *text = json_text("a\xff"
				 "b");

	(void)state;
	assert_string_equal(json_string_value(text), "a?b");
	json_decref(text);
	text = json_text("\xc3\xa4");
	assert_string_equal(json_string_value(text), "\xc3\xa4");
	json_decref(text);
	assert_true(json_is_null(json_text_or_null("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frames_in_any_pieces),
	    cmocka_unit_test(test_frame_limit),
	    cmocka_unit_test(test_calls_that_are_refused),
	    cmocka_unit_test(test_calls_that_would_grow),
	    cmocka_unit_test(test_calls),
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_text_of_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
