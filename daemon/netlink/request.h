/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One question and its answer on a blocking netlink socket, of whatever protocol: the
 * framing is the same for rtnetlink (built with libnl) and generic netlink (libmnl).
 */
#ifndef XM_NETLINK_REQUEST_H
#define XM_NETLINK_REQUEST_H

#include <linux/netlink.h>
#include <stdbool.h>

/* Longest wait for the next datagram of an answer; the kernel answers in the send call. */
#define REQUEST_TIMEOUT_MS 2000
#define REQUEST_WHY_MAX	   256

struct request {
	int fd;
	__u32 sequence;
	bool interrupted;	   /* the last dump was not of one piece (NLM_F_DUMP_INTR) */
	char why[REQUEST_WHY_MAX]; /* the kernel's extack text of the last request; "" none */
};

/* Timeout, extended acks and close-on-exec for `fd`, which stays the caller's. 0 or -errno. */
int request_init(struct request *request, int fd);

/* Gets each message of an answer; a negative return becomes the request's result. */
typedef int (*request_each)(const struct nlmsghdr *message, void *data);

/*
 * Sends `message` (its sequence number is set here) and reads the whole answer. Returns 0, the
 * kernel's negative errno, or -ETIMEDOUT. An answer that comes later is skipped by its number.
 */
int request_run(struct request *request, struct nlmsghdr *message, request_each each, void *data);

#endif
