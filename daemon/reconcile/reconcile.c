// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening, closing, and the step that brings everything together. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

void note_refusal(struct reconcile *r, int error, const struct fault *fault)
{
	r->passing |= retry_helps(error);
	if (r->error)
		return;
	r->error = error;
	r->fault = *fault;
}

void note_standing(struct reconcile *r, int error, const struct fault *fault)
{
	r->passing |= retry_helps(error);
	if (!r->faults++)
		r->problem = *fault;
}

void note_fault(struct reconcile *r, int error, const struct fault *fault)
{
	note_refusal(r, error, fault);
	note_standing(r, error, fault);
}

void tell(struct reconcile *r, const char *event, const char *key, const char *value,
	  const char *detail)
{
	if (r->options.event)
		r->options.event(event, key, value, detail, r->options.data);
}

/* Everyone who waited hears how it went; new waiters of their callbacks wait for the next round. */
static void answer(struct reconcile *r)
{
	struct waiter *waiters = r->waiters;
	size_t count = r->waiter_count;
	int error = r->error;
	struct fault fault = r->fault;

	r->waiters = NULL;
	r->waiter_count = 0;
	r->error = 0;
	r->passing = false;
	if (!r->faults && !r->entries_failed && !r->retry_usec)
		r->problem.text[0] = 0;
	r->faults = 0;
	for (size_t i = 0; i < count; i++)
		waiters[i].done(error, error ? &fault : NULL, waiters[i].token);
	free(waiters);
}

/* One pass. Returns true when it stopped for the worker. */
static bool pass(struct reconcile *r)
{
	unsigned long long version = r->model->version;

	if (worker_growing(r->worker))
		return true;
	if (r->seen_model != version)
		r->entries_dirty = true;
	interfaces_update(r);
	/* first: who is excluded must not get what a set that has just gained it lets through */
	bool grow = excludes_update(r) && !r->grow_failed;
	if (!grow) {
		grow = sets_update(r);
		r->links_dirty = false;
	}
	if (!grow && r->transaction.stage == STAGE_IDLE && r->entries_dirty) {
		r->sweep = true;
		enum entries_result result = entries_update(r);
		grow = result == ENTRIES_GROW;
		if (result == ENTRIES_WAIT) {
			quarantine_begin(r);
			return true;
		}
	}
	if (grow && r->grow_failed) { /* what is in force stays; the next change tries again */
		r->entries_dirty = false;
		r->entries_failed = true;
		grow = false;
	}
	if (grow) {
		if (worker_busy(r->worker))
			return true; /* a grace period first; its end runs the next pass */
		worker_start(r->worker, WORK_GROW);
		return true;
	}
	if (transaction_advance(r)) {
		if (!r->transaction.begun)
			quarantine_begin(r);
		return true;
	}
	r->grow_failed = false;
	if (!r->entries_dirty) {
		r->seen_model = version;
		r->links_dirty |= r->excludes_moving; /* the sets that waited */
		r->excludes_moving = false;
	}
	attach_update(r);
	return false;
}

/* Everything is attached: what it took over from may go. */
static void settle_dataplane(struct reconcile *r)
{
	struct fault fault;

	int error = dataplane_settle(r->dp, &fault);
	if (error)
		note_fault(r, error, &fault);
	if (r->dp->replaced[0])
		tell(r, "replaced", "pins", r->dp->pin_dir, r->dp->replaced);
	r->dp->replaced[0] = 0;
}

void reconcile_step(struct reconcile *r)
{
	if (r->running)
		return; /* a callback of this very step: the loop below sees its changes */
	r->running = true;
	retry_with_change(r);
	if (worker_grace_over(r->worker)) {
		if (r->grace_failed)
			retry_all(r); /* or what is planned would stand for a problem */
		r->grace_failed = false;
		quarantine_end(r);
	}
	bool stopped = pass(r);
	/* a mode that fell back needs other sets; three rounds: auto, generic, nothing new */
	for (int i = 0; !stopped && (r->entries_dirty || r->links_dirty) && i < 3; i++)
		stopped = pass(r);
	r->settled = false;
	if (!stopped) {
		settle_dataplane(r);
		if (r->sweep) { /* not for a link event: it looks at every entry */
			sets_sweep(r);
			excludes_sweep(r);
		}
		r->sweep = r->error != 0; /* not all was written */
		interfaces_sweep(r);
		left_out_tell(r);
		if (!r->refusal_timer)
			refusal_watch(r);
		if (!quarantine_empty(&r->old) || !quarantine_empty(&r->leaving))
			quarantine_begin(r);
	}
	r->running = false;
	if (!stopped) {
		r->passing |= r->grace_failed;
		retry_plan(r);
		r->settled = !r->retry_usec;
		answer(r);
	}
}

