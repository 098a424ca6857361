/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A server with the fake backend and its clients, in one thread: waiting runs the server's loop. */
#ifndef XM_TESTS_TALK_H
#define XM_TESTS_TALK_H

#include "daemon/control/codec.h"
#include "tests/unit/control/fake.h"
#include "tests/unit/control/idl.h"

struct talk {
	char directory[64], path[96];
	sd_event *event;
	struct control *control;
	struct fake fake;
	struct idl *idl;
};

struct line {
	struct talk *talk;
	int fd;
	struct frames frames;
};

void talk_open(struct talk *talk);
void talk_close(struct talk *talk);
/* Runs the server's loop until nothing has been pending for 1 ms. */
void talk_run(struct talk *talk);

void line_open(struct line *line, struct talk *talk);
void line_close(struct line *line);
/* Writes all, running the server meanwhile; false when the server closed it. */
bool line_send(struct line *line, const void *bytes, size_t len);
/* Waits (10 s at most, else the test fails) for a reply; false when the server closed it. */
bool line_reply(struct line *line, struct reply *reply);
/* Waits until the server has closed it. */
void line_expect_end(struct line *line);
/*
 * Calls io.xmcast.Control.METHOD with the parameters' text and holds the reply against the
 * description. reply_free() it.
 */
void line_call(struct line *line, const char *method, const char *parameters, struct reply *reply);
void line_start(struct line *line, const char *method, const char *parameters, bool more);
/* Calls; fails the test unless the error ends in ".ERROR" and its message holds `words`. */
void line_refused(struct line *line, const char *method, const char *parameters, const char *error,
		  const char *words);
/* Calls; fails the test when it is an error. */
void line_done(struct line *line, const char *method, const char *parameters);

#endif
