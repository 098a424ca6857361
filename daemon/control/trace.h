/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XM_CONTROL_TRACE_H
#define XM_CONTROL_TRACE_H

#include "daemon/control/session.h"

/* Ends the trace that this session asked for, if it did. */
void trace_session_gone(struct session *session);

#endif
