/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The method table and what handlers share. */
#ifndef XM_CONTROL_METHOD_H
#define XM_CONTROL_METHOD_H

#include "daemon/control/session.h"

enum privilege { PRIVILEGE_READ, PRIVILEGE_CHANGE };

enum field_type {
	FIELD_STRING,
	FIELD_BOOL,
	FIELD_INT, /* 0..FIELD_INT_MAX */
	FIELD_STRINGS,
	FIELD_GROUPS,
	FIELD_INTERFACES,
};
#define FIELD_INT_MAX 1000000

struct field {
	const char *name; /* NULL ends a list */
	enum field_type type;
	bool optional;
};

typedef void (*method_handler)(struct session *session, const struct call *call);

struct method {
	const char *name; /* without the interface */
	enum privilege privilege;
	const struct field *fields;
	bool needs_more; /* refused without `more` */
	method_handler handler;
};

/* io.xmcast.Control, in the order of its description. */
extern const struct method control_methods[];
extern const size_t control_method_count;
/* Elements of FIELD_GROUPS and FIELD_INTERFACES. */
extern const struct field group_fields[], interface_fields[];
/* The text of io.xmcast.Control.varlink and of org.varlink.service. */
extern const char control_description[], service_description[];

/* Finds the method, checks privilege and fields, runs the handler. */
void method_dispatch(struct session *session, const struct call *call);

/*
 * Checks an object against a list. 0, or -EINVAL with the name of the field
 * ("groups[3].from") and what is wrong with it; both only when fault is not NULL.
 */
#define FIELD_NAME_MAX 96
int fields_check(const json_t *object, const struct field *fields, const char *within,
		 char name[static FIELD_NAME_MAX], struct fault *fault);

/* Handlers, by file. */
void method_add_group(struct session *session, const struct call *call); /* method_group.c */
void method_del_group(struct session *session, const struct call *call);
void method_add_egress(struct session *session, const struct call *call); /* method_egress.c */
void method_del_egress(struct session *session, const struct call *call);
void method_add_exclude(struct session *session, const struct call *call);
void method_del_exclude(struct session *session, const struct call *call);
void method_list_groups(struct session *session, const struct call *call);     /* method_list.c */
void method_list_interfaces(struct session *session, const struct call *call); /* method_state.c */
void method_list_wishes(struct session *session, const struct call *call);
void method_stats(struct session *session, const struct call *call);
void method_status(struct session *session, const struct call *call);
void method_monitor(struct session *session, const struct call *call);	   /* monitor.c */
void method_doctor(struct session *session, const struct call *call);	   /* method_doctor.c */
void method_explain(struct session *session, const struct call *call);	   /* method_frame.c */
void method_trace(struct session *session, const struct call *call);	   /* trace.c */
void method_apply_begin(struct session *session, const struct call *call); /* method_apply.c */
void method_apply_add(struct session *session, const struct call *call);
void method_apply_commit(struct session *session, const struct call *call);
void method_reload(struct session *session, const struct call *call); /* method_interface.c */
void method_attach(struct session *session, const struct call *call);
void method_detach(struct session *session, const struct call *call);
void method_reattach(struct session *session, const struct call *call);
void method_bench(struct session *session, const struct call *call); /* bench.c */
void method_bench_stop(struct session *session, const struct call *call);

#endif
