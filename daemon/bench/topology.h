/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network that a measurement runs on, made here:
 *
 *	far             box                far
 *	gen0 ---------- in0
 *	                out1 ------------- rx1
 *	                ...
 *	                outN ------------- rxN
 *
 * The program under test sits on in0, frames are fed into gen0, the receivers are native XDP
 * programs on rx*. Both namespaces have no name: they end with this process.
 */
#ifndef XM_BENCH_TOPOLOGY_H
#define XM_BENCH_TOPOLOGY_H

#include "daemon/model/model.h"

#define TOPOLOGY_RECEIVERS 256

struct topology {
	int box, far; /* descriptors of the namespaces */
	int ingress, generator;
	unsigned int receivers;
	int egress[TOPOLOGY_RECEIVERS], receiver[TOPOLOGY_RECEIVERS]; /* ifindex */
	char egress_name[TOPOLOGY_RECEIVERS][IF_NAMESIZE];
	/*
	 * Real interfaces (real.c): they are in `box`, as is the generator (0: none); a receiver
	 * of 0 is somewhere else on the wire.
	 */
	bool real;
	char ingress_name[IF_NAMESIZE], generator_name[IF_NAMESIZE];
};

/*
 * Makes it; the calling thread is in `box` afterwards. 0 or negative errno with fault.
 * topology_free() it, also after an error.
 */
int topology_make(struct topology *topology, unsigned int receivers, struct fault *fault);
void topology_free(struct topology *topology);

/* Moves the calling thread into a new, silent namespace; its descriptor, or a negative errno. */
int topology_new_namespace(void);
/* A veth pair between `box`, where the calling thread is, and `far`, both ends up. */
int topology_make_pair(const struct topology *topology, const char *box, const char *far,
		       int *box_ifindex, int *far_ifindex);

/* Moves the calling thread. 0 or negative errno. */
int topology_enter_box(const struct topology *topology);
int topology_enter_far(const struct topology *topology);

#endif
