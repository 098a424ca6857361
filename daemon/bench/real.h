/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real interfaces as a topology: the rows that people know from tables of NICs. */
#ifndef XM_BENCH_REAL_H
#define XM_BENCH_REAL_H

#include <jansson.h>

#include "daemon/bench/throughput.h"

enum real_row { REAL_A_TO_B, REAL_A_TO_VETH, REAL_A_TO_B_AND_VETH, REAL_ROWS };
const char *real_row_name(enum real_row row); /* "A->B", ... */

/*
 * --in is A, the first of --out is B; the veth is made here. 0, or negative errno with fault:
 * -ENODEV names the interface that is not there, -EBUSY the XDP program that A has. real_free()
 * it, also after an error.
 */
int real_make(struct topology *topology, enum real_row row,
	      const struct throughput_options *options, struct fault *fault);
/* Deletes the veth. */
void real_free(struct topology *topology);

/*
 * For the environment: {"in", "out", "receivers": driver names, "interfaces": {NAME:
 * description}}. New reference.
 */
json_t *real_drivers(const struct throughput_options *options);

#endif
