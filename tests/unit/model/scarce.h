/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that runs out where a test says: for executables that are linked with scarce_args. */
#ifndef XM_TESTS_SCARCE_H
#define XM_TESTS_SCARCE_H

/* Allocations that still succeed, then one fails; -1: all succeed. Not those inside libraries. */
extern long allocations_left;

#endif
