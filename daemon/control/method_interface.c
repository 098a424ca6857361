/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attach, detach, reattach: wishes of interfaces; reload. */
#include <errno.h>
#include <string.h>

#include "daemon/control/json.h"
#include "daemon/control/method.h"

void method_reload(struct session *session, const struct call *call)
{
	const struct control_backend *backend = session->service->backend;

	(void)call;
	backend->reload(change_done, session_change(session, json_object()), backend->data);
}

void method_reattach(struct session *session, const struct call *call)
{
	const struct control_backend *backend = session->service->backend;
	const char *name = json_string_value(json_object_get(call->parameters, "interface"));

	if (!name_is_possible(name) || name_is_pattern(name)) {
		session_invalid(session, "interface", "'interface' is not an interface name");
		return;
	}
	backend->reattach(name, change_done, session_change(session, json_object()), backend->data);
}

static bool is_ingress(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->group_count; i++) {
		if (strcmp(model->groups[i]->key.from, name) == 0)
			return true;
	}
	return false;
}

/* The ingresses of all groups, and with `detached` also what is detached without a group. */
static int all_ingresses(const struct model *model, bool detached, struct names *out)
{
	int r = 0;

	for (size_t i = 0; i < model->group_count && r == 0; i++) {
		const char *from = model->groups[i]->key.from;

		/* neighbours in the sorted list often share it */
		if (!out->count || strcmp(out->name[out->count - 1], from) != 0)
			r = names_add(out, from);
	}
	for (size_t i = 0; detached && i < model->interface_count && r == 0; i++) {
		if (model->interfaces[i].detached)
			r = names_add(out, model->interfaces[i].name);
	}
	return r;
}

/* 1 when the wish changed, 0 when it was so already. */
static int set_detached(struct model *model, const char *name, bool detached, struct fault *fault)
{
	const struct interface_wish *old = model_find_interface(model, name);
	struct interface_wish wish = {};
	int r;

	if (old)
		wish = *old;
	else
		strncpy(wish.name, name, sizeof(wish.name) - 1);
	if (wish.detached == detached)
		return 0;
	wish.detached = detached;
	wish.file = NULL; /* the verb writes a runtime wish, never one of the configuration */
	wish.line = 0;
	r = model_set_interface(model, &wish, fault);
	return r < 0 ? r : 1;
}

/* All or none; `interfaces` gets those that were otherwise before. */
static int set_all(struct model *model, const struct names *names, bool detached,
		   json_t *interfaces, struct fault *fault)
{
	json_t *changed;
	size_t i;
	int r = 0;

	for (i = 0; i < names->count && r >= 0; i++) {
		r = set_detached(model, names->name[i], detached, fault);
		if (r > 0)
			json_array_append_new(interfaces, json_text(names->name[i]));
	}
	if (r >= 0)
		return 0;
	json_array_foreach(interfaces, i, changed)
	    set_detached(model, json_string_value(changed), !detached, NULL);
	return r;
}

static int choose(const struct model *model, const char *name, bool detached, struct names *names,
		  struct fault *fault)
{
	const struct interface_wish *wish = name ? model_find_interface(model, name) : NULL;

	if (!name)
		return all_ingresses(model, !detached, names);
	if (!wish && !is_ingress(model, name))
		return fault_set(fault, -ENOENT,
				 "'%.32s' is not the ingress of a group (xmcastctl list-interfaces "
				 "shows them)",
				 name);
	return names_add(names, name);
}

static void change_attachment(struct session *session, const struct call *call, bool detached)
{
	struct model *model = session->service->backend->model;
	const char *name = json_string_value(json_object_get(call->parameters, "interface"));
	json_t *interfaces = json_array(), *reply;
	struct names names = {};
	struct fault fault = {};
	int r = choose(model, name, detached, &names, &fault);

	if (r == 0)
		r = set_all(model, &names, detached, interfaces, &fault);
	names_free(&names);
	if (r < 0) {
		json_decref(interfaces);
		session_fault(session, r, &fault);
		return;
	}
	reply = json_pack("{s:o}", "interfaces", interfaces);
	if (json_array_size(interfaces))
		session_changed(session, reply);
	else
		session_reply(session, reply);
}

void method_attach(struct session *session, const struct call *call)
{
	change_attachment(session, call, false);
}

void method_detach(struct session *session, const struct call *call)
{
	change_attachment(session, call, true);
}
