/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is: interfaces, sums, the daemon itself. */
#include "daemon/control/json.h"
#include "daemon/control/method.h"

static int append_interface(const struct interface_report *report, void *array)
{
	return json_array_append_new(array, json_interface(report));
}

void method_list_interfaces(struct session *session, const struct call *call)
{
	const struct control_backend *backend = session->service->backend;
	json_t *interfaces = json_array();
	int r = 0;

	(void)call;
	if (interfaces)
		r = backend->each_interface(append_interface, interfaces, backend->data);
	if (r < 0) {
		json_decref(interfaces);
		session_fault(session, r, NULL);
		return;
	}
	session_reply(session, json_pack("{s:o}", "interfaces", interfaces));
}

/* What was wished at run time, as ApplyAdd takes it. */
void method_list_wishes(struct session *session, const struct call *call)
{
	const struct model *model = session->service->backend->model;
	json_t *interfaces = json_array();

	(void)call;
	for (size_t i = 0; interfaces && i < model->interface_count; i++) {
		const struct interface_wish *wish = &model->interfaces[i];

		if (!wish->file)
			json_array_append_new(interfaces, json_wish(wish));
	}
	session_reply(session, json_pack("{s:o}", "interfaces", interfaces));
}

void method_stats(struct session *session, const struct call *call)
{
	const struct control_backend *backend = session->service->backend;
	struct stats_report report = {};
	int r = backend->stats(&report, backend->data);

	(void)call;
	if (r < 0)
		session_fault(session, r, NULL);
	else
		session_reply(session, json_stats(&report));
}

void method_status(struct session *session, const struct call *call)
{
	const struct control_backend *backend = session->service->backend;
	struct status_report report = {};
	int r = backend->status(&report, backend->data);

	(void)call;
	if (r < 0)
		session_fault(session, r, NULL);
	else
		session_reply(session, json_status(&report));
}
