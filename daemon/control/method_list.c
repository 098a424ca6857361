/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/json.h"
#include "daemon/control/stream.h"
#include "daemon/control/words.h"

#define PIECE_TEXT  (64u << 10) /* bytes of groups in one of many replies, more or less */
#define SINGLE_TEXT (1u << 20)	/* the same in the only reply */
#define LOOK_AT	    512		/* groups looked at before others have their turn */

static const char head[] = "{\"parameters\":{\"groups\":[";

struct group_stream {
	struct words filter;
	char *from, *to, *origin, *state; /* filters; NULL: any */
	bool more;
	bool begun;	       /* `last` is valid */
	struct group_key last; /* the last group looked at */
	struct buffer piece;   /* of the reply being made */
	size_t in_piece;
};

void group_stream_free(struct group_stream *stream)
{
	if (!stream)
		return;
	words_free(&stream->filter);
	free(stream->from);
	free(stream->to);
	free(stream->origin);
	free(stream->state);
	buffer_free(&stream->piece);
	free(stream);
}

static bool overlap(const struct prefix *a, const struct prefix *b)
{
	return prefix_contains(a, b) || prefix_contains(b, a);
}

static bool wanted(const struct group_stream *stream, const struct group *group)
{
	const struct words *filter = &stream->filter;
	struct words key = *filter;

	key.has_address = false;
	if (filter->has_address && !overlap(&filter->address, &group->key.address))
		return false;
	if (stream->from && strcmp(stream->from, group->key.from) != 0)
		return false;
	if (stream->to && !names_match(&group->to, stream->to) &&
	    !names_have(&group->to, stream->to))
		return false;
	if (stream->origin && strcmp(stream->origin, group->file ? "config" : "runtime") != 0)
		return false;
	return words_match(&key, &group->key);
}

/* Index of the first group behind `last`: groups may have come and gone since. */
static size_t resume(const struct group_stream *stream, const struct model *model)
{
	size_t low = 0, high = stream->begun ? model->group_count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (group_key_compare(&model->groups[middle]->key, &stream->last) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int dump(const char *text, size_t len, void *piece)
{
	return buffer_append(piece, text, len);
}

static int add_group(struct group_stream *stream, const struct control_backend *backend,
		     const struct group *group)
{
	struct group_report report = {};
	json_t *object;
	int r = backend->group_report(group, &report, backend->data);

	if (r < 0 || (stream->state && strcmp(stream->state, report.state) != 0))
		return r;
	object = json_group(&report);
	if (!object)
		return -ENOMEM;
	r = buffer_append(&stream->piece, stream->in_piece ? "," : head,
			  stream->in_piece ? 1 : sizeof(head) - 1);
	if (r == 0 && json_dump_callback(object, dump, &stream->piece, JSON_COMPACT) < 0)
		r = -ENOMEM;
	json_decref(object);
	stream->in_piece++;
	return r;
}

static int send_piece(struct session *session, bool continues)
{
	static const char more[] = "]},\"continues\":true}", last[] = "]}}";
	struct group_stream *stream = session->stream;
	struct buffer *piece = &stream->piece;
	int r = 0;

	if (!stream->in_piece)
		r = buffer_append(piece, head, sizeof(head) - 1);
	if (r == 0)
		r = continues ? buffer_append(piece, more, sizeof(more))
			      : buffer_append(piece, last, sizeof(last));
	if (r == 0 && !session->oneway)
		r = buffer_append(&session->out, piece->data + piece->start, buffer_len(piece));
	buffer_drop(piece, buffer_len(piece));
	stream->in_piece = 0;
	return r;
}

static bool end(struct session *session, int r)
{
	bool trim = session->stream->more;

	group_stream_free(session->stream);
	session->stream = NULL;
	session->state = r < 0 ? SESSION_ENDING : SESSION_READY;
	if (trim)
		malloc_trim(0);
	session->wake(session->data);
	return false;
}

static bool is_full(const struct group_stream *stream)
{
	return stream->in_piece >= CODEC_GROUPS_MAX ||
	       buffer_len(&stream->piece) >= (stream->more ? PIECE_TEXT : SINGLE_TEXT);
}

bool group_stream_next(struct session *session)
{
	const struct control_backend *backend = session->service->backend;
	const struct model *model = backend->model;
	struct group_stream *stream = session->stream;
	size_t i;
	int r = 0;

	model_settle(model);
	i = resume(stream, model);
	for (int looked = 0; i < model->group_count && looked < LOOK_AT; i++, looked++) {
		if (is_full(stream))
			break;
		if (wanted(stream, model->groups[i]))
			r = add_group(stream, backend, model->groups[i]);
		if (r < 0)
			return end(session, r);
		stream->last = model->groups[i]->key;
		stream->begun = true;
	}
	if (i == model->group_count)
		return end(session, send_piece(session, false));
	if (!is_full(stream))
		return true;
	if (stream->more) {
		r = send_piece(session, true);
		return r < 0 ? end(session, r) : true;
	}
	session_error(session, SERVICE_INTERFACE ".ExpectedMore",
		      "more groups than fit in one reply: call it with 'more'");
	return end(session, 0);
}

/* False: no memory. */
static bool copy_string(const json_t *parameters, const char *key, char **out)
{
	const char *text = json_string_value(json_object_get(parameters, key));

	*out = text ? strdup(text) : NULL;
	return *out || !text;
}

static bool copy_filter(const json_t *parameters, struct group_stream *stream)
{
	return copy_string(parameters, "from", &stream->from) &&
	       copy_string(parameters, "origin", &stream->origin) &&
	       copy_string(parameters, "state", &stream->state) &&
	       copy_string(parameters, "to", &stream->to);
}

/* A filter that nothing could ever pass is a mistake. */
static int check_word(const json_t *parameters, const char *key, const char *known,
		      struct fault *fault)
{
	const char *text = json_string_value(json_object_get(parameters, key));
	size_t len = text ? strlen(text) : 0;

	for (const char *at = text ? known : NULL; at && *at; at += strspn(at, ", ")) {
		size_t word = strcspn(at, ",");

		if (word == len && strncmp(at, text, len) == 0)
			return 0;
		at += word;
	}
	return text ? fault_set(fault, -EINVAL, "%s '%.32s' is none of %s", key, text, known) : 0;
}

/* Says what is wrong with a filter, or takes it. */
static int decode_filter(const json_t *parameters, struct words *out, const char **name,
			 struct fault *fault)
{
	*name = "origin";
	if (check_word(parameters, *name, "config, runtime", fault) < 0)
		return -EINVAL;
	*name = "state";
	if (check_word(parameters, *name, "active, pending, no-egress, detached, failed, conflict",
		       fault) < 0)
		return -EINVAL;
	return words_decode(parameters, out, name, fault);
}

void method_list_groups(struct session *session, const struct call *call)
{
	struct group_stream *stream = calloc(1, sizeof(*stream));
	const char *name;
	struct fault fault;

	if (!stream || !copy_filter(call->parameters, stream)) {
		group_stream_free(stream);
		session_fault(session, -ENOMEM, NULL);
		return;
	}
	session->stream = stream;
	stream->more = call->more;
	if (decode_filter(call->parameters, &stream->filter, &name, &fault) < 0) {
		session_invalid(session, name, fault.text);
		group_stream_free(stream);
		session->stream = NULL;
		return;
	}
	names_free(&stream->filter.to);
	session->state = SESSION_STREAMING;
}
