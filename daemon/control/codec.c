/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/codec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad(struct codec_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int bad(struct codec_error *error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(error->text, sizeof(error->text), format, ap);
	va_end(ap);
	for (char *p = error->text; *p; p++) {
		if (*p < ' ' || *p > '~') /* pieces of a peer's bytes: keep what is harmless */
			*p = '?';
	}
	return -EBADMSG;
}

int frames_next(struct frames *frames, const char **text, size_t *len)
{
	struct buffer *in = &frames->in;
	size_t held = buffer_len(in);
	const char *start, *nul = NULL;

	if (!held)
		return 0;
	start = in->data + in->start;
	if (held > frames->scanned)
		nul = memchr(start + frames->scanned, 0, held - frames->scanned);
	if (!nul) {
		frames->scanned = held;
		return held > frames->limit ? -EMSGSIZE : 0;
	}
	frames->scanned = nul - start;
	if (frames->scanned > frames->limit)
		return -EMSGSIZE;
	*text = start;
	*len = frames->scanned;
	return 1;
}

void frames_drop(struct frames *frames, size_t len)
{
	buffer_drop(&frames->in, len + 1);
	frames->scanned = 0;
}

/*
 * Counts what jansson would build before it builds it: text of 1 MiB can become a hundred
 * times its size in memory. Wrong JSON is left to jansson to refuse.
 */
static int check_size(const char *text, size_t len, struct codec_error *error)
{
	size_t depth = 0, containers = 0, values = 1;
	bool quoted = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (quoted) {
			if (c == '\\')
				i++;
			else if (c == '"')
				quoted = false;
			continue;
		}
		if (c == '"') {
			quoted = true;
		} else if (c == '{' || c == '[') {
			containers++;
			if (++depth > CODEC_DEPTH_MAX)
				return bad(error, "nested deeper than %d", CODEC_DEPTH_MAX);
		} else if ((c == '}' || c == ']') && depth) {
			depth--;
		} else if (c == ',') {
			values++;
		}
	}
	if (containers > CODEC_CONTAINERS_MAX || values > CODEC_VALUES_MAX)
		return bad(error, "has more than %d objects and arrays or %d values",
			   CODEC_CONTAINERS_MAX, CODEC_VALUES_MAX);
	return 0;
}

/* Refused: no object, duplicate keys, invalid UTF-8. NULL with error. The caller owns the result.
 */
static json_t *message_decode(const char *text, size_t len, struct codec_error *error)
{
	json_error_t where;
	json_t *message;

	message = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
	if (!message) {
		bad(error, "is not JSON at byte %d: %s", where.position, where.text);
		return NULL;
	}
	if (!json_is_object(message)) {
		bad(error, "is not a JSON object");
		json_decref(message);
		return NULL;
	}
	return message;
}

static int append_text(const char *text, size_t len, void *out)
{
	return buffer_append(out, text, len);
}

int message_encode(struct buffer *out, const json_t *message)
{
	size_t before = buffer_len(out);

	if (message && json_dump_callback(message, append_text, out, JSON_COMPACT) == 0 &&
	    buffer_append(out, "", 1) == 0)
		return 0;
	out->end = out->start + before;
	return -ENOMEM;
}

/* Reads the flag called `key` when `value` is a boolean or null (as absent). */
static int read_flag(const json_t *value, const char *key, bool *out, struct codec_error *error)
{
	if (!json_is_boolean(value) && !json_is_null(value))
		return bad(error, "has a key '%s' that is not a boolean", key);
	*out = json_is_true(value);
	return 0;
}

