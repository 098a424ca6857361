// SPDX-License-Identifier: GPL-2.0-or-later
/* `xmcastd --purge`: what was attached is detached, what was set is restored, pins go. */
#include <errno.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

static void on_purged(int error, const struct fault *fault, void *token)
{
	struct reconcile *r = token;

	if (error)
		note_fault(r, error, fault);
	sd_event_exit(r->event, error);
}

/* An empty model made actual: the ordinary way to detach and restore. */
static int empty(struct reconcile *r, struct fault *fault)
{
	reconcile_run(r, on_purged, r);
	int error = sd_event_loop(r->event);
	if (!error)
		error = dataplane_unpin(r->dp);
	if (error < 0)
		return fault_set(fault, error, "removing the pins: %s", strerror(-error));
	return 0;
}

int reconcile_purge(const char *bpffs, struct fault *fault)
{
	const struct reconcile_options options = {.bpffs = bpffs};
	struct model *model = model_new();
	struct reconcile *r = NULL;
	sd_event *event = NULL;

	int error = model ? sd_event_new(&event) : -ENOMEM;
	if (error < 0)
		fault_set(fault, error, "event loop: %s", strerror(-error));
	else
		error = reconcile_open(&r, event, model, &options, fault);
	if (!error)
		error = empty(r, fault);
	else if (error != -EBUSY) /* no memory for maps of our own: only what the pins tell */
		error = dataplane_purge(bpffs, fault);
	reconcile_close(r);
	model_free(model);
	sd_event_unref(event);
	return error;
}
