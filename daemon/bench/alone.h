/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One measurement at a time on a machine: two would each be in the other's figures. */
#ifndef XM_BENCH_ALONE_H
#define XM_BENCH_ALONE_H

#include "daemon/model/model.h"

/*
 * Takes the machine's lock, which ends with the process; waits for one that is just ending.
 * 0, -EBUSY with the other's process in fault, or another negative errno with fault.
 */
int alone_begin(struct fault *fault);

#endif
