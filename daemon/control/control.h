/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket: Varlink, interface io.xmcast.Control. Knows the model and the reports
 * only; whatever touches the kernel is asked of the backend, which main wires up.
 */
#ifndef XM_CONTROL_CONTROL_H
#define XM_CONTROL_CONTROL_H

#include <systemd/sd-event.h>

#include "daemon/model/model.h"
#include "daemon/model/report.h"

struct control;

/*
 * Called when a change has reached the kernel (error 0) or could not (negative errno and
 * fault), or is in force and something else failed (a positive errno and fault). May be called
 * before the function that got it returns.
 */
typedef void (*control_done)(int error, const struct fault *fault, void *token);

/* Each returns 0 or a negative errno with fault. `data` is the backend's. */
struct control_backend {
	void *data;
	struct model *model; /* edited by the methods, then changed() is called */

	/*
	 * Is this group possible with the interfaces there are? Refuses (-EINVAL) the two ends
	 * of one veth pair, (-ENODEV, all of them named) unknown interfaces unless
	 * `pending` or the group names them already. Calls warn() for who is to get copies
	 * from now on and is not ready.
	 */
	int (*check_group)(const struct group *group, enum group_check how,
			   void (*warn)(const char *text, void *token), void *token,
			   struct fault *fault, void *data);
	/* The model was edited: save it, make it actual, then call done(token) once. */
	void (*changed)(control_done done, void *token, void *data);
	/* Reads the configuration again; done(token) once, with all errors joined in the fault. */
	void (*reload)(control_done done, void *token, void *data);
	/* Decides the mode of an ingress again and re-attaches it. */
	void (*reattach)(const char *interface, control_done done, void *token, void *data);

	/* Reports. The iterators stop when f returns non-zero. */
	int (*group_report)(const struct group *group, struct group_report *out, void *data);
	int (*each_interface)(int (*f)(const struct interface_report *report, void *token),
			      void *token, void *data);
	/* As reconcile_trace(): calls wish->frame() for each, wish->done() once unless stopped. */
	int (*trace)(const struct trace_wish *wish, struct fault *fault, void *data);
	void (*trace_stop)(void *data);
	int (*doctor)(const struct doctor_wish *wish, void *data);
	int (*stats)(struct stats_report *out, void *data);
	int (*explain)(const struct frame_wish *wish, struct frame_report *out, struct fault *fault,
		       void *data);
	int (*status)(struct status_report *out, void *data);
	/* Told of a change that a peer made, as control_event(), which it calls. May be NULL. */
	void (*event)(const char *event, const char *key, const char *value, const char *detail,
		      void *data);
};

struct control_options {
	const char *socket_path;
	int listen_fd; /* >= 0: inherited (socket activation), else -1 */
};

/*
 * Creates the socket (mode 0666, the methods check credentials) and serves it on `event`.
 * -EADDRINUSE when someone serves it already. Does not own `event`.
 */
int control_open(struct control **out, sd_event *event, const struct control_options *options,
		 const struct control_backend *backend, struct fault *fault);
/* Serves a connected socket, too, which may read but change nothing. Takes fd, also when it fails.
 */
int control_serve(struct control *control, int fd);
/* Answers nothing more, closes all peers, unlinks the socket it made. */
void control_close(struct control *control);

/* One event for everyone who monitors: {"event": name, "group"|"interface": .., "reason": ..}. */
void control_event(struct control *control, const char *event, const char *key, const char *value,
		   const char *detail);

#endif
