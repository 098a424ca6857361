/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's packet generator as a source. It is driven through files of the network
 * namespace that its device is in; each write has a result that must be read.
 */
#ifndef XM_BENCH_PKTGEN_H
#define XM_BENCH_PKTGEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/model/model.h"

/* Is the module there? */
bool pktgen_available(void);

/*
 * Can it be told not to keep a reference to the frames it sends (flag !SHARED, kernel 6.7)? If not,
 * generic XDP at the other end of a veth crashes the kernel: BUG_ON(skb_shared) in
 * pskb_expand_head(), seen on Debian's 6.1. Asked of `device`, of the calling thread's namespace.
 */
bool pktgen_unshares(const char *device, int cpu);

struct pktgen_job {
	const char *device; /* that sends, of the calling thread's namespace */
	int cpu;	    /* whose pktgen thread sends */
	uint64_t frames;
	unsigned int frame_len; /* bytes without FCS */
	unsigned int pps;	/* frames a second at most; 0: as fast as it goes */
	uint32_t source, group; /* IPv4, host byte order */
	unsigned char source_mac[6], group_mac[6];
};

/*
 * Sends; *sent and *ns (per frame) are what pktgen says. 0, or negative errno with fault, which
 * holds pktgen's own words. All that the thread had goes.
 */
int pktgen_send(const struct pktgen_job *job, uint64_t *sent, double *ns, struct fault *fault);

/* Who takes the configuration of a real namespace's pktgen away when we are killed. */
struct pktgen_guard {
	pid_t child; /* 0: there is none */
	int end;     /* of a pipe: it works when this one is closed, by whatever */
};
/*
 * For the thread of `cpu` in the calling thread's namespace. 0 or negative errno with fault: -EBUSY
 * when that has other devices than `device`, which are left alone.
 */
int pktgen_guard(struct pktgen_guard *guard, const char *device, int cpu, struct fault *fault);
/* It takes it away now. Returns when that is done. */
void pktgen_unguard(struct pktgen_guard *guard);

#endif