void reconcile_pause(struct reconcile *r)
{
	r->grace_failed = r->passing = true; /* whatever it was: nothing goes on without */
	r->settled = false;
	retry_plan(r);
	answer(r);
}

void reconcile_run(struct reconcile *r, reconcile_done done, void *token)
{
	if (done) {
		struct waiter *grown =
		    reallocarray(r->waiters, r->waiter_count + 1, sizeof(*grown));
		if (!grown) {
			struct fault fault;
			done(fault_set(&fault, -ENOMEM, "out of memory"), &fault, token);
			return;
		}
		r->waiters = grown;
		r->waiters[r->waiter_count++] = (struct waiter){.done = done, .token = token};
	}
	reconcile_step(r);
}

int reconcile_reattach(struct reconcile *r, const char *interface, struct fault *fault)
{
	struct iface *iface = iface_find(r, interface);

	if (!iface || !iface->is_ingress)
		return fault_set(fault, -ENOENT,
				 "%s is not an ingress of any group: see xmcastctl list-interfaces",
				 interface);
	iface->decided = iface->tried = false; /* what runs goes only when the mode changes */
	iface->adopted = iface->attached;
	iface->refused_mode = MODE_AUTO;
	r->links_dirty = true;
	return 0;
}

static void on_link(int ifindex, const struct link *link, void *data)
{
	interfaces_link_event(data, ifindex, link);
}

static void on_settled(bool resync, void *data)
{
	struct reconcile *r = data;

	if (resync && r->ifaces)
		interfaces_resync(r);
	if (r->worker)
		reconcile_step(r);
}

static int on_netlink(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct reconcile *r = data;
	(void)source, (void)fd, (void)events;

	int error = netlink_dispatch(r->netlink);
	if (error < 0) {
		struct fault fault;
		fault_set(&fault, error, "reading netlink: %s", strerror(-error));
		note_fault(r, error, &fault);
	}
	return 0;
}

static int open_rooms(struct reconcile *r, struct fault *fault)
{
	const struct netlink_events events = {.link = on_link, .settled = on_settled, .data = r};

	int error = dataplane_open(&r->dp, r->options.bpffs, &r->model->limits, fault);
	if (error)
		return error;
	r->ifaces = calloc(r->dp->sizes.interfaces + 1, sizeof(*r->ifaces));
	r->by_name = calloc(r->dp->sizes.interfaces + 1, sizeof(*r->by_name));
	if (!r->ifaces || !r->by_name)
		return fault_set(fault, -ENOMEM, "out of memory");
	error = netlink_open(&r->netlink, &events);
	if (error)
		return fault_set(fault, error,
				 "cannot use netlink: %s: allow AF_NETLINK and CAP_NET_ADMIN "
				 "(under systemd: RestrictAddressFamilies=)",
				 strerror(-error));
	error = adopt(r);
	if (error)
		return fault_set(fault, error, "taking over the pinned maps: %s", strerror(-error));
	error = worker_open(&r->worker, r);
	if (!error)
		error = sd_event_add_io(r->event, &r->netlink_source, netlink_fd(r->netlink),
					EPOLLIN, on_netlink, r);
	if (error)
		return fault_set(fault, error, "starting the reconciler: %s", strerror(-error));
	return 0;
}

int reconcile_open(struct reconcile **out, sd_event *event, struct model *model,
		   const struct reconcile_options *options, struct fault *fault)
{
	struct reconcile *r = calloc(1, sizeof(*r));

	if (!r)
		return fault_set(fault, -ENOMEM, "out of memory");
	r->event = event;
	r->model = model;
	r->options = *options;
	model->set_gone = sets_gone;
	model->set_gone_data = r;
	r->links_dirty = r->entries_dirty = true;
	int error = open_rooms(r, fault);
	if (error) {
		reconcile_close(r);
		return error;
	}
	*out = r;
	return 0;
}

void reconcile_close(struct reconcile *r)
{
	if (!r)
		return;
	reconcile_trace_stop(r);
	sd_event_source_unref(r->netlink_source);
	sd_event_source_disable_unref(r->refusal_timer);
	sd_event_source_disable_unref(r->retry_timer);
	worker_close(r->worker);
	transaction_free(r);
	sets_free(r);
	excludes_free(r);
	ifaces_free(r);
	netlink_close(r->netlink);
	dataplane_close(r->dp);
	quarantine_free(&r->old);
	quarantine_free(&r->leaving);
	quarantine_free(&r->adopted);
	numbers_free(&r->free_entries);
	numbers_free(&r->free_sets);
	numbers_free(&r->free_ifaces);
	free(r->entries);
	free(r->waiters);
	r->model->set_gone = NULL;
	free(r);
}
