// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/often.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#define WINDOW 60 /* seconds */
#define KNOWN                                                                                      \
	128 /* interfaces; when more flap at a time, those heard of longest ago begin anew         \
	     */

struct known {
	char name[IF_NAMESIZE];
	uint64_t since; /* of the first of `lines` */
	unsigned int lines;
};

static struct known all[KNOWN];

/* The one of that name, or else the oldest, for it. */
static struct known *find(const char *name)
{
	struct known *oldest = all;

	for (struct known *k = all; k < all + KNOWN; k++) {
		if (!strcmp(k->name, name))
			return k;
		if (k->since < oldest->since)
			oldest = k;
	}
	*oldest = (struct known){0};
	snprintf(oldest->name, sizeof(oldest->name), "%s", name);
	return oldest;
}

enum often often(const char *name, uint64_t now)
{
	struct known *k = find(name);

	if (!k->lines || now - k->since >= WINDOW) {
		k->since = now;
		k->lines = 0;
	}
	k->lines++;
	return k->lines < OFTEN_LINES ? OFTEN_NOT : k->lines == OFTEN_LINES ? OFTEN_BEGINS : OFTEN;
}
