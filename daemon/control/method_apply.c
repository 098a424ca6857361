/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ApplyBegin, ApplyAdd.., ApplyCommit: the groups gather in a model of the session's own, so
 * that nothing is changed before the commit and a lost connection leaves no trace.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "daemon/control/warnings.h"
#include "daemon/control/words.h"

static void abort_apply(struct session *session)
{
	model_free(session->apply);
	session->apply = NULL;
}

void method_apply_begin(struct session *session, const struct call *call)
{
	(void)call;
	abort_apply(session);
	session->apply = model_new();
	if (!session->apply) {
		session_fault(session, -ENOMEM, NULL);
		return;
	}
	session->apply->limits = session->service->backend->model->limits;
	session->apply->enforce = session->service->backend->model->enforce;
	session_reply(session, json_object());
}

/* What the interfaces allow does not depend on the address: asked once for all of them. */
static int check_once(const struct control_backend *backend, const struct words *words,
		      struct warnings *warnings, struct fault *fault)
{
	int r = 0;

	for (size_t i = 0; i < words->from.count && r >= 0; i++) {
		struct group group = words_group(words, words->from.name[i]);

		/* like a file, it may name interfaces that come later */
		r = backend->check_group(&group, CHECK_APPLIED, warnings_add, warnings, fault,
					 backend->data);
	}
	return r;
}

/* One of `addresses`. */
static int add_address(struct model *model, struct words *words, const char *address,
		       struct fault *fault)
{
	struct group group;
	int r = words_address(address, &words->address, fault);

	if (r < 0)
		return r;
	group = words_group(words, "");
	r = model_add_groups(model, &group, &words->from, fault);
	return r < 0 ? r : 0;
}

static int add_addresses(struct session *session, const json_t *addresses, struct words *words,
			 struct warnings *warnings, struct fault *fault)
{
	const struct control_backend *backend = session->service->backend;
	const char *first = json_string_value(json_array_get(addresses, 0));
	size_t i;
	json_t *address;
	int r = first ? words_address(first, &words->address, fault) : 0;

	if (r == 0)
		r = check_once(backend, words, warnings, fault);
	json_array_foreach((json_t *)addresses, i, address)
	{
		if (r < 0)
			break;
		r = add_address(session->apply, words, json_string_value(address), fault);
	}
	return r;
}

static int add_groups(struct session *session, const json_t *object, size_t index,
		      struct warnings *warnings, struct fault *fault)
{
	char path[FIELD_NAME_MAX];
	struct words words;
	const char *name;
	int r = words_decode(object, &words, &name, fault);

	if (r < 0) {
		snprintf(path, sizeof(path), "groups[%zu].%.32s", index, name);
		session_invalid(session, path, fault->text);
	} else if (!words.from.count || !words.to.count) {
		r = -EINVAL;
		snprintf(path, sizeof(path), "groups[%zu].%s", index,
			 words.from.count ? "to" : "from");
		session_invalid(session, path,
				"a group needs an ingress (from) and an egress (to)");
	} else {
		r = add_addresses(session, json_object_get(object, "addresses"), &words, warnings,
				  fault);
		if (r < 0)
			session_fault(session, r, fault);
	}
	words_free(&words);
	return r;
}

static int decode_wish(const json_t *object, struct interface_wish *wish, struct fault *fault)
{
	const char *name = json_string_value(json_object_get(object, "interface"));
	const char *mode = json_string_value(json_object_get(object, "mode"));

	if (!*name || strlen(name) >= sizeof(wish->name))
		return fault_set(fault, -EINVAL, "'%.32s' is not an interface name", name);
	strcpy(wish->name, name);
	wish->detached = json_is_true(json_object_get(object, "detached"));
	if (mode && mode_parse(mode, &wish->mode) < 0)
		return fault_set(fault, -EINVAL, "mode '%.32s' is not auto, native or generic",
				 mode);
	return words_names(json_object_get(object, "exclude"), &wish->exclude, "exclude", fault);
}

static int add_interface(struct session *session, const json_t *object, struct fault *fault)
{
	struct interface_wish wish = {};
	int r = decode_wish(object, &wish, fault);

	if (r < 0) {
		session_invalid(session, "interfaces", fault->text);
	} else {
		r = model_set_interface(session->apply, &wish, fault);
		if (r < 0)
			session_fault(session, r, fault);
	}
	names_free(&wish.exclude);
	return r;
}

/* 0, or negative after the error was sent. Interfaces first: their excludes shape the sets. */
static int add_all(struct session *session, const struct call *call, struct warnings *warnings)
{
	const json_t *groups = json_object_get(call->parameters, "groups");
	const json_t *interfaces = json_object_get(call->parameters, "interfaces");
	struct fault fault = {};
	size_t i;
	json_t *item;
	int r = 0;

	json_array_foreach((json_t *)interfaces, i, item)
	{
		r = add_interface(session, item, &fault);
		if (r < 0)
			return r;
	}
	json_array_foreach((json_t *)groups, i, item)
	{
		r = add_groups(session, item, i, warnings, &fault);
		if (r < 0)
			return r;
	}
	return 0;
}

static size_t count_groups(const json_t *groups)
{
	size_t count = 0, i;
	json_t *item;

	json_array_foreach((json_t *)groups, i, item) count +=
	    json_array_size(json_object_get(item, "addresses")) *
	    json_array_size(json_object_get(item, "from"));
	return count;
}

void method_apply_add(struct session *session, const struct call *call)
{
	struct warnings warnings = {};

	if (!session->apply) {
		session_error(session, "Refused", "ApplyAdd without ApplyBegin on this connection");
		return;
	}
	if (count_groups(json_object_get(call->parameters, "groups")) > CODEC_GROUPS_MAX) {
		session_invalid(session, "groups", "more than 1000 groups in one ApplyAdd");
		return;
	}
	if (add_all(session, call, &warnings) == 0)
		session_reply(session, json_pack("{s:o}", "warnings", warnings_take(&warnings)));
	else
		abort_apply(session);
	warnings_free(&warnings);
}

void method_apply_commit(struct session *session, const struct call *call)
{
	struct model *model = session->service->backend->model;
	struct fault fault = {};
	size_t groups;
	int r;

	(void)call;
	if (!session->apply) {
		session_error(session, "Refused",
			      "ApplyCommit without ApplyBegin on this connection");
		return;
	}
	groups = session->apply->group_count;
	r = model_replace(model, session->apply, false, &fault);
	abort_apply(session);
	malloc_trim(0); /* before the kernel's turn, which needs memory of its own */
	if (r < 0) {
		session_fault(session, r, &fault);
		return;
	}
	session->change->trim = true;
	session_changed(session, json_pack("{s:I}", "groups", (json_int_t)groups));
}
