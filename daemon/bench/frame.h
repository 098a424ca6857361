/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame that is sent: a UDP datagram of zeros, its checksums complete. */
#ifndef XM_BENCH_FRAME_H
#define XM_BENCH_FRAME_H

#include <stdint.h>

/*
 * Writes `len` bytes (without FCS, at least 60). Addresses are IPv4 in host order; the
 * destination's MAC is the group's (RFC 1112).
 */
void frame_make(unsigned char *out, unsigned int len, uint32_t source, uint32_t group);

#endif
