/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_FIRST 4096
/* An empty buffer keeps this much: pieces of an apply come one after another. */
#define BUFFER_KEEP (128u << 10)

static int buffer_reserve(struct buffer *buffer, size_t len)
{
	size_t capacity = buffer->capacity ? buffer->capacity : BUFFER_FIRST;
	size_t held = buffer_len(buffer);
	char *data;

	if (buffer->start) {
		memmove(buffer->data, buffer->data + buffer->start, held);
		buffer->start = 0;
		buffer->end = held;
	}
	while (capacity - held < len) {
		if (capacity > (size_t)-1 / 2)
			return -ENOMEM;
		capacity *= 2;
	}
	if (capacity == buffer->capacity)
		return 0;
	data = realloc(buffer->data, capacity);
	if (!data)
		return -ENOMEM;
	buffer->data = data;
	buffer->capacity = capacity;
	return 0;
}

int buffer_append(struct buffer *buffer, const void *data, size_t len)
{
	if (buffer->capacity - buffer->end < len) {
		int r = buffer_reserve(buffer, len);

		if (r < 0)
			return r;
	}
	if (len)
		memcpy(buffer->data + buffer->end, data, len);
	buffer->end += len;
	return 0;
}

void buffer_drop(struct buffer *buffer, size_t len)
{
	buffer->start += len;
	if (buffer->start < buffer->end)
		return;
	buffer->start = buffer->end = 0;
	if (buffer->capacity > BUFFER_KEEP)
		buffer_free(buffer);
}

void buffer_free(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){};
}
