/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue of bytes: appended at its end, taken from its start. */
#ifndef XM_CONTROL_BUFFER_H
#define XM_CONTROL_BUFFER_H

#include <stddef.h>

/* All zero is empty. Owned by its holder: buffer_free(). */
struct buffer {
	char *data;
	size_t start, end; /* data[start..end) is what it holds */
	size_t capacity;
};

/* 0, or -ENOMEM and nothing was appended. */
int buffer_append(struct buffer *buffer, const void *data, size_t len);
/* Takes `len` bytes from the start; gives memory back when nothing is left. */
void buffer_drop(struct buffer *buffer, size_t len);
void buffer_free(struct buffer *buffer);

static inline size_t buffer_len(const struct buffer *buffer)
{
	return buffer->end - buffer->start;
}

#endif
