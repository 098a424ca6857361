/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection: its descriptor, event sources and deadlines around a session. Nothing here
 * blocks. A peer that leaves half a message lying, or does not read what it asked for, is
 * closed after peer_deadline_usec.
 */
#ifndef XM_CONTROL_PEER_H
#define XM_CONTROL_PEER_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "daemon/control/session.h"

struct peer {
	struct peer **head; /* the list it is in */
	struct peer *next;
	int fd; /* owned */
	uid_t uid;
	bool at_end; /* it will send no more */
	sd_event_source *io, *wake, *deadline;
	unsigned long calls; /* session.calls when the deadline was set */
	enum { DEADLINE_NONE, DEADLINE_INPUT, DEADLINE_OUTPUT } waits_for;
	struct session session;
};

extern uint64_t peer_deadline_usec; /* 10 s; tests shorten it */

/* Takes fd, also when it fails. The peer puts itself in the list and leaves it when it ends. */
int peer_new(struct peer **head, sd_event *event, struct service *service, int fd, uid_t uid,
	     bool may_change);
void peer_free(struct peer *peer);

#endif
