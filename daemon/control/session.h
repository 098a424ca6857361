/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One conversation: bytes in, bytes out, no sockets. It answers one call at a time; the next
 * one waits in `in` until the reply of the last is on its way out, so that a peer that does not
 * read cannot make the daemon work or remember.
 *
 *   READY      takes the next call
 *   WAITING    a change is on its way to the kernel; change_done() ends it
 *   STREAMING  session_run() makes another piece whenever `out` has run low
 *   MONITORING control_event() appends; ends with the connection
 *   TRACING    frames are appended as they come; ends with the last one, or the connection
 *   BENCHING   what xmcast-bench says is appended, until its last word
 *   ENDING     sends what is in `out`, then closes
 */
#ifndef XM_CONTROL_SESSION_H
#define XM_CONTROL_SESSION_H

#include "daemon/control/codec.h"
#include "daemon/control/control.h"

struct session;
struct bench;

/* What all sessions of a daemon share. */
struct service {
	const struct control_backend *backend;
	struct session *monitors; /* a list by next_monitor; not owned */
	struct session *tracer;	  /* who traces; not owned */
	struct bench *bench;	  /* NULL only where nothing can be measured: tests */
};

enum session_state {
	SESSION_READY,
	SESSION_WAITING,
	SESSION_STREAMING,
	SESSION_MONITORING,
	SESSION_TRACING,
	SESSION_BENCHING,
	SESSION_ENDING,
};

/*
 * The token of backend->changed(). It outlives the session when the peer vanishes while the
 * backend works; then change_done() frees it.
 */
struct change {
	struct session *session; /* NULL: vanished */
	json_t *reply;		 /* parameters of the reply when it worked; owned */
	bool edited;		 /* the model is changed, whatever the kernel does */
	bool trim;		 /* bulk: give freed memory back to the system */
};

struct session {
	struct service *service;
	bool may_change; /* root or group xmcast */
	bool is_root;
	enum session_state state;
	bool oneway; /* the call being answered wants no reply */
	struct frames frames;
	struct buffer out;
	unsigned long calls; /* that were taken */
	struct change *change;
	struct model *apply;	     /* between ApplyBegin and ApplyCommit; owned */
	struct group_stream *stream; /* STREAMING; owned */
	struct session *next_monitor;
	void (*wake)(void *data); /* call session_run() soon: there is something to do */
	void *data;
};

/* 0 or -ENOMEM. session_finish() what was begun. */
int session_init(struct session *session, struct service *service, bool may_change,
		 void (*wake)(void *data), void *data);
void session_finish(struct session *session);

/*
 * Appends what the peer sent, at most session_room() bytes. 0 or -ENOMEM. Then call
 * session_run().
 */
int session_input(struct session *session, const void *data, size_t len);
size_t session_room(const struct session *session);
/* True while a message, perhaps half of one, waits in the buffer and nothing else is done. */
bool session_is_halfway(const struct session *session);
/* Answers at most one call, or makes one piece of a stream, then calls wake() for more. */
void session_run(struct session *session);

/* Tells the backend of what this peer has changed in a group: "group-added", .. */
void session_tell(struct session *session, const char *event, const struct group_key *key);

/* For handlers: each calls exactly one of these, once. All take their JSON. */
void session_reply(struct session *session, json_t *parameters);
void session_reply_part(struct session *session, json_t *parameters);
/* `text` becomes the parameter `message`. `error` without its interface is one of ours. */
void session_error(struct session *session, const char *error, const char *text);
/* The same, with more parameters. */
void session_error_with(struct session *session, const char *error, json_t *parameters);
/* org.varlink.service.InvalidParameter for `field`. */
void session_invalid(struct session *session, const char *field, const char *text);
/* Picks the error's name by the negative errno of a function that filled `fault`. */
void session_fault(struct session *session, int error, const struct fault *fault);
/* WAITING from now on: gives the token and change_done() to the backend. */
struct change *session_change(struct session *session, json_t *reply);
/* A control_done. */
void change_done(int error, const struct fault *fault, void *token);
/* The model was edited: session_change() and backend->changed(). */
void session_changed(struct session *session, json_t *reply);

#endif
