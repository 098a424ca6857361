/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract between daemons, which no layout changes. A daemon that finds what one of another
 * layout (older or newer), of other limits or with other tracepoint programs has left, makes its
 * own maps beside, copies records and counters by their names, replaces the programs one by one,
 * and only then removes the old (daemon/dataplane/succession.h says which file does what).
 *
 * 1. Pins lie in BPFFS/l<layout>-<netns cookie in hex>-<serial>; the highest serial is youngest.
 *    A running daemon holds an flock(2) on every such directory of its network namespace.
 * 2. An ingress program, whose name begins with xmcast_ingress, is pinned as ingress_<slot in hex>.
 *    While the word of its row is 0 it passes every frame and counts none.
 * 3. `fields`, an ARRAY of struct xm_field, is pinned last and unpinned first: a directory that has
 *    neither it nor a program was left half made. The maps that it names are mmapable ARRAYs. Those
 *    of the records have one element for each interface slot or entry; those of the counters have
 *    several rows of as many. Each counter is a __u64, its value the sum of its rows. In the last
 *    row stands what was carried over from older directories; it is final when something is pinned
 *    as `carried`, and older directories count no more then. Else they are to be read instead.
 * 4. `counting`, an ARRAY of XM_COUNTING __u64, is one and the same map in all directories of a
 *    namespace: element ifindex % XM_COUNTING is the serial of the directory whose tracepoint
 *    programs count what is redirected from that device.
 * 5. `counted`, a PERCPU_ARRAY of one struct xm_counted, is likewise one for all. Tracepoint
 *    programs run in the order of their directories (bpf/trace.bpf.c says why). One that finds a
 *    serial below its own in the element of its tracepoint counts nothing and raises it to its
 *    own; one that counts stores its own.
 * 6. `flush_excluded`, a PERCPU_ARRAY of one __u64, is one for all, too: how many copies the native
 *    egress programs have refused since the last flush. Whose turn it is takes them off the drops.
 */
#ifndef XMCAST_CONTRACT_H
#define XMCAST_CONTRACT_H

#include <linux/types.h>

#define XM_COUNTING	  1024
#define XM_FIELD_NAME_LEN 32
#define XM_FIELD_MAP_LEN  24
struct xm_counted { /* serial of who has counted the last event on this CPU; 0: nobody */
	__u64 xmit, redirect_error;
};
struct xm_field {
	char name[XM_FIELD_NAME_LEN]; /* "interface.received"; "": end */
	char map[XM_FIELD_MAP_LEN];   /* as it is pinned; "": none, the name alone says something */
	__u32 offset, size;	      /* bytes in an element */
};
_Static_assert(sizeof(struct xm_field) == 64, "field: part of the contract");
_Static_assert(sizeof(struct xm_counted) == 16, "counted: part of the contract");

#endif
