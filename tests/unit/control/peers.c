/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Peers that mean no good: each gets one clear error or a closed connection, the memory stays
 * bounded, and another peer is served all the while.
 */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/control/peer.h"
#include "tests/unit/control/fixture.h"
#include "tests/unit/control/users.h"

#define HEAD "{\"method\":\"io.xmcast.Control.Stats\""

static int set_up_patient(void **state)
{
	peer_deadline_usec = 10 * 1000000ULL;
	return set_up(state);
}

/* Bytes of memory in use now, and by how much that has grown. */
static size_t used(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static size_t grown(size_t before)
{
	size_t now = used();

	return now > before ? now - before : 0;
}

/* Somebody else is served as ever. */
static void expect_alive(void)
{
	struct line other;

	line_open(&other, &talk);
	line_done(&other, "Stats", "{}");
	line_close(&other);
}

/* After `bytes` comes one error of that name, then the end. */
static void expect_error_then_end(const void *bytes, size_t len, const char *error)
{
	struct reply reply;

	line_send(&line, bytes, len);
	assert_true(line_reply(&line, &reply));
	assert_non_null(reply.error);
	assert_string_equal(strrchr(reply.error, '.') + 1, error);
	assert_true(json_is_string(json_object_get(reply.parameters, "message")));
	reply_free(&reply);
	line_expect_end(&line);
	assert_int_equal(buffer_len(&line.frames.in), 0);
	line_close(&line);
	expect_alive();
	line_open(&line, &talk);
}

static void test_malformed(void **state)
{
	static const char *const messages[] = {
	    "",
	    "x",
	    "[]",
	    "{}",
	    "{\"method\":",
	    "{\"method\":\"a.b\"}x",
	    HEAD ",\"method\":\"io.xmcast.Control.Stats\"}",
	    HEAD ",\"parameters\":{\"a\":1,\"a\":2}}",
	    HEAD ",\"parameters\":{\"a\":\"\xff\"}}",
	    HEAD ",\"parameters\":1}",
	    HEAD ",\"fds\":[]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		expect_error_then_end(messages[i], strlen(messages[i]) + 1, "MalformedMessage");
}

static char *filled(size_t len, char c)
{
	char *text = malloc(len);

	assert_non_null(text);
	memset(text, c, len);
	return text;
}

static void test_nested(void **state)
{
	char *text = filled(100001, '[');

	(void)state;
	text[100000] = 0;
	expect_error_then_end(text, 100001, "MalformedMessage");
	memset(text, '{', 100000);
	expect_error_then_end(text, 100001, "MalformedMessage");
	free(text);
}

/* 1 MiB is the most that root may send: the string is refused for what it is, not cut. */
static void test_huge_string(void **state)
{
	static const char head[] = "{\"method\":\"io.xmcast.Control.DelGroup\","
				   "\"parameters\":{\"address\":\"";
	size_t len = CODEC_MESSAGE_MAX;
	char *text = filled(len + 2, 'a');
	struct reply reply;

	(void)state;
	memcpy(text, head, sizeof(head) - 1);
	memcpy(text + len - 3, "\"}}", 4);
	assert_true(line_send(&line, text, len + 1));
	assert_true(line_reply(&line, &reply));
	assert_string_equal(reply.error, SERVICE_INTERFACE ".InvalidParameter");
	assert_in_range(json_string_length(json_object_get(reply.parameters, "message")), 1, 512);
	reply_free(&reply);
	memcpy(text + len - 2, "\"}}", 4); /* one byte more */
	expect_error_then_end(text, len + 2, "MessageTooLarge");
	free(text);
}

/* 100 MiB without a NUL: no more than the limit is ever taken. */
static void test_endless_message(void **state)
{
	char *text = filled(1u << 20, 'a');
	size_t before = used(), most = 0, now;

	(void)state;
	for (int i = 0; i < 100; i++) {
		if (!line_send(&line, text, 1u << 20))
			break;
		now = used();
		most = now > most ? now : most;
		assert_true(i < 10);
	}
	assert_in_range(most - before, 0, 4u << 20);
	free(text);
	line_expect_end(&line);
	expect_alive();
}

static void test_half_a_message(void **state)
{
	struct reply reply;

	(void)state;
	peer_deadline_usec = 50000;
	line_close(&line);
	line_open(&line, &talk);
	line_send(&line, HEAD, 10);
	assert_true(line_reply(&line, &reply));
	assert_string_equal(reply.error, CONTROL_INTERFACE ".MalformedMessage");
	reply_free(&reply);
	line_expect_end(&line);
	expect_alive();
}

/* A byte now and then does not buy time. */
static void test_dripping_message(void **state)
{
	(void)state;
	peer_deadline_usec = 200000;
	while (line_send(&line, "a", 1)) {
		usleep(5000);
		talk_run(&talk);
	}
	line_expect_end(&line);
	expect_alive();
}

/* Who says nothing at all may stay: a Varlink connection is kept open between calls. */
static void test_silence_is_allowed(void **state)
{
	(void)state;
	peer_deadline_usec = 20000;
	line_done(&line, "Stats", "{}");
	usleep(100000);
	talk_run(&talk);
	line_done(&line, "Stats", "{}");
}

/* 20,000 calls at once and nothing read: the daemon stops listening, and remembers little. */
static void test_flood(void **state)
{
	enum { CALLS = 20000 };
	static const char call[] = HEAD "}";
	size_t before = used();
	int sent = 0, answered = 0, idle = 0;
	struct reply reply;

	(void)state;
	while (sent < CALLS && idle < 20) {
		ssize_t n = send(line.fd, call, sizeof(call), MSG_NOSIGNAL);

		if (n < 0) {
			assert_int_equal(errno, EAGAIN);
			talk_run(&talk);
			idle++;
			continue;
		}
		assert_int_equal(n, sizeof(call));
		idle = 0;
		sent++;
	}
	assert_true(sent < CALLS); /* else nothing was flooded */
	assert_in_range(grown(before), 0, 4u << 20);
	expect_alive();
	while (answered < sent) { /* and when it reads at last, all is there */
		assert_true(line_reply(&line, &reply));
		assert_null(reply.error);
		reply_free(&reply);
		answered++;
	}
	line_done(&line, "Stats", "{}");
}

static void test_slow_reader_of_a_list(void **state)
{
	size_t before;

	(void)state;
	limits_raise(&talk.fake.model->limits);
	fake_fill(&talk.fake, 50000); /* a list of some 15 MB */
	peer_deadline_usec = 300000;
	before = used();
	line_start(&line, "ListGroups", "{}", true);
	talk_run(&talk);
	assert_in_range(grown(before), 0, 2u << 20);
	expect_alive();
	usleep(400000);
	talk_run(&talk); /* the deadline has passed: what was sent can be read, then the end */
	line_expect_end(&line);
}

static void test_slow_monitor(void **state)
{
	struct line good;
	struct reply reply;
	size_t before;

	(void)state;
	line_start(&line, "Monitor", "{}", true);
	line_open(&good, &talk);
	line_start(&good, "Monitor", "{}", true);
	assert_true(line_reply(&good, &reply));
	reply_free(&reply);
	before = used();
	for (int i = 0; i < 20000; i++) {
		control_event(talk.control, "test", "interface", "veth1",
			      "a reason of some length");
		assert_true(line_reply(&good, &reply));
		assert_string_equal(json_string_value(json_object_get(reply.parameters, "event")),
				    "test");
		reply_free(&reply);
	}
	assert_in_range(grown(before), 0, 2u << 20);
	line_expect_end(&line);
	line_close(&good);
}

static void test_thousand_connections(void **state)
{
	enum { COUNT = 1000 };
	struct rlimit limit;
	struct line *lines = calloc(COUNT, sizeof(*lines));
	int served = 0, refused = 0;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int i = 0; i < COUNT; i++) {
		line_open(&lines[i], &talk);
		talk_run(&talk);
	}
	for (int i = 0; i < COUNT; i++) {
		struct reply reply;

		line_start(&lines[i], "Stats", "{}", false);
		assert_true(line_reply(&lines[i], &reply));
		if (reply.error)
			assert_string_equal(reply.error, CONTROL_INTERFACE ".TooManyConnections");
		*(reply.error ? &refused : &served) += 1;
		reply_free(&reply);
	}
	assert_int_equal(served, 63); /* 64 of one user: `line` is one of them */
	assert_int_equal(refused, COUNT - 63);
	for (int i = 0; i < COUNT; i++)
		line_close(&lines[i]);
	talk_run(&talk);
	free(lines);
	expect_alive();
}

/* Without descriptors a newcomer hears so, and the loop does not spin. */
static void test_no_descriptors(void **state)
{
	struct rlimit limit, small;
	struct line late;
	struct reply reply;

	(void)state;
	talk_run(&talk);
	line_open(&late, &talk);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	small = limit;
	small.rlim_cur = late.fd + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
	talk_run(&talk);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(line_reply(&late, &reply));
	assert_string_equal(reply.error, CONTROL_INTERFACE ".TooManyConnections");
	reply_free(&reply);
	line_close(&late);
	line_done(&line, "Stats", "{}");
	expect_alive();
}

static void open_as(struct line *mine, uid_t uid)
{
	user_become(uid);
	line_open(mine, &talk);
	user_return();
}

static void test_other_users_read_only(void **state)
{
	static const char *const changes[][2] = {
	    {"AddGroup", "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\"],\"to\":[\"veth1\"]}"},
	    {"DelGroup", "{\"address\":\"239.10.0.0\"}"},
	    {"AddEgress", "{}"},
	    {"DelEgress", "{}"},
	    {"AddExclude", "{}"},
	    {"DelExclude", "{}"},
	    {"ApplyBegin", "{}"},
	    {"ApplyAdd", "{\"groups\":[]}"},
	    {"ApplyCommit", "{}"},
	    {"Reload", "{}"},
	    {"Attach", "{}"},
	    {"Detach", "{}"},
	    {"Reattach", "{\"interface\":\"eth0\"}"},
	};
	struct line mine;

	(void)state;
	if (geteuid() != 0)
		skip();
	fake_fill(&talk.fake, 1);
	open_as(&mine, NOBODY);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		line_refused(&mine, changes[i][0], changes[i][1], "PermissionDenied",
			     "group xmcast");
	line_done(&mine, "ListGroups", "{}");
	line_done(&mine, "ListInterfaces", "{}");
	line_done(&mine, "Stats", "{}");
	line_done(&mine, "Status", "{}");
	line_close(&mine);
	assert_int_equal(talk.fake.changes + talk.fake.reloads, 0);
	assert_int_equal(talk.fake.model->group_count, 1);
}

static void test_other_users_write_less(void **state)
{
	char *text = filled(CODEC_MESSAGE_SMALL + 2, 'a');
	struct reply reply;

	(void)state;
	if (geteuid() != 0)
		skip();
	line_close(&line);
	open_as(&line, NOBODY);
	text[CODEC_MESSAGE_SMALL] = 0; /* as long as may be: refused for what it is */
	line_send(&line, text, CODEC_MESSAGE_SMALL + 1);
	assert_true(line_reply(&line, &reply));
	assert_string_equal(reply.error, CONTROL_INTERFACE ".MalformedMessage");
	reply_free(&reply);
	line_close(&line);
	open_as(&line, NOBODY);
	text[CODEC_MESSAGE_SMALL] = 'a';
	text[CODEC_MESSAGE_SMALL + 1] = 0;
	expect_error_then_end(text, CODEC_MESSAGE_SMALL + 2, "MessageTooLarge");
	free(text);
}

/* Others cannot take the places that are kept for root. */
static void test_root_gets_in(void **state)
{
	enum { USERS = 5, EACH = 64 };
	struct line *lines = calloc(USERS * EACH, sizeof(*lines));
	struct rlimit limit;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int i = 0; i < USERS * EACH; i++) {
		open_as(&lines[i], 60000 + i / EACH);
		talk_run(&talk);
	}
	expect_alive();
	for (int i = 0; i < USERS * EACH; i++)
		line_close(&lines[i]);
	free(lines);
}

static void test_group_gives_the_privilege(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(user_may_change(4242, NOBODY, 4242), 1);
	assert_int_equal(user_may_change(NOBODY, 4242, 4242), 1);
	assert_int_equal(user_may_change(4243, NOBODY, 4242), 0);
	assert_int_equal(user_may_change(0, 0, 4242), 0);
	assert_int_equal(user_may_change(0, 0, (gid_t)-1), 0); /* there is no such group */
}

#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up_patient, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(malformed),
	    T(nested),
	    T(huge_string),
	    T(endless_message),
	    T(half_a_message),
	    T(dripping_message),
	    T(silence_is_allowed),
	    T(flood),
	    T(slow_reader_of_a_list),
	    T(slow_monitor),
	    T(thousand_connections),
	    T(no_descriptors),
	    T(other_users_read_only),
	    T(other_users_write_less),
	    T(root_gets_in),
	    T(group_gives_the_privilege),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
