/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine a result was measured on: what must be equal for two to be comparable. */
#ifndef XM_BENCH_ENVIRONMENT_H
#define XM_BENCH_ENVIRONMENT_H

#include <jansson.h>

/*
 * {"version", "kernel", "machine", "cpu", "cpus", "hypervisor", "governor", "smt",
 * "mitigations": {NAME: text}, "jit", "jit_harden", "bpf_stats", "clocksource", "load", "steal"}.
 * What cannot be read is null. A new reference, NULL without memory.
 */
json_t *environment_capture(void);

/* Adds "load_after" and "steal_seconds" (since the capture) to `environment`. */
void environment_finish(json_t *environment);

/* One line of a file without its newline, or null: also for other captures. New reference. */
json_t *environment_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
