/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "daemon/control/select.h"
#include "daemon/control/warnings.h"

/* 0 added, 1 all were there, negative: nothing was added. */
static int add_groups(struct model *model, const struct words *words, struct fault *fault)
{
	struct group group = words_group(words, "");

	return model_add_groups(model, &group, &words->from, fault);
}

static int check_groups(const struct control_backend *backend, const struct words *words,
			struct warnings *warnings, struct fault *fault)
{
	for (size_t i = 0; i < words->from.count; i++) {
		struct group group = words_group(words, words->from.name[i]);
		int r = backend->check_group(&group, words_check(words), warnings_add, warnings,
					     fault, backend->data);

		if (r < 0)
			return r;
	}
	return 0;
}

static void tell_added(struct session *session, const struct words *words)
{
	for (size_t i = 0; i < words->from.count; i++) {
		const struct group group = words_group(words, words->from.name[i]);

		session_tell(session, "group-added", &group.key);
	}
}

void method_add_group(struct session *session, const struct call *call)
{
	const struct control_backend *backend = session->service->backend;
	struct warnings warnings = {};
	const char *name;
	struct fault fault = {};
	struct words words;
	json_t *reply;
	int r;

	if (words_decode(call->parameters, &words, &name, &fault) < 0) {
		session_invalid(session, name, fault.text);
	} else if (!words.from.count || !words.to.count) {
		session_invalid(session, words.from.count ? "to" : "from",
				"a group needs at least one ingress (from) and one egress (to)");
	} else if ((r = check_groups(backend, &words, &warnings, &fault)) < 0 ||
		   (r = add_groups(backend->model, &words, &fault)) < 0) {
		session_fault(session, r, &fault);
	} else {
		reply = json_pack("{s:s, s:o}", "result", r ? "unchanged" : "added", "warnings",
				  warnings_take(&warnings));
		if (r) {
			session_reply(session, reply);
		} else {
			tell_added(session, &words);
			session_changed(session, reply);
		}
	}
	warnings_free(&warnings);
	words_free(&words);
}

void method_del_group(struct session *session, const struct call *call)
{
	struct model *model = session->service->backend->model;
	struct selection selection = {};
	const char *name;
	struct fault fault = {};
	struct words words;
	int r = 0;

	if (words_decode(call->parameters, &words, &name, &fault) < 0) {
		session_invalid(session, name, fault.text);
	} else if (select_groups(session, &words, &selection) == 0) {
		for (size_t i = 0; i < selection.count && r == 0; i++) {
			r = model_del_group(model, &selection.keys[i], &fault);
			if (r == 0)
				session_tell(session, "group-deleted", &selection.keys[i]);
		}
		if (r < 0)
			session_fault(session, r, &fault);
		else
			session_changed(session, json_object());
	}
	selection_free(&selection);
	words_free(&words);
}
