/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where and how a measurement runs: one CPU, in front of everybody else's processes. */
#ifndef XM_BENCH_SCHEDULING_H
#define XM_BENCH_SCHEDULING_H

/*
 * Binds the process to the last CPU it may use, since frames are forwarded where they are
 * sent, and gives it real-time priority where the kernel (6.4 and later) handles softirqs at
 * once also while ksoftirqd wants to run. Round robin: with FIFO a second measurement that waited
 * for the CPU while it held the kernel's RTNL stopped the network configuration of the whole
 * machine until the first had ended. Returns the CPU, -1 when it could not be bound.
 */
int scheduling_begin(void);
/* "rr" or "other": how it runs now. */
const char *scheduling_name(void);

#endif
