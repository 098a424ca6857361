/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/trace.h"

#include <errno.h>
#include <string.h>

#include "daemon/control/json.h"
#include "daemon/control/method.h"
#include "daemon/control/words.h"

#define UNREAD_MAX  (256u << 10) /* bytes of frames that may wait for a slow reader */
#define COUNT	    10
#define COUNT_MAX   10000
#define SECONDS	    60
#define SECONDS_MAX 3600

static void on_frame(const struct frame_report *report, void *token)
{
	struct service *service = token;
	struct session *session = service->tracer;

	if (session->state != SESSION_TRACING)
		return;
	session_reply_part(session, json_pack("{s:o}", "frame", json_frame(report)));
	if (buffer_len(&session->out) > UNREAD_MAX) {
		buffer_free(&session->out);
		session->state = SESSION_ENDING; /* closing it ends the trace */
	}
	session->wake(session->data);
}

static void on_done(unsigned int frames, const char *why, void *token)
{
	struct service *service = token;
	struct session *session = service->tracer;

	service->tracer = NULL;
	if (session->state != SESSION_TRACING)
		return;
	session->state = SESSION_READY;
	session_reply(session, json_pack("{s:i, s:s}", "frames", (int)frames, "ended", why));
	session->wake(session->data);
}

void trace_session_gone(struct session *session)
{
	struct service *service = session->service;

	if (service->tracer != session)
		return;
	service->tracer = NULL;
	service->backend->trace_stop(service->backend->data);
}

/* Leaves *out as it is when the parameter is not given. */
static int number(const json_t *parameters, const char *key, unsigned int max, unsigned int *out,
		  struct fault *fault)
{
	const json_t *value = json_object_get(parameters, key);

	if (!json_is_integer(value))
		return 0;
	if (json_integer_value(value) < 1 || json_integer_value(value) > max)
		return fault_set(fault, -EINVAL, "'%s' must be an integer of 1 to %u", key, max);
	*out = json_integer_value(value);
	return 0;
}

static int decode(const json_t *parameters, struct trace_wish *out, const char **name,
		  struct fault *fault)
{
	const char *from = json_string_value(json_object_get(parameters, "from"));
	const char *address = json_string_value(json_object_get(parameters, "address"));

	*out = (struct trace_wish){
	    .unmatched = json_is_true(json_object_get(parameters, "unmatched")),
	    .count = COUNT,
	    .seconds = SECONDS,
	};
	*name = "count";
	if (number(parameters, *name, COUNT_MAX, &out->count, fault))
		return -EINVAL;
	*name = "seconds";
	if (number(parameters, *name, SECONDS_MAX, &out->seconds, fault))
		return -EINVAL;
	*name = "from";
	if (from && strlen(from) >= IF_NAMESIZE)
		return fault_set(fault, -EINVAL, "'%.32s' is not the name of an interface", from);
	if (from)
		strcpy(out->from, from);
	*name = "address";
	if (!address && !out->unmatched)
		return fault_set(fault, -EINVAL,
				 "which frames? Name an address or prefix, or `unmatched`");
	return address ? words_address(address, &out->address, fault) : 0;
}

void method_trace(struct session *session, const struct call *call)
{
	struct service *service = session->service;
	const struct control_backend *backend = service->backend;
	struct trace_wish wish;
	struct fault fault;
	const char *name;
	int r = decode(call->parameters, &wish, &name, &fault);

	if (r < 0) {
		session_invalid(session, name, fault.text);
		return;
	}
	if (service->tracer) {
		session_error(session, "Refused", "somebody traces already: one at a time");
		return;
	}
	wish.frame = on_frame;
	wish.done = on_done;
	wish.token = service;
	r = backend->trace(&wish, &fault, backend->data);
	if (r < 0) {
		session_fault(session, r, &fault);
		return;
	}
	service->tracer = session;
	session->state = SESSION_TRACING;
	session_reply_part(session, json_object()); /* from here on none is missed */
	session->wake(session->data);
}
