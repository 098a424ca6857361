/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of whole IPv4 addresses (`exact_ipv4`, see struct xm_bucket), written. Pure memory: it
 * knows no maps, and the caller puts elsewhere what finds no bucket. One writer.
 *
 * The caller lets a grace period pass between a delete and the next insert of any key. A
 * writer that was killed between two stores leaves a bucket without an entry, which counts
 * as one that was left.
 */
#ifndef XM_DATAPLANE_BUCKETS_H
#define XM_DATAPLANE_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/xmcast.h"

struct buckets {
	struct xm_bucket *at; /* mask + 1 homes, and XM_PROBES behind them */
	uint32_t mask;
	/* Keys that found no bucket. While there are any, no bucket that was left is emptied:
	 * a reader must not stop before it has seen all that were taken. */
	unsigned int elsewhere;
};

/* Homes for this many keys: at most 80 % of the buckets taken, and half of that in most use. */
uint32_t buckets_homes(unsigned int keys);
/* The entry of a key, 0: none; *full: it may be elsewhere. */
uint32_t buckets_find(const struct buckets *b, uint64_t address, uint32_t vlan, bool *full);
/* For a key that is not there. False: all its buckets are taken. */
bool buckets_insert(struct buckets *b, uint64_t address, uint32_t vlan, uint32_t entry);
/* False: it is not here. */
bool buckets_delete(struct buckets *b, uint64_t address, uint32_t vlan);
/* Empties every bucket that was left and ends a run; when the last key elsewhere is gone. */
void buckets_sweep(struct buckets *b);

#endif
