/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Varlink messages: one JSON object and a NUL byte. Knows no sockets; the daemon and the
 * CLI both use it. See https://varlink.org/Method-Call.
 */
#ifndef XM_CONTROL_CODEC_H
#define XM_CONTROL_CODEC_H

#include <jansson.h>
#include <stdbool.h>

#include "daemon/control/buffer.h"

#define CONTROL_INTERFACE "io.xmcast.Control"
#define SERVICE_INTERFACE "org.varlink.service"
#define CONTROL_SOCKET	  "io.xmcast.Control" /* file name in the runtime directory */

#define CODEC_MESSAGE_MAX   (1u << 20)	/* bytes of one message without its NUL */
#define CODEC_MESSAGE_SMALL (64u << 10) /* the same for peers that may only read */
#define CODEC_GROUPS_MAX    1000	/* groups in one ApplyAdd or one reply of ListGroups */
/*
 * What one call may hold. The deepest legal one is { parameters { groups [ { from [] } ] } }. An
 * empty container costs its sender 3 bytes and jansson about 200: a full ApplyAdd has 4 per group.
 */
#define CODEC_DEPTH_MAX	     8
#define CODEC_CONTAINERS_MAX 8192
#define CODEC_VALUES_MAX     131072

struct codec_error {
	char text[256]; /* one line, valid UTF-8 */
};

/* Incoming bytes, cut at NUL. `limit`: longest message in bytes. All zero but limit is empty. */
struct frames {
	struct buffer in;
	size_t scanned; /* bytes of `in` known to hold no NUL */
	size_t limit;
};
/*
 * The next whole message: 1, with *text (NUL-terminated, valid until frames_drop()) and its
 * length; 0 when more bytes are needed; -EMSGSIZE when it is longer than the limit.
 */
int frames_next(struct frames *frames, const char **text, size_t *len);
/* Takes the message that frames_next() gave, `len` bytes and the NUL. */
void frames_drop(struct frames *frames, size_t len);

/* Appends message and NUL. 0, -ENOMEM (also for message == NULL). */
int message_encode(struct buffer *out, const json_t *message);

struct call {
	const char *method; /* of `root` */
	json_t *parameters; /* of `root`; an object */
	bool oneway, more, upgrade;
	json_t *root; /* owned: call_free() */
};
/* 0; -EBADMSG with error, also for one that holds more than the numbers above. */
int call_decode(const char *text, size_t len, struct call *out, struct codec_error *error);
void call_free(struct call *call);
/* Takes `parameters` (may be NULL). */
json_t *call_encode(const char *method, json_t *parameters, bool more);

struct reply {
	const char *error;  /* of `root`; NULL: it worked */
	json_t *parameters; /* of `root`; an object */
	bool continues;
	json_t *root; /* owned: reply_free() */
};
int reply_decode(const char *text, size_t len, struct reply *out, struct codec_error *error);
void reply_free(struct reply *reply);
/* Take `parameters`; NULL when it was NULL (out of memory) already. */
json_t *reply_encode(json_t *parameters, bool continues);
json_t *error_encode(const char *error, json_t *parameters);

/* A JSON string of any bytes: what is not UTF-8 becomes '?'. */
json_t *json_text(const char *text);
/* The same, null for "" and NULL. */
json_t *json_text_or_null(const char *text);

#endif