static int call_key(struct call *call, const char *key, json_t *value, struct codec_error *error)
{
	if (strcmp(key, "oneway") == 0)
		return read_flag(value, key, &call->oneway, error);
	if (strcmp(key, "more") == 0)
		return read_flag(value, key, &call->more, error);
	if (strcmp(key, "upgrade") == 0)
		return read_flag(value, key, &call->upgrade, error);
	if (strcmp(key, "method") == 0) {
		call->method = json_string_value(value);
		return call->method ? 0 : bad(error, "has a 'method' that is not a string");
	}
	if (strcmp(key, "parameters") == 0) {
		if (json_is_object(value))
			call->parameters = value;
		return call->parameters || json_is_null(value)
			   ? 0
			   : bad(error, "has 'parameters' that are not an object");
	}
	return bad(error, "has the unknown key '%.64s'", key);
}

/* `parameters` may be left out on the wire, never in memory. */
static int default_parameters(json_t *root, json_t **parameters, struct codec_error *error)
{
	if (*parameters)
		return 0;
	*parameters = json_object();
	if (json_object_set_new(root, "parameters", *parameters) == 0)
		return 0;
	*parameters = NULL;
	return bad(error, "does not fit in memory");
}

int call_decode(const char *text, size_t len, struct call *out, struct codec_error *error)
{
	struct call call = {};
	const char *key;
	json_t *value;
	int r = check_size(text, len, error);

	if (r < 0)
		return r;
	call.root = message_decode(text, len, error);
	if (!call.root)
		return -EBADMSG;
	json_object_foreach(call.root, key, value)
	{
		r = call_key(&call, key, value, error);
		if (r < 0)
			break;
	}
	if (r == 0 && !call.method)
		r = bad(error, "has no key 'method'");
	if (r == 0)
		r = default_parameters(call.root, &call.parameters, error);
	if (r < 0)
		call_free(&call);
	else
		*out = call;
	return r;
}

void call_free(struct call *call)
{
	json_decref(call->root);
	*call = (struct call){};
}

json_t *call_encode(const char *method, json_t *parameters, bool more)
{
	json_t *call = json_pack("{s:s}", "method", method);

	if (call && parameters && json_object_set(call, "parameters", parameters) < 0)
		goto fail;
	if (call && more && json_object_set_new(call, "more", json_true()) < 0)
		goto fail;
	json_decref(parameters);
	return call;
fail:
	json_decref(parameters);
	json_decref(call);
	return NULL;
}

int reply_decode(const char *text, size_t len, struct reply *out, struct codec_error *error)
{
	struct reply reply = {.root = message_decode(text, len, error)};
	json_t *failed;
	int r = 0;

	if (!reply.root)
		return -EBADMSG;
	failed = json_object_get(reply.root, "error");
	reply.error = json_string_value(failed);
	reply.parameters = json_object_get(reply.root, "parameters");
	reply.continues = json_is_true(json_object_get(reply.root, "continues"));
	if (failed && !reply.error)
		r = bad(error, "has an 'error' that is not a string");
	else if (reply.parameters && !json_is_object(reply.parameters))
		r = bad(error, "has 'parameters' that are not an object");
	else
		r = default_parameters(reply.root, &reply.parameters, error);
	if (r < 0)
		reply_free(&reply);
	else
		*out = reply;
	return r;
}

void reply_free(struct reply *reply)
{
	json_decref(reply->root);
	*reply = (struct reply){};
}

json_t *reply_encode(json_t *parameters, bool continues)
{
	if (!parameters)
		return NULL;
	return continues ? json_pack("{s:o, s:b}", "parameters", parameters, "continues", 1)
			 : json_pack("{s:o}", "parameters", parameters);
}

json_t *error_encode(const char *error, json_t *parameters)
{
	if (!parameters)
		return NULL;
	return json_pack("{s:s, s:o}", "error", error, "parameters", parameters);
}

json_t *json_text(const char *text)
{
	json_t *string = json_string(text);
	char *clean;

	if (string)
		return string;
	clean = strdup(text);
	if (!clean)
		return NULL;
	for (char *p = clean; *p; p++) {
		if ((unsigned char)*p > '~')
			*p = '?';
	}
	string = json_string(clean);
	free(clean);
	return string;
}

json_t *json_text_or_null(const char *text)
{
	return text && *text ? json_text(text) : json_null();
}
