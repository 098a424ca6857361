/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What traffic.c sets up and send.c sends by. */
#ifndef XM_BENCH_TRAFFIC_INTERNAL_H
#define XM_BENCH_TRAFFIC_INTERNAL_H

#include "daemon/bench/pktgen.h"
#include "daemon/bench/traffic.h"
#include "bench_traffic.skel.h"

#define TRAFFIC_BATCH 64 /* frames at once, unless something else is wanted */
#define FCS_LEN	      4
#define FRAME_BYTES   (FRAME_SIZE_MOST - FCS_LEN)

struct traffic {
	struct bench_traffic_bpf *skel;
	const struct topology *topology;
	unsigned int frame_len; /* bytes without FCS */
	unsigned int batch;
	unsigned int pps; /* 0: as many as go */
	int packet;	  /* AF_PACKET socket on the generator's link */
	int membership;	  /* another that has a real ingress take all multicast */
	int lent;	  /* link of `pass` on a real egress, -1 none */
	struct pktgen_guard guard;
	int cpus;
	__u64 *values; /* of one per-CPU counter */
	unsigned char frame[FRAME_BYTES];
};

#endif
