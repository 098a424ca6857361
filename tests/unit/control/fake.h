/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A backend without a kernel: a real model, and interfaces that exist by their name. veth0 to
 * veth9 and eth0 to eth9 exist; veth9 is down, which is warned of; peer0 and peer1 are the two
 * ends of one veth pair; all other names are unknown.
 */
#ifndef XM_TESTS_FAKE_H
#define XM_TESTS_FAKE_H

#include "daemon/control/control.h"

struct fake {
	struct control_backend backend; /* give this to control_open() */
	struct model *model;
	bool hold; /* changed() keeps its done for fake_release() */
	int error; /* what done is called with; 0: it worked */
	control_done held;
	void *token;
	unsigned int changes, reloads;
	char reattached[32];
	struct trace_wish trace; /* frame NULL: nobody traces */
	unsigned int traced, trace_stops;
};

void fake_init(struct fake *fake);
void fake_finish(struct fake *fake);
void fake_release(struct fake *fake);
/* Adds `count` runtime groups, 10.x.. in 239.0.0.0/8, from eth0 to veth1 and veth9. */
void fake_fill(struct fake *fake, unsigned int count);
/* A frame comes that the tracer wants: the answer of Explain; with the last one the end. */
void fake_trace_frame(struct fake *fake);
/* Adds a group of the configuration: ADDR from eth0 to veth1, at /etc/xmcast/x.conf:7. */
void fake_config_group(struct fake *fake, const char *address);

#endif
