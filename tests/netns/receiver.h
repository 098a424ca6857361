/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One receiver of recv.c: a socket in a namespace and what came through it. */
#ifndef XM_TESTS_NETNS_RECEIVER_H
#define XM_TESTS_NETNS_RECEIVER_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define GROUPS_MAX 16

enum role { ROLE_ALL, ROLE_SOME, ROLE_NONE };

struct receiver {
	enum role role;
	char namespace[64], interface[IF_NAMESIZE];
	int fd;
	/* what is expected */
	uint32_t flow;
	uint64_t first, count;
	struct in6_addr source; /* mapped; all zero: any */
	/* what came */
	uint64_t got, next; /* distinct numbers; one past the highest */
	uint64_t duplicate, reordered, damaged, foreign, bytes;
	uint8_t *have;				 /* one bit per number */
	uint64_t checksum_errors, buffer_errors; /* of the namespace, before we began */
};

/* "ROLE:NS:IF"; false when it is not that. */
bool receiver_parse(struct receiver *r, const char *spec);
/* Opens the socket in its namespace and joins the groups on its interface. */
void receiver_open(struct receiver *r, const char *const *group, unsigned int groups,
		   uint16_t port);
void receiver_expect(struct receiver *r, uint32_t flow, uint64_t first, uint64_t count,
		     const char *source);
/* Takes all that waits in the socket. */
void receiver_read(struct receiver *r);
/* Prints one line; true when the role was fulfilled and nothing went wrong on the way. */
bool receiver_report(const struct receiver *r);

#endif
