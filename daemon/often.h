/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An interface that flaps must not fill the log: who was in it often of late. */
#ifndef XM_OFTEN_H
#define XM_OFTEN_H

#include <stdint.h>

#define OFTEN_LINES 10 /* a minute, of one interface */

enum often {
	OFTEN_NOT,    /* log it */
	OFTEN_BEGINS, /* the last one for now: say so */
	OFTEN,	      /* not this one */
};

/* Counts a line of the interface `name`, at `now` (monotonic, seconds). */
enum often often(const char *name, uint64_t now);

#endif
