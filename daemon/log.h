/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log: stderr; where systemd's journal reads that, its own protocol, with fields. Only main's
 * files log, from one thread.
 */
#ifndef XM_LOG_H
#define XM_LOG_H

#include <stdbool.h>
#include <syslog.h>

/* Become XMCAST_GROUP=, XMCAST_INTERFACE= and XMCAST_REASON=; NULL: not there. */
struct log_about {
	const char *group, *interface, *reason;
};

void log_open(bool verbose); /* verbose: LOG_DEBUG, too */
void log_line(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_event(int priority, const struct log_about *about, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
