/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way of one frame: explain. */
#include <errno.h>
#include <string.h>

#include "daemon/control/json.h"
#include "daemon/control/method.h"
#include "daemon/control/words.h"

static int decode(const json_t *parameters, struct frame_wish *out, const char **name,
		  struct fault *fault)
{
	const char *from = json_string_value(json_object_get(parameters, "from"));
	struct words words;
	int r = words_decode(parameters, &words, name, fault);

	if (!r && strlen(from) >= IF_NAMESIZE) {
		*name = "from";
		r = fault_set(fault, -EINVAL, "'%.32s' is not the name of an interface", from);
	}
	if (!r) {
		*out = (struct frame_wish){
		    .address = words.address,
		    .source = words.source,
		    .vlan = words.vlan,
		    .size = json_integer_value(json_object_get(parameters, "size"))};
		strcpy(out->from, from);
	}
	words_free(&words);
	return r;
}

void method_explain(struct session *session, const struct call *call)
{
	const struct control_backend *backend = session->service->backend;
	struct frame_report report;
	struct frame_wish wish;
	const char *name = "address";
	struct fault fault;
	int r = decode(call->parameters, &wish, &name, &fault);

	if (r < 0) {
		session_invalid(session, name, fault.text);
		return;
	}
	r = backend->explain(&wish, &report, &fault, backend->data);
	if (r < 0)
		session_fault(session, r, &fault);
	else
		session_reply(session, json_pack("{s:o}", "frame", json_frame(&report)));
}
