/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libxdp before 1.4 leaves descriptors of programs open when it is asked about a device or
 * changes a dispatcher (xdp-tools issue 343; Debian 12 has 1.3.1). Such a descriptor keeps
 * a program and its maps alive, and a daemon runs for years: so they are closed here.
 */
#ifndef XM_DATAPLANE_LEAKS_H
#define XM_DATAPLANE_LEAKS_H

#include <stddef.h>

struct leaks {
	unsigned char *open; /* by descriptor: it was open before */
	size_t size;
	const int *keep; /* one more that is not to be closed; may be NULL */
};

/*
 * Declared first in a function that calls libxdp, it ends last:
 *	_cleanup_(leaks_closep) struct leaks leaks = leaks_note(&kept);
 * No other thread may open programs in between.
 */
struct leaks leaks_note(const int *keep);
void leaks_closep(struct leaks *leaks);

#endif
