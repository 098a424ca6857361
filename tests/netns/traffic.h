/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the senders and receivers of the network tests share: the numbered datagrams and
 * the file through which receivers pace the sender. Everything here exits with a message on
 * failure: a test tool has nobody to report to.
 */
#ifndef XM_TESTS_NETNS_TRAFFIC_H
#define XM_TESTS_NETNS_TRAFFIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECEIVERS_MAX 512
#define PAYLOAD_MIN   24   /* the header below must fit */
#define PAYLOAD_MAX   9000 /* bytes of UDP payload */

/*
 * A file mapped by all of a test's senders and receivers. `seen` is one past the highest
 * number that a receiver got; the sender stays less than its window ahead of the slowest.
 */
struct progress {
	_Atomic uint32_t receivers; /* set, last, when all have joined */
	_Atomic uint32_t finished;  /* the sender has sent all */
	_Atomic uint32_t pacing;    /* the first so many of `seen` hold the sender back */
	_Atomic uint64_t seen[RECEIVERS_MAX];
};
struct progress *progress_open(const char *path);

/* The head of each payload, in host byte order: sender and receiver are one machine. */
struct payload_head {
	uint32_t magic; /* PAYLOAD_MAGIC */
	uint32_t flow;	/* which sender */
	uint64_t number;
	uint32_t size; /* of the whole payload */
	uint32_t pad;
};
#define PAYLOAD_MAGIC 0x786d7470u

/* The size of payload `number`: min and max are the first two, the rest spread between. */
size_t payload_size(uint64_t number, size_t min, size_t max);
/* Writes payload `number` of `flow`: bytes that depend on both. */
void payload_fill(uint8_t *data, size_t size, uint32_t flow, uint64_t number);
/* True when data is, to the last byte, what payload_fill() wrote for its own number. */
bool payload_intact(const uint8_t *data, size_t size, struct payload_head *head);

/* Moves the calling thread into a network namespace: a path, a name of `ip netns`, or "." (where it
 * began). */
void enter_namespace(const char *name);
/*
 * Keeps the calling process on the CPU where it is. Frames wait in queues of the CPU that sent
 * them, so that the kernel keeps the order of a sender only while it does not move.
 */
void stay_on_cpu(void);
unsigned int interface_index(const char *name);

/* Seconds of the monotonic clock. */
double now(void);
unsigned long number_option(const char *text);
/*
 * Fills the variables that the table names; returns the words behind the options, NULL-ended
 * (never NULL). `words` names them in the help.
 */
struct poptOption;
const char **take_options(int argc, char **argv, const struct poptOption *options,
			  const char *words);
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

/*
 * The sender's side of pacing. Waits until all numbers below `next` may be sent; exits when
 * the receivers make no progress for `patience` seconds. `window` 0: not paced.
 */
void pace(const struct progress *progress, uint64_t next, uint64_t window, double patience);
/* Waits until all receivers have joined. */
void wait_for_receivers(const struct progress *progress, double patience);
/*
 * The receivers' side of the end: for how many milliseconds of silence to wait before it is over;
 * -1: not yet. `complete`: those that must get all have all; `any_must`: there are such.
 */
int patience_left(const struct progress *progress, bool complete, bool any_must, int quiet);
/* Sleeps as needed so that number `next` is not sent before its time; `rate` 0: no limit. */
void pace_rate(double began, uint64_t next, double rate);

#endif
