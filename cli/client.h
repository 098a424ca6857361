/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection to the daemon. Errors are printed here, once; what is returned is the exit code. */
#ifndef XM_CLI_CLIENT_H
#define XM_CLI_CLIENT_H

#include "cli/verb.h"
#include "daemon/control/codec.h"

struct client {
	const struct cli *cli;
	int fd;
	struct frames frames;
};

/* The command that starts the daemon, in `buf`. */
const char *client_start(const struct cli *cli, char *buf, size_t size);
/* CLI_DONE: client_close() it. */
int client_open(struct client *client, const struct cli *cli);
void client_close(struct client *client);

/* Called for each reply; `parameters` is borrowed. Its return becomes that of the call unless 0. */
typedef int (*client_reply)(const json_t *parameters, bool continues, void *data);

/*
 * The two halves of client_call(). A call may be sent before the reply of the one before was
 * received: the daemon answers in order.
 */
int client_send(struct client *client, const char *method, json_t *parameters, bool more);
int client_receive(struct client *client, bool more, client_reply reply, void *data);
/*
 * One call of io.xmcast.Control. Takes `parameters` (NULL: no memory). With `more` there may
 * be many replies, and no deadline.
 */
int client_call(struct client *client, const char *method, json_t *parameters, bool more,
		client_reply reply, void *data);

/* Opens, calls, closes; prints warnings to stderr and, with --json, the reply. */
int client_do(const struct cli *cli, const char *method, json_t *parameters, client_reply reply,
	      void *data);
/* Prints "xmcastctl: warning: ..." for each. */
void client_warn(const json_t *parameters);

#endif
