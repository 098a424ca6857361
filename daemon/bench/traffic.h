/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both ends of a measurement: frames into the ingress, receivers that count and drop. */
#ifndef XM_BENCH_TRAFFIC_H
#define XM_BENCH_TRAFFIC_H

#include <jansson.h>
#include <stdint.h>

#include "daemon/bench/topology.h"

enum source {
	SOURCE_LIVE,	 /* live frames through the ingress's far end */
	SOURCE_RUN,	 /* live frames of the program itself, as if they came from the ingress */
	SOURCE_PACKET,	 /* AF_PACKET */
	SOURCE_PKTGEN,	 /* the kernel's generator, on the generator's link */
	SOURCE_EXTERNAL, /* nobody here: somebody sends to the real ingress */
};
const char *source_name(enum source source); /* "live", "packet", "pktgen", "external" */
/* Which counters are compared, when the copies are `native`: {"sent", "seen", "received": {IF:
 * text}}. New reference. */
json_t *traffic_counted(const struct topology *topology, enum source source, bool native);

/* What frames are for: an IPv4 address, host byte order. */
#define TRAFFIC_GROUP	   0xef010001u
#define TRAFFIC_GROUP_TEXT "239.1.0.1"
#define TRAFFIC_SOURCE	   0xc0000201u /* 192.0.2.1, of RFC 5737 */

/* Smallest and largest frame, in bytes on the wire with FCS, as Ethernet counts. */
#define FRAME_SIZE_LEAST 64
#define FRAME_SIZE_MOST	 1518

struct traffic;

/* What one run did. Counters are of this run alone. */
struct reading {
	double ns; /* per frame, 0: unknown */
	uint64_t sent, seen, received[TOPOLOGY_RECEIVERS];
	int error;	   /* negative errno of the sender, 0: none */
	struct fault said; /* and its words, "" when there are none */
};

/*
 * Loads the programs and attaches the receivers, in native mode, so that the egresses accept
 * redirected frames. 0 or negative errno with fault.
 */
int traffic_open(struct traffic **out, const struct topology *topology, unsigned int frame_size,
		 struct fault *fault);
void traffic_close(struct traffic *traffic);

/*
 * Live frames per round from now on, for frames that are copied `receivers` times: `wanted` (0:
 * 64), but not more than softirqs work off before the next round comes.
 */
void traffic_batch(struct traffic *traffic, unsigned int wanted, unsigned int receivers);

/* From now on packet and pktgen send `pps` frames a second, or fewer; 0: as fast as they can. */
void traffic_pace(struct traffic *traffic, unsigned int pps);

/* Can pktgen send to a generic program without crashing this kernel? See pktgen.h. */
bool traffic_pktgen_is_safe(const struct traffic *traffic);

/*
 * Sends `frames` to where `program` is attached, and fills ns, sent and error; not for external.
 * live: ns by the
 * kernel's clock from the first batch to the last; run: see traffic_run(). packet: AF_PACKET, ns by
 * the wall clock around the calls; frames are forwarded in softirq on the way.
 */
void traffic_send(struct traffic *traffic, enum source source, int program, uint64_t frames,
		  struct reading *reading);

/*
 * Runs a program under test itself on `frames` live frames of the ingress (so the whole cost is the
 * program's and the redirect's), timed by the call's own duration. With `groups` more than 0
 * each frame first gets a random one of that many addresses from the group on.
 */
void traffic_run(struct traffic *traffic, int program, uint64_t frames, unsigned int groups,
		 struct reading *reading);
/* A program alone, on one frame that goes nowhere: its time in whole ns, everything in the cache.
 */
void traffic_run_alone(struct traffic *traffic, int program, uint64_t frames,
		       struct reading *reading);
/*
 * Keeps a program of its own on the ingress, whose receive queue the kernel wants to know of before
 * frames can be said to come from there. For traffic_run(). 0 or negative errno.
 */
int traffic_hold_ingress(const struct traffic *traffic);
/* A program that drops at once, to be measured as traffic_run() does. */
int traffic_drop_program(const struct traffic *traffic);

/* Frames that the i-th receiver has got since traffic_open(), or a real egress ever sent. `native`:
 * by XDP. */
uint64_t traffic_received(const struct traffic *traffic, unsigned int i, bool native);

#endif
