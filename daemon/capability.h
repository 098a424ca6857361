/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which capabilities the daemon keeps. */
#ifndef XM_CAPABILITY_H
#define XM_CAPABILITY_H

#include "daemon/model/model.h"

/* -EPERM when one is missing that nothing works without; the fault names it. */
int capability_check(struct fault *fault);
/*
 * Gives up, for good, every capability that the daemon has no use for. Before any thread is made:
 * each has its own. What is executed later as root may have them back, up to the bounding set.
 */
int capability_reduce(struct fault *fault);

#endif
