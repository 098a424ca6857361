/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching to veths, and looking at what is attached, as the tests of that do. */
#ifndef XM_TESTS_ATTACHING_H
#define XM_TESTS_ATTACHING_H

#include <linux/if_link.h>

#include "tests/bpf/own.h"

/* Of interface slot 2, which all of these mean. */
struct ingress_spec spec_of(const char *device, bool native, uint32_t generation);
struct ingress_state attach(struct dataplane *dp, const struct ingress_spec *spec);
/* Leaks nothing; returns the error. */
int refused_attach(struct dataplane *dp, const struct ingress_spec *spec, struct fault *fault);
/* What of ours is there; `foreign` gets whose else, FOREIGN_MAX bytes, NULL: does not matter. */
struct ingress_state attached(struct dataplane *dp, const char *device, char *foreign);
void detach(struct dataplane *dp, const char *device);

/* What the kernel itself says. */
uint32_t kernel_id(const char *device, bool native);
/* Waits until the kernel has let go of a program. */
bool gone(uint32_t id);
/* A socket on which the kernel tells changes of links, and how many came since the last count. */
int link_events(void);
int count_events(int fd);

/*
 * Runs all tests, or with XM_CORE in the environment only the core. Returns what main() must
 * return.
 */
#define RUN_CORE_OR_ALL(core, all)                                                                 \
	run_core_or_all(core, sizeof(core) / sizeof(*(core)), all, sizeof(all) / sizeof(*(all)))
int run_core_or_all(const struct CMUnitTest *core, size_t core_count, const struct CMUnitTest *all,
		    size_t all_count);

#endif
