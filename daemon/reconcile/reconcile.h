/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wanted against actual. The only writer of kernel state, through netlink/ and dataplane/.
 * reconcile_run() is idempotent: it compares the model with what the kernel holds and
 * writes the difference; when a step must wait for a grace period it returns and goes on
 * when that is over.
 */
#ifndef XM_RECONCILE_H
#define XM_RECONCILE_H

#include <systemd/sd-event.h>

#include "daemon/model/model.h"
#include "daemon/model/report.h"

struct reconcile;

struct reconcile_options {
	const char *bpffs; /* directory on a bpffs; NULL: nothing is pinned */
	/* Something that monitors should hear of; may be NULL. */
	void (*event)(const char *event, const char *key, const char *value, const char *detail,
		      void *data);
	void *data;
};

/* Opens netlink and the dataplane in the caller's network namespace; adopts what is there. */
int reconcile_open(struct reconcile **out, sd_event *event, struct model *model,
		   const struct reconcile_options *options, struct fault *fault);
/* Leaves everything attached and pinned. */
void reconcile_close(struct reconcile *reconcile);

/*
 * Takes everything off that a daemon with these pins left in the caller's network
 * namespace: programs, flags it set on ingresses, pins. The daemon must not be running.
 */
int reconcile_purge(const char *bpffs, struct fault *fault);

/* `error`, `fault`: the first thing that could not be done; 0, NULL: wanted is actual. */
typedef void (*reconcile_done)(int error, const struct fault *fault, void *token);
/* The model may have changed: make it actual, then call done once. `done` may be NULL. */
void reconcile_run(struct reconcile *reconcile, reconcile_done done, void *token);

/* -EOPNOTSUPP when a program that is attached cannot do what `model` wants; changes nothing. */
int reconcile_permits(const struct reconcile *reconcile, const struct model *model,
		      struct fault *fault);

/* Forgets the mode decided for an ingress; the next run decides and attaches anew. */
int reconcile_reattach(struct reconcile *reconcile, const char *interface, struct fault *fault);

/* As the callbacks of control.h. */
int reconcile_check_group(struct reconcile *reconcile, const struct group *group,
			  enum group_check how, void (*warn)(const char *text, void *token),
			  void *token, struct fault *fault);
int reconcile_group_report(struct reconcile *reconcile, const struct group *group,
			   struct group_report *out);
int reconcile_each_interface(struct reconcile *reconcile,
			     int (*f)(const struct interface_report *report, void *token),
			     void *token);
int reconcile_stats(struct reconcile *reconcile, struct stats_report *out);
/* What would become of a frame, from the maps in the kernel. `out` is valid until the next call. */
int reconcile_explain(struct reconcile *reconcile, const struct frame_wish *wish,
		      struct frame_report *out, struct fault *fault);
/*
 * Tells of the next frames as they come, through wish->frame, then calls wish->done once. One at a
 * time (-EBUSY). reconcile_trace_stop() ends it without a word; nothing happens when none runs.
 */
int reconcile_trace(struct reconcile *reconcile, const struct trace_wish *wish,
		    struct fault *fault);
void reconcile_trace_stop(struct reconcile *reconcile);
/* Looks for everything that is known to go wrong; calls wish->finding() for each check. */
int reconcile_doctor(struct reconcile *reconcile, const struct doctor_wish *wish);
void reconcile_status(struct reconcile *reconcile, struct status_report *out);

struct reconcile_summary {
	unsigned int ingresses, attached, egresses, ready;
};
/* A few numbers without asking anybody. */
void reconcile_summarize(const struct reconcile *reconcile, struct reconcile_summary *out);
/* Does the kernel answer over netlink? 0 or negative errno; waits 2 s at most. */
int reconcile_probe(struct reconcile *reconcile);

#endif
