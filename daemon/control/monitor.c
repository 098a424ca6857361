/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/monitor.h"

#include <string.h>

#include "daemon/control/method.h"

#define MONITOR_UNREAD (256u << 10) /* bytes of events that may wait for a slow reader */

void method_monitor(struct session *session, const struct call *call)
{
	struct service *service = session->service;

	(void)call;
	session->state = SESSION_MONITORING;
	session->next_monitor = service->monitors;
	service->monitors = session;
	/* tells the peer that no event from here on will be missed */
	session_reply_part(session, json_pack("{s:s}", "event", "monitoring"));
}

void monitor_event(struct service *service, const char *event, const char *key, const char *value,
		   const char *detail)
{
	for (struct session *session = service->monitors; session;
	     session = session->next_monitor) {
		json_t *object;

		if (session->state != SESSION_MONITORING)
			continue;
		object = json_pack("{s:s}", "event", event);
		if (object && key && value)
			json_object_set_new(object, key, json_text(value));
		if (object && detail && *detail)
			json_object_set_new(object,
					    strcmp(event, "not-ready") ? "detail" : "reason",
					    json_text(detail));
		session_reply_part(session, object);
		if (buffer_len(&session->out) > MONITOR_UNREAD) {
			buffer_free(&session->out);
			session->state = SESSION_ENDING;
		}
		session->wake(session->data);
	}
}
