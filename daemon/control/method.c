/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The method table and the way from a call to its handler. */
#include "daemon/control/method.h"

#include <stdio.h>
#include <string.h>

static const struct field no_fields[] = {{}};

static const struct field add_group_fields[] = {
    {"address", FIELD_STRING, false}, {"from", FIELD_STRINGS, false},
    {"to", FIELD_STRINGS, false},     {"source", FIELD_STRING, true},
    {"vlan", FIELD_STRING, true},     {"exclude", FIELD_STRINGS, true},
    {"pending", FIELD_BOOL, true},    {},
};

static const struct field del_group_fields[] = {
    {"address", FIELD_STRING, false},
    {"source", FIELD_STRING, true},
    {"vlan", FIELD_STRING, true},
    {"from", FIELD_STRINGS, true},
    {},
};

static const struct field member_fields[] = {
    {"address", FIELD_STRING, false},
    {"interfaces", FIELD_STRINGS, false},
    {"source", FIELD_STRING, true},
    {"vlan", FIELD_STRING, true},
    {"from", FIELD_STRINGS, true},
    {"pending", FIELD_BOOL, true},
    {},
};

static const struct field list_groups_fields[] = {
    {"address", FIELD_STRING, true}, {"source", FIELD_STRING, true},
    {"vlan", FIELD_STRING, true},    {"from", FIELD_STRING, true},
    {"to", FIELD_STRING, true},	     {"origin", FIELD_STRING, true},
    {"state", FIELD_STRING, true},   {},
};

static const struct field explain_fields[] = {
    {"address", FIELD_STRING, false}, {"from", FIELD_STRING, false}, {"source", FIELD_STRING, true},
    {"vlan", FIELD_STRING, true},     {"size", FIELD_INT, true},     {},
};

static const struct field trace_fields[] = {
    {"address", FIELD_STRING, true}, {"from", FIELD_STRING, true}, {"unmatched", FIELD_BOOL, true},
    {"count", FIELD_INT, true},	     {"seconds", FIELD_INT, true}, {},
};

static const struct field doctor_fields[] = {{"interfaces", FIELD_STRINGS, true}, {}};

static const struct field apply_add_fields[] = {
    {"groups", FIELD_GROUPS, false},
    {"interfaces", FIELD_INTERFACES, true},
    {},
};

static const struct field some_interface_fields[] = {{"interface", FIELD_STRING, true}, {}};
static const struct field bench_fields[] = {{"arguments", FIELD_STRINGS, false}, {}};
static const struct field one_interface_fields[] = {{"interface", FIELD_STRING, false}, {}};

const struct method control_methods[] = {
    {"AddGroup", PRIVILEGE_CHANGE, add_group_fields, false, method_add_group},
    {"DelGroup", PRIVILEGE_CHANGE, del_group_fields, false, method_del_group},
    {"AddEgress", PRIVILEGE_CHANGE, member_fields, false, method_add_egress},
    {"DelEgress", PRIVILEGE_CHANGE, member_fields, false, method_del_egress},
    {"AddExclude", PRIVILEGE_CHANGE, member_fields, false, method_add_exclude},
    {"DelExclude", PRIVILEGE_CHANGE, member_fields, false, method_del_exclude},
    {"ListGroups", PRIVILEGE_READ, list_groups_fields, false, method_list_groups},
    {"ListInterfaces", PRIVILEGE_READ, no_fields, false, method_list_interfaces},
    {"ListWishes", PRIVILEGE_READ, no_fields, false, method_list_wishes},
    {"Stats", PRIVILEGE_READ, no_fields, false, method_stats},
    {"Monitor", PRIVILEGE_READ, no_fields, true, method_monitor},
    {"Status", PRIVILEGE_READ, no_fields, false, method_status},
    {"Doctor", PRIVILEGE_READ, doctor_fields, false, method_doctor},
    {"Explain", PRIVILEGE_READ, explain_fields, false, method_explain},
    {"Trace", PRIVILEGE_CHANGE, trace_fields, true, method_trace},
    {"ApplyBegin", PRIVILEGE_CHANGE, no_fields, false, method_apply_begin},
    {"ApplyAdd", PRIVILEGE_CHANGE, apply_add_fields, false, method_apply_add},
    {"ApplyCommit", PRIVILEGE_CHANGE, no_fields, false, method_apply_commit},
    {"Reload", PRIVILEGE_CHANGE, no_fields, false, method_reload},
    {"Attach", PRIVILEGE_CHANGE, some_interface_fields, false, method_attach},
    {"Detach", PRIVILEGE_CHANGE, some_interface_fields, false, method_detach},
    {"Reattach", PRIVILEGE_CHANGE, one_interface_fields, false, method_reattach},
    {"Bench", PRIVILEGE_CHANGE, bench_fields, true, method_bench},
    {"BenchStop", PRIVILEGE_CHANGE, no_fields, false, method_bench_stop},
};
const size_t control_method_count = sizeof(control_methods) / sizeof(*control_methods);

