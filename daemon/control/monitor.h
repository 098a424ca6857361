/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XM_CONTROL_MONITOR_H
#define XM_CONTROL_MONITOR_H

#include "daemon/control/session.h"

/* Tells all who monitor; a peer that has not read the events before is let go. */
void monitor_event(struct service *service, const char *event, const char *key, const char *value,
		   const char *detail);

#endif
