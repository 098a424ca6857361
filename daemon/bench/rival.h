/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel has itself to copy frames from one link to several, as subjects. */
#ifndef XM_BENCH_RIVAL_H
#define XM_BENCH_RIVAL_H

#include "daemon/bench/subject.h"

/*
 * `name` is "bridge" (one with all links as ports, so it floods), "mroute" (IPv4 multicast routing,
 * one vif and one cache entry) or "tc-mirred" (a mirred action for each egress), on a topology
 * made here. Where frames come from a program (`native`) the ingress gets GRO, without which a
 * veth takes none. -EOPNOTSUPP with fault, which begins with "needs", where the kernel cannot.
 */
int subject_rival(struct subject *out, const char *name, const struct topology *topology,
		  unsigned int receivers, bool native, struct fault *fault);

#endif
