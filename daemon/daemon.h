/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running daemon: what main puts together, and the callbacks between the rooms. */
#ifndef XM_DAEMON_H
#define XM_DAEMON_H

#include <time.h>

#include "daemon/config/config.h"
#include "daemon/control/control.h"
#include "daemon/options.h"
#include "daemon/reconcile/reconcile.h"
#include "daemon/watch.h"

struct daemon {
	struct options options;
	sd_event *event;
	struct model *model;
	struct reconcile *reconcile;
	struct control *control;
	struct watch *watch;
	char state_path[280], socket_path[280];
	unsigned long long saved_version; /* of the model, in the state file */
	struct fault unsaved;		  /* why that is not the model's; "" it is */
	time_t started;
	struct config_found config_found; /* at the last look */
	int lock_fd, netns_lock_fd;
	bool ready; /* told systemd */
};

/* The callbacks of the control room, on this daemon. */
void daemon_backend(struct daemon *daemon, struct control_backend *out);
/* Reads the configuration into `model`; every error goes to the log, and joined to `fault`.
 * -EINVAL. */
int daemon_read_config(struct daemon *daemon, struct model *model, struct fault *fault);
/* Replaces what config wrote by what the files say now; `done` once. */
void daemon_reload(struct daemon *daemon, control_done done, void *token);
/* For monitors and the log. */
void daemon_event(const char *event, const char *key, const char *value, const char *detail,
		  void *data);

#endif
