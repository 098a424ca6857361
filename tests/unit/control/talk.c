/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/control/talk.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/control/method.h"

#define DEADLINE 10 /* s */

void talk_open(struct talk *talk)
{
	struct control_options options = {.listen_fd = -1};
	struct fault fault = {};

	*talk = (struct talk){};
	strcpy(talk->directory, "/tmp/xmcast-control.XXXXXX");
	assert_non_null(mkdtemp(talk->directory));
	assert_int_equal(chmod(talk->directory, 0755), 0); /* other users are let in too */
	snprintf(talk->path, sizeof(talk->path), "%s/" CONTROL_SOCKET, talk->directory);
	options.socket_path = talk->path;
	assert_true(sd_event_new(&talk->event) >= 0);
	fake_init(&talk->fake);
	talk->idl = idl_parse(control_description);
	if (control_open(&talk->control, talk->event, &options, &talk->fake.backend, &fault) < 0)
		fail_msg("%s", fault.text);
}

void talk_close(struct talk *talk)
{
	control_close(talk->control);
	fake_finish(&talk->fake);
	sd_event_unref(talk->event);
	idl_free(talk->idl);
	assert_int_equal(access(talk->path, F_OK), -1);
	assert_int_equal(rmdir(talk->directory), 0);
}

void talk_run(struct talk *talk)
{
	while (sd_event_run(talk->event, 1000) > 0)
		;
}

void line_open(struct line *line, struct talk *talk)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*line = (struct line){.talk = talk, .frames.limit = 64u << 20};
	strcpy(address.sun_path, talk->path);
	line->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(line->fd >= 0);
	while (connect(line->fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		assert_int_equal(errno, EAGAIN); /* the backlog is full: let it accept */
		talk_run(talk);
	}
}

void line_close(struct line *line)
{
	close(line->fd);
	buffer_free(&line->frames.in);
	line->fd = -1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

bool line_send(struct line *line, const void *bytes, size_t len)
{
	const char *at = bytes;
	double end = now() + DEADLINE;

	while (len) {
		ssize_t n = send(line->fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			return false;
		assert_true(now() < end);
		if (n < 0) {
			sd_event_run(line->talk->event, 1000);
			continue;
		}
		at += n;
		len -= n;
	}
	return true;
}

/* 1 bytes came, 0 it was closed. */
static int line_receive(struct line *line)
{
	static char bytes[65536];
	double end = now() + DEADLINE;

	for (;;) {
		ssize_t n = recv(line->fd, bytes, sizeof(bytes), 0);

		if (n == 0 || (n < 0 && errno == ECONNRESET))
			return 0;
		if (n > 0) {
			assert_int_equal(buffer_append(&line->frames.in, bytes, n), 0);
			return 1;
		}
		assert_int_equal(errno, EAGAIN);
		if (now() > end)
			fail_msg("no answer within %d s", DEADLINE);
		sd_event_run(line->talk->event, 1000);
	}
}

bool line_reply(struct line *line, struct reply *reply)
{
	struct codec_error error;
	const char *text;
	size_t len;
	int r;

	while ((r = frames_next(&line->frames, &text, &len)) == 0) {
		if (!line_receive(line))
			return false;
	}
	assert_int_equal(r, 1);
	if (reply_decode(text, len, reply, &error) < 0)
		fail_msg("the reply %s", error.text);
	frames_drop(&line->frames, len);
	return true;
}

void line_expect_end(struct line *line)
{
	while (line_receive(line))
		;
}

void line_start(struct line *line, const char *method, const char *parameters, bool more)
{
	json_t *object = json_loads(parameters, 0, NULL);
	struct buffer out = {};
	char name[128];
	json_t *call;

	assert_non_null(object);
	snprintf(name, sizeof(name), "%s%s", strchr(method, '.') ? "" : CONTROL_INTERFACE ".",
		 method);
	call = call_encode(name, object, more);
	assert_int_equal(message_encode(&out, call), 0);
	line_send(line, out.data, buffer_len(&out));
	json_decref(call);
	buffer_free(&out);
}

/* What came must be what the description promises. */
static void check(const struct line *line, const char *method, const struct reply *reply)
{
	const struct idl *idl = line->talk->idl;
	const struct idl_member *member;

	if (reply->error && strncmp(reply->error, CONTROL_INTERFACE ".", 18) == 0) {
		member = idl_find(idl, IDL_ERROR, reply->error + 18);
		assert_non_null(member);
		idl_check(idl, &member->in, reply->parameters, reply->error);
	} else if (!reply->error && !strchr(method, '.')) {
		member = idl_find(idl, IDL_METHOD, method);
		assert_non_null(member);
		idl_check(idl, &member->out, reply->parameters, method);
	}
}

void line_call(struct line *line, const char *method, const char *parameters, struct reply *reply)
{
	line_start(line, method, parameters, false);
	if (!line_reply(line, reply))
		fail_msg("%s: the connection was closed", method);
	check(line, method, reply);
}

void line_refused(struct line *line, const char *method, const char *parameters, const char *error,
		  const char *words)
{
	const char *message, *name;
	struct reply reply;

	line_call(line, method, parameters, &reply);
	if (!reply.error)
		fail_msg("%s %s was not refused", method, parameters);
	name = strrchr(reply.error, '.') + 1;
	message = json_string_value(json_object_get(reply.parameters, "message"));
	assert_string_equal(name, error);
	if (*words && (!message || !strstr(message, words)))
		fail_msg("%s: expected '%s', got '%s'", method, words, message ? message : "");
	reply_free(&reply);
}

void line_done(struct line *line, const char *method, const char *parameters)
{
	struct reply reply;

	line_call(line, method, parameters, &reply);
	if (reply.error)
		fail_msg("%s: %s: %s", method, reply.error,
			 json_string_value(json_object_get(reply.parameters, "message")));
	reply_free(&reply);
}
