/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stack of numbers: free ones, or those in quarantine. */
#ifndef XM_RECONCILE_NUMBERS_H
#define XM_RECONCILE_NUMBERS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct numbers {
	uint32_t *number;
	size_t count, room;
};

static inline int numbers_push(struct numbers *n, uint32_t number)
{
	if (n->count == n->room) {
		size_t room = n->room ? n->room * 2 : 64;
		uint32_t *grown = reallocarray(n->number, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		n->number = grown;
		n->room = room;
	}
	n->number[n->count++] = number;
	return 0;
}

/* 0 when there is none. */
static inline uint32_t numbers_pop(struct numbers *n)
{
	return n->count ? n->number[--n->count] : 0;
}

static inline void numbers_free(struct numbers *n)
{
	free(n->number);
	*n = (struct numbers){0};
}

#endif
