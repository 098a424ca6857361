/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/session.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/bench.h"
#include "daemon/control/method.h"
#include "daemon/control/stream.h"
#include "daemon/control/trace.h"

/* With more than this unsent no further call is answered and no piece made. */
#define OUT_LOW (256u << 10)

int session_init(struct session *session, struct service *service, bool may_change,
		 void (*wake)(void *data), void *data)
{
	*session = (struct session){
	    .service = service,
	    .may_change = may_change,
	    .frames.limit = may_change ? CODEC_MESSAGE_MAX : CODEC_MESSAGE_SMALL,
	    .change = calloc(1, sizeof(*session->change)),
	    .wake = wake,
	    .data = data,
	};
	if (!session->change)
		return -ENOMEM;
	session->change->session = session;
	return 0;
}

static void change_free(struct change *change)
{
	json_decref(change->reply);
	free(change);
}

void session_finish(struct session *session)
{
	struct session **link = &session->service->monitors;
	bool bulk = session->apply || session->stream;

	bench_session_gone(session);
	trace_session_gone(session);
	while (*link && *link != session)
		link = &(*link)->next_monitor;
	if (*link)
		*link = session->next_monitor;
	if (session->state == SESSION_WAITING)
		session->change->session = NULL; /* change_done() frees it */
	else
		change_free(session->change);
	model_free(session->apply);
	group_stream_free(session->stream);
	buffer_free(&session->frames.in);
	buffer_free(&session->out);
	if (bulk)
		malloc_trim(0);
}

size_t session_room(const struct session *session)
{
	size_t held = buffer_len(&session->frames.in);

	if (session->state != SESSION_READY || buffer_len(&session->out) > OUT_LOW)
		return 0;
	return held > session->frames.limit ? 0 : session->frames.limit + 1 - held;
}

bool session_is_halfway(const struct session *session)
{
	return session->state == SESSION_READY && buffer_len(&session->frames.in);
}

int session_input(struct session *session, const void *data, size_t len)
{
	return buffer_append(&session->frames.in, data, len);
}

static void end_with(struct session *session, const char *error, const char *text)
{
	session->oneway = false;
	session_error(session, error, text);
	session->state = SESSION_ENDING;
	buffer_free(&session->frames.in);
}

static void run_call(struct session *session)
{
	struct codec_error error;
	struct call call;
	const char *text;
	char why[320];
	size_t len;
	int r;

	r = frames_next(&session->frames, &text, &len);
	if (r == 0)
		return;
	if (r < 0) {
		snprintf(why, sizeof(why), "the message is longer than %zu bytes",
			 session->frames.limit);
		end_with(session, "MessageTooLarge", why);
		return;
	}
	r = call_decode(text, len, &call, &error);
	frames_drop(&session->frames, len);
	if (r < 0) {
		snprintf(why, sizeof(why), "the message %s", error.text);
		end_with(session, "MalformedMessage", why);
		return;
	}
	session->calls++;
	session->oneway = call.oneway;
	method_dispatch(session, &call);
	call_free(&call);
	session->wake(session->data);
}

void session_run(struct session *session)
{
	if (buffer_len(&session->out) > OUT_LOW)
		return;
	if (session->state == SESSION_READY)
		run_call(session);
	else if (session->state == SESSION_STREAMING && group_stream_next(session))
		session->wake(session->data);
	else if (session->state == SESSION_BENCHING)
		bench_resume(session);
}

static void send_message(struct session *session, json_t *message)
{
	if (!session->oneway && message_encode(&session->out, message) < 0)
		session->state = SESSION_ENDING; /* no memory: a closed connection tells it */
	json_decref(message);
}

void session_reply(struct session *session, json_t *parameters)
{
	send_message(session, reply_encode(parameters, false));
}

void session_reply_part(struct session *session, json_t *parameters)
{
	send_message(session, reply_encode(parameters, true));
}

void session_error_with(struct session *session, const char *error, json_t *parameters)
{
	char name[128];

	if (!strchr(error, '.')) {
		snprintf(name, sizeof(name), CONTROL_INTERFACE ".%s", error);
		error = name;
	}
	send_message(session, error_encode(error, parameters));
}

void session_error(struct session *session, const char *error, const char *text)
{
	session_error_with(session, error, json_pack("{s:o}", "message", json_text(text)));
}

void session_invalid(struct session *session, const char *field, const char *text)
{
	session_error_with(
	    session, SERVICE_INTERFACE ".InvalidParameter",
	    json_pack("{s:o, s:o}", "parameter", json_text(field), "message", json_text(text)));
}

void session_fault(struct session *session, int error, const struct fault *fault)
{
	static const struct {
		int error;
		const char *name;
	} names[] = {
	    {-EINVAL, "Refused"},     {-ENODEV, "InterfaceUnknown"}, {-ENOENT, "NotFound"},
	    {-EEXIST, "Conflict"},    {-EPERM, "OwnedByConfig"},     {-E2BIG, "LimitReached"},
	    {-ENOMEM, "OutOfMemory"},
	};
	const char *name = "Failed";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].error == error)
			name = names[i].name;
	}
	session_error(session, name, fault && *fault->text ? fault->text : strerror(-error));
}

struct change *session_change(struct session *session, json_t *reply)
{
	session->state = SESSION_WAITING;
	session->change->reply = reply;
	session->change->edited = false;
	return session->change;
}

static void send_failure(struct session *session, bool edited, const char *why)
{
	char text[640];

	snprintf(text, sizeof(text), "%s%s", edited ? "wanted from now on, but not in force: " : "",
		 why);
	session_error(session, "Failed", text);
}

void change_done(int error, const struct fault *fault, void *token)
{
	struct change *change = token;
	struct session *session = change->session;
	json_t *reply = change->reply;

	change->reply = NULL;
	if (change->trim)
		malloc_trim(0);
	change->trim = false;
	if (!session) {
		json_decref(reply);
		free(change);
		return;
	}
	session->state = SESSION_READY;
	if (error) {
		json_decref(reply);
		send_failure(session, error < 0 && change->edited,
			     fault ? fault->text : strerror(abs(error)));
	} else {
		session_reply(session, reply);
	}
	session->wake(session->data);
}

void session_tell(struct session *session, const char *event, const struct group_key *key)
{
	const struct control_backend *backend = session->service->backend;
	char text[GROUP_KEY_TEXT_MAX];

	if (backend->event)
		backend->event(event, "group", group_key_format(key, text), "", backend->data);
}

void session_changed(struct session *session, json_t *reply)
{
	const struct control_backend *backend = session->service->backend;
	struct change *change = session_change(session, reply);

	change->edited = true;
	backend->changed(change_done, change, backend->data);
}
