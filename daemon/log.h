/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log: stderr, with the journal's priority prefix when systemd reads it. Only main's files log.
 */
#ifndef XM_LOG_H
#define XM_LOG_H

#include <stdbool.h>
#include <syslog.h>

void log_open(bool verbose); /* verbose: LOG_DEBUG, too */
void log_line(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
