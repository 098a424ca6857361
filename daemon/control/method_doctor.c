/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "daemon/control/json.h"
#include "daemon/control/method.h"
#include "daemon/control/words.h"

static int append(const struct finding *finding, void *array)
{
	static const char *const levels[] = {"ok", "warning", "problem"};
	json_t *object = json_pack("{s:s, s:o, s:s, s:o, s:o}", "check", finding->check, "subject",
				   json_text_or_null(finding->subject), "level",
				   levels[finding->level], "text", json_text_or_null(finding->text),
				   "remedy", json_text_or_null(finding->remedy));

	return json_array_append_new(array, object) < 0 ? -ENOMEM : 0;
}

void method_doctor(struct session *session, const struct call *call)
{
	const struct control_backend *backend = session->service->backend;
	struct names interfaces = {};
	json_t *findings = json_array();
	struct doctor_wish wish = {.interfaces = &interfaces, .finding = append, .token = findings};
	struct fault fault;
	int r = words_names(json_object_get(call->parameters, "interfaces"), &interfaces,
			    "interfaces", &fault);

	if (r < 0) {
		json_decref(findings);
		session_invalid(session, "interfaces", fault.text);
		return;
	}
	r = findings ? backend->doctor(&wish, backend->data) : -ENOMEM;
	names_free(&interfaces);
	if (r < 0) {
		json_decref(findings);
		session_fault(session, r, NULL);
		return;
	}
	session_reply(session, json_pack("{s:o}", "findings", findings));
}
