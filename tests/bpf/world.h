/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network namespace of our own with the daemon's dataplane in it: maps filled through
 * model_compile() and daemon/dataplane, the ingress program that ships, run on single frames with
 * BPF_PROG_TEST_RUN. One ingress, slot WORLD_INGRESS; nothing is pinned, so the kernel
 * cleans up whatever happens to the process.
 */
#ifndef XM_TESTS_WORLD_H
#define XM_TESTS_WORLD_H

#include <linux/bpf.h>

#include "daemon/dataplane/dataplane.h"
#include "tests/bpf/packet.h"

#define WORLD_INGRESS	 1
#define WORLD_OUT	 2 /* interface slot of out0; out1 has the next, ... */
#define WORLD_GENERATION 7
#define WORLD_MEMBERS	 4    /* veths out0.. whose peers are recv0.. */
#define WORLD_MTU	 1500 /* of the veths */
#define WORLD_PROGRAMS	 4    /* at most */

struct world {
	struct dataplane *dp;
	int ifindex[WORLD_MEMBERS];  /* of out0.. */
	int ingress_ifindex;	     /* of in0 */
	uint32_t set[3];	     /* sets with 0, 1 and 2 ready members */
	uint32_t entries;	     /* in use: 1..entries */
	int program[WORLD_PROGRAMS]; /* made by world_program() */
	unsigned int programs;
};

/* What a program made of a frame. */
struct world_result {
	int verdict; /* XDP_PASS, ... */
	uint8_t data[PACKET_MAX + 64];
	size_t len;	     /* of data, without metadata */
	bool handed_over;    /* struct xm_meta stood in front of the frame */
	struct xm_meta meta; /* valid when handed_over */
};

/* 0 or a negative errno with the reason on stderr. Moves the process into a new namespace. */
int world_open(struct world *w);
void world_close(struct world *w);

enum world_instance { WORLD_NATIVE, WORLD_FOLD, WORLD_GENERIC }; /* FOLD: native, too */

/* The shipped ingress program; a descriptor, which the world closes, or a negative errno. */
int world_program(struct world *w, enum world_instance instance, bool finish_checksums);

/*
 * Fills the maps with the groups; group i counts as group_counters[i + 1] and is copied to the
 * set with members[i] (0..2) ready members. `mark`: the frames of group i carry group_exclude
 * i + 1 in their metadata (WORLD_NATIVE only). Only when nothing is filled in.
 */
int world_fill(struct world *w, const struct group_key *keys, size_t count, const int *members,
	       bool mark);
/* Takes everything out again. */
int world_empty(struct world *w);

/* A set of our own making: members by out index; its number is `set`, above 3. */
int world_set(struct world *w, uint32_t set, uint32_t next, const int *members, size_t count,
	      unsigned int ready, unsigned int mtu, int egress_program);

/* Runs one frame through the program. 0 or a negative errno. */
int world_run(int program, const uint8_t *frame, size_t len, struct world_result *out);

/* What moved since *before, which is set to now. */
int world_moved(struct world *w, struct xm_interface_counters *before,
		struct xm_interface_counters *moved);

#endif
