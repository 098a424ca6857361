/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The benchmark is another program, xmcast-bench, so that the daemon's own capabilities stay
 * small and a crash of it takes nobody along. One runs at a time; what it says goes to the
 * session that asked, and it dies with that session or with the daemon.
 */
#ifndef XM_CONTROL_BENCH_H
#define XM_CONTROL_BENCH_H

#include "daemon/control/session.h"

struct bench;

/* For control_open() and control_close(). 0 or -ENOMEM. */
int bench_new(struct bench **out, sd_event *event);
void bench_free(struct bench *bench);

/* The session can take more: reads on when it was too slow before. */
void bench_resume(struct session *session);
/* The session ends: so does what it asked for. */
void bench_session_gone(struct session *session);

#endif