static void get_info(struct session *session, const struct call *call)
{
	(void)call;
	session_reply(session, json_pack("{s:s, s:s, s:s, s:s, s:[s, s]}", "vendor", "xmcast",
					 "product", "xmcastd", "version", XM_VERSION, "url", "",
					 "interfaces", SERVICE_INTERFACE, CONTROL_INTERFACE));
}

static void get_interface_description(struct session *session, const struct call *call)
{
	const char *name = json_string_value(json_object_get(call->parameters, "interface"));
	const char *text = NULL;

	if (strcmp(name, CONTROL_INTERFACE) == 0)
		text = control_description;
	else if (strcmp(name, SERVICE_INTERFACE) == 0)
		text = service_description;
	if (text)
		session_reply(session, json_pack("{s:s}", "description", text));
	else
		session_error_with(session, SERVICE_INTERFACE ".InterfaceNotFound",
				   json_pack("{s:s}", "interface", name));
}

static const struct method service_methods[] = {
    {"GetInfo", PRIVILEGE_READ, no_fields, false, get_info},
    {"GetInterfaceDescription", PRIVILEGE_READ, one_interface_fields, false,
     get_interface_description},
};

static const struct method *find_method(const struct method *methods, size_t count,
					const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	}
	return NULL;
}

/* True, and *name is what stands behind "INTERFACE.", when `method` belongs to it. */
static bool of_interface(const char *method, const char *interface, const char **name)
{
	size_t len = strlen(interface);

	if (strncmp(method, interface, len) != 0 || method[len] != '.' ||
	    strchr(method + len + 1, '.'))
		return false;
	*name = method + len + 1;
	return true;
}

/* NULL after the error was sent. */
static const struct method *resolve(struct session *session, const char *called)
{
	const struct method *method = NULL;
	const char *dot = strrchr(called, '.');
	const char *name;

	if (of_interface(called, CONTROL_INTERFACE, &name)) {
		method = find_method(control_methods, control_method_count, name);
	} else if (of_interface(called, SERVICE_INTERFACE, &name)) {
		method = find_method(service_methods,
				     sizeof(service_methods) / sizeof(*service_methods), name);
	} else {
		session_error_with(session, SERVICE_INTERFACE ".InterfaceNotFound",
				   json_pack("{s:s%}", "interface", called,
					     dot ? (size_t)(dot - called) : strlen(called)));
		return NULL;
	}
	if (!method)
		session_error_with(session, SERVICE_INTERFACE ".MethodNotFound",
				   json_pack("{s:s}", "method", called));
	return method;
}

static void session_denied(struct session *session, const char *method)
{
	char text[96];

	snprintf(text, sizeof(text), "%s needs root%s", method,
		 strncmp(method, "Bench", strlen("Bench")) ? " or a member of the group xmcast"
							   : "");
	session_error(session, SERVICE_INTERFACE ".PermissionDenied", text);
}

void method_dispatch(struct session *session, const struct call *call)
{
	const struct method *method = resolve(session, call->method);
	char name[FIELD_NAME_MAX];
	struct fault fault;

	if (!method)
		return;
	if (method->privilege == PRIVILEGE_CHANGE && !session->may_change)
		session_denied(session, method->name);
	else if (fields_check(call->parameters, method->fields, "", name, &fault) < 0)
		session_invalid(session, name, fault.text);
	else if (call->upgrade)
		session_error(session, "Refused", "no method of this service can upgrade");
	else if (method->needs_more && !call->more)
		session_error(session, SERVICE_INTERFACE ".ExpectedMore",
			      "this method sends many replies: call it with 'more'");
	else
		method->handler(session, call);
}
