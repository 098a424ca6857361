/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What systemd is told while the daemon runs: WATCHDOG and STATUS. */
#ifndef XM_WATCH_H
#define XM_WATCH_H

#include <systemd/sd-event.h>

#include "daemon/control/control.h"
#include "daemon/reconcile/reconcile.h"

struct watch;

/*
 * Four times in each watchdog interval it asks the daemon's own control socket room and then
 * the kernel, through the loop as any peer would, and tells the watchdog only of answers
 * of both. Without a watchdog it only tells STATUS. 0 or negative errno with fault.
 */
int watch_open(struct watch **out, sd_event *event, struct model *model,
	       struct reconcile *reconcile, struct control *control, struct fault *fault);
void watch_close(struct watch *watch);
/* Something may have changed: STATUS is told again once the loop has nothing else to do. */
void watch_changed(struct watch *watch);

#endif
