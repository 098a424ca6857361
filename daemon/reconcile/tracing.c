// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracing. While somebody traces, the ingresses run the tracing instance of the program; frames
 * and what became of their copies come as events, in the order in which each CPU made them:
 *
 *   native   a frame, then for each egress the flush of its bulk queue. Of a flush that dropped
 *            some the first `sent` copies left. A copy that nobody tells of was skipped by the
 *            kernel without a word; the link says why.
 *            A broadcast for which there was no memory reached those in front, however many.
 *   generic  a frame, then its result: of the copies, in the order of the devmap, `done` were
 *            handed over; the one behind them failed, and with it the rest.
 *
 * A frame is told when all its copies are accounted for, or after PATIENCE.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/dataplane/tracer.h"
#include "daemon/model/reasons.h"
#include "daemon/reconcile/frame.h"

#define PATIENCE   200000000ULL /* ns: polls and flushes of a frame are over long before */
#define LOOK_EVERY 50000ULL	/* us */

struct pending {
	struct xm_trace_frame frame;
	struct explain explain;
	struct copy_fate *fates; /* by explain.copy */
	uint64_t since;
	struct pending *next;
};

struct tracing {
	struct trace_wish wish;
	struct pending *first, **last;
	unsigned int told, seen;
	uint64_t deadline;
	sd_event_source *events, *timer;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

bool tracing_covers(const struct reconcile *r, const struct iface *iface)
{
	const struct tracing *t = r->tracing;

	return t && (!t->wish.from[0] || !strcmp(t->wish.from, iface->name));
}

static void pending_free(struct pending *p)
{
	explain_free(&p->explain);
	free(p->fates);
	free(p);
}

static void settle(struct pending *p, size_t i, enum fate fate, enum xm_reason reason)
{
	if (p->fates[i].fate == FATE_OPEN)
		p->fates[i] = (struct copy_fate){fate, reason};
}

/*
 * The copy for a device. The maps may have changed since the frame: a member that is known by its
 * own events only is added, when `may_add`. -1: it is not there, and not added.
 */
static long copy_of(struct pending *p, int ifindex, bool may_add)
{
	struct explain *e = &p->explain;
	size_t i = 0;

	while (i < e->copies && e->copy[i].ifindex != ifindex)
		i++;
	if (i < e->copies)
		return i;
	if (!may_add || i >= p->frame.due)
		return -1;
	struct explain_copy *copies = reallocarray(e->copy, i + 1, sizeof(*copies));
	if (!copies)
		return -1;
	e->copy = copies;
	struct copy_fate *fates = reallocarray(p->fates, i + 1, sizeof(*fates));
	if (!fates)
		return -1;
	p->fates = fates;
	e->copy[i] = (struct explain_copy){.ifindex = ifindex};
	fates[i] = (struct copy_fate){0};
	e->copies++;
	return i;
}

static bool is_settled(const struct pending *p)
{
	if (p->explain.copies < p->frame.due)
		return false;
	for (size_t i = 0; i < p->explain.copies; i++)
		if (p->fates[i].fate == FATE_OPEN)
			return false;
	return true;
}

/* --- telling --- */

static void report_words(struct reconcile *r, const struct pending *p, struct frame_report *out)
{
	const struct xm_trace_frame *f = &p->frame;
	struct explain_frame frame = {.key = f->key,
				      .source = f->source,
				      .control = f->protocol == XM_PROTOCOL_CONTROL ||
						 f->protocol == XM_PROTOCOL_IGMP ||
						 f->protocol == XM_PROTOCOL_MLD};

	if (f->group) {
		out->verdict = f->reason == XM_REASON_NONE ? "copied" : "dropped";
		out->reason = f->reason;
		return;
	}
	if (!f->parsed)
		return;
	struct explain again = {0}; /* only for words: what would be said now */
	if (!dataplane_explain(r->dp, &frame, &again) && again.verdict == EXPLAIN_UNMATCHED)
		frame_why_unmatched(r, &frame, &again, out->detail, sizeof(out->detail));
	explain_free(&again);
}

static void tell_frame(struct reconcile *r, struct pending *p)
{
	struct tracing *t = r->tracing;
	const struct xm_trace_frame *f = &p->frame;
	bool ip = f->protocol != XM_PROTOCOL_MALFORMED && f->protocol != XM_PROTOCOL_UNICAST &&
		  f->protocol != XM_PROTOCOL_BROADCAST;
	struct frame_report report = {.number = ++t->told,
				      .address = {f->key.address, 128},
				      .source = {f->source, 128},
				      .has_source = ip && f->source.word[2],
				      .vlan = f->key.vlan,
				      .size = f->size,
				      .verdict = "passed",
				      .reason = XM_REASON_NONE,
				      .protocol = f->protocol};

	memcpy(report.ingress, r->dp->interface_records[f->slot].name, sizeof(report.ingress));
	report_words(r, p, &report);
	if (frame_fill(r, &p->explain, f->needed, p->fates, &report))
		return;
	t->wish.frame(&report, t->wish.token);
}

/* Tells those at the head that are settled, in the order in which they came. */
static void tell_settled(struct reconcile *r, bool patient)
{
	struct tracing *t = r->tracing;
	uint64_t now = now_ns();

	while (t->first && (is_settled(t->first) || !patient || now - t->first->since > PATIENCE)) {
		struct pending *p = t->first;
		t->first = p->next;
		if (!t->first)
			t->last = &t->first;
		tell_frame(r, p);
		pending_free(p);
	}
}

/* --- events --- */

static void on_frame(struct reconcile *r, const struct xm_trace_frame *f)
{
	struct tracing *t = r->tracing;
	struct pending *p = calloc(1, sizeof(*p));

	if (!p || f->slot > r->dp->sizes.interfaces)
		goto fail;
	p->frame = *f;
	p->since = now_ns();
	p->explain =
	    (struct explain){.group = f->group, .complete = true, .ingress_word = f->ingress_word};
	if (f->group &&
	    dataplane_explain_copies(r->dp, f->word, f->ingress_word, f->needed, &p->explain))
		goto fail;
	if (f->group)
		p->explain.due = f->due;
	p->fates = calloc(p->explain.copies + 1, sizeof(*p->fates));
	if (!p->fates)
		goto fail;
	for (size_t i = 0; i < p->explain.copies; i++) {
		if (p->explain.copy[i].too_big)
			settle(p, i, FATE_LOST, XM_REASON_TOO_BIG);
		else if (p->explain.copy[i].excluded)
			settle(p, i, FATE_LOST, XM_REASON_EXCLUDED);
	}
	t->seen++;
	*t->last = p;
	t->last = &p->next;
	return;
fail:
	if (p)
		pending_free(p);
}

/* The copy of a frame that was flushed: by its place among the last, when that is known. */
static void flush_one(struct pending *p, size_t i, const struct xm_trace_flush *flush)
{
	uint64_t count = (uint64_t)flush->sent + flush->drops, order = p->frame.order;
	int32_t drops = flush->drops - (int32_t)flush->excluded;
	uint64_t first = flush->order + 1 - count;

	if (drops <= 0)
		settle(p, i, FATE_SENT, XM_REASON_NONE);
	else if (!flush->sent)
		settle(p, i, FATE_LOST, flush->reason);
	else if (flush->excluded || first < flush->run || order < first)
		settle(p, i, FATE_UNSURE, flush->reason);
	else if (order - first < (uint64_t)flush->sent)
		settle(p, i, FATE_SENT, XM_REASON_NONE);
	else
		settle(p, i, FATE_LOST, flush->reason);
}

static void on_flush(struct tracing *t, const struct xm_trace_flush *flush)
{
	uint64_t first = flush->order + 1 - flush->sent - flush->drops;

	for (struct pending *p = t->first; p; p = p->next) {
		if (p->frame.cpu != flush->cpu || p->frame.order > flush->order ||
		    p->frame.verdict != XDP_REDIRECT)
			continue;
		/* a device that the maps do not name any more: only when it was among these surely
		 */
		bool surely = p->frame.order >= first && first >= flush->run;
		long i = copy_of(p, flush->ifindex, surely);
		if (i >= 0)
			flush_one(p, i, flush);
	}
}

static void result_of(struct reconcile *r, struct pending *p, const struct xm_trace_result *result)
{
	uint32_t done = result->generic ? result->done : 0, unsure = 0;

	if (result->only && result->only <= r->dp->sizes.interfaces)
		copy_of(p, r->dp->interface_records[result->only].ifindex, true);
	else if (!result->generic && p->explain.left > 2)
		unsure = p->explain.left - 2; /* the kernel stopped at one of them, or behind */

	for (size_t i = 0; i < p->explain.copies; i++) {
		if (p->explain.copy[i].too_big)
			continue;
		if (done)
			done--, settle(p, i, FATE_SENT, XM_REASON_NONE);
		else if (result->failed && unsure)
			unsure--, settle(p, i, FATE_UNSURE, result->reason);
		else if (result->failed)
			settle(p, i, FATE_LOST, result->reason);
	}
}

static void on_result(struct reconcile *r, const struct xm_trace_result *result)
{
	for (struct pending *p = r->tracing->first; p; p = p->next)
		if (p->frame.cpu == result->cpu && p->frame.order == result->order &&
		    p->frame.verdict == XDP_REDIRECT)
			result_of(r, p, result);
}

static void on_trace_event(const void *event, void *data)
{
	struct reconcile *r = data;

	switch (*(const uint32_t *)event) {
	case XM_TRACE_FRAME:
		on_frame(r, event);
		break;
	case XM_TRACE_FLUSH:
		on_flush(r->tracing, event);
		break;
	case XM_TRACE_RESULT:
		on_result(r, event);
		break;
	}
}

/* --- beginning and end --- */

/*
 * All ingresses it is about, with the instance that r->tracing wants now. Returns how many; `error`
 * and `why`: what was wrong with the first of the others, 0 and "" when nothing was. Whoever waits
 * for a change does not hear of it.
 */
static int switch_programs(struct reconcile *r, const char *from, int *error, struct fault *why)
{
	struct fault fault;
	int count = 0;

	*error = 0;
	why->text[0] = 0;
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		if (!iface || !iface->attached || (from[0] && strcmp(from, iface->name)))
			continue;
		const struct link *link = netlink_by_index(r->netlink, iface->ifindex);
		if (!link)
			continue;
		int refused = attach_renew(r, iface, link, &fault);
		count += !refused;
		if (refused && !*error) {
			*error = refused;
			*why = fault;
		}
	}
	return count;
}

void reconcile_trace_stop(struct reconcile *r)
{
	struct tracing *t = r->tracing;
	struct fault why;
	int error;

	if (!t)
		return;
	r->tracing = NULL;
	switch_programs(r, t->wish.from, &error, &why); /* the ingresses keep what was wrong */
	if (retry_helps(error)) {
		r->passing = true;
		retry_plan(r); /* no round may come by itself */
	}
	sd_event_source_disable_unref(t->events);
	sd_event_source_disable_unref(t->timer);
	tracer_close(r->dp);
	while (t->first) {
		struct pending *p = t->first;
		t->first = p->next;
		pending_free(p);
	}
	free(t);
}

static void finish_if_over(struct reconcile *r)
{
	struct tracing *t = r->tracing;
	struct trace_wish wish = t->wish;
	bool late = now_ns() > t->deadline;
	unsigned int told;

	if (!late && (t->seen < wish.count || t->first))
		return;
	tell_settled(r, false);
	told = t->told;
	reconcile_trace_stop(r);
	wish.done(told, late ? "time is up" : "all were seen", wish.token);
}

static int on_events(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct reconcile *r = data;
	(void)source, (void)fd, (void)events;

	tracer_read(r->dp);
	tell_settled(r, true);
	finish_if_over(r);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct reconcile *r = data;

	sd_event_source_set_time(source, usec + LOOK_EVERY);
	sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return on_events(NULL, -1, 0, r);
}

static int listen_to(struct reconcile *r, struct tracing *t)
{
	uint64_t now;
	int error = sd_event_add_io(r->event, &t->events, tracer_fd(r->dp), EPOLLIN, on_events, r);

	if (error >= 0)
		error = sd_event_now(r->event, CLOCK_MONOTONIC, &now);
	if (error >= 0)
		error = sd_event_add_time(r->event, &t->timer, CLOCK_MONOTONIC, now + LOOK_EVERY, 0,
					  on_timer, r);
	return error < 0 ? error : 0;
}

/* Why no ingress, or not `from`, runs a program; `error` and `why`: of switch_programs(). */
static int no_program(const struct reconcile *r, const char *from, int error,
		      const struct fault *why, struct fault *fault)
{
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		const struct iface *iface = r->ifaces[slot];
		if (!iface || !iface->is_ingress || (from[0] && strcmp(from, iface->name)))
			continue;
		if (iface->attached)
			return fault_set(
			    fault, error ? error : -EIO,
			    "the program of %s cannot be exchanged for one that traces: "
			    "%.300s",
			    iface->name, why->text);
		enum xm_reason reason = report_reason(r, iface);
		return fault_set(fault, -ENOENT,
				 "%s runs no program that could see a frame: %s (%s): see "
				 "xmcastctl list-interfaces",
				 iface->name, reason_name(reason), reason_text(reason));
	}
	if (from[0])
		return fault_set(fault, -ENOENT,
				 "no group has %s as its ingress, so that it has no program that "
				 "could see a frame: see xmcastctl list-groups",
				 from);
	return fault_set(fault, -ENOENT,
			 "no ingress has a program that could see a frame: see xmcastctl "
			 "list-groups");
}

int reconcile_trace(struct reconcile *r, const struct trace_wish *wish, struct fault *fault)
{
	const struct tracer_wish filter = {wish->address, wish->unmatched, wish->count};
	struct iface *iface = wish->from[0] ? iface_find(r, wish->from) : NULL;
	struct fault why = {0};
	int refused = 0;

	if (wish->from[0] && (!iface || !iface->attached))
		return no_program(r, wish->from, 0, &why, fault);
	struct tracing *t = calloc(1, sizeof(*t));
	if (!t)
		return fault_set(fault, -ENOMEM, "out of memory");
	int error = tracer_open(r->dp, &filter, on_trace_event, r, fault);
	if (error) {
		free(t);
		return error;
	}
	*t = (struct tracing){.wish = *wish, .last = &t->first};
	r->tracing = t;
	error = listen_to(r, t);
	if (error)
		fault_set(fault, error, "cannot trace: %s", strerror(-error));
	else if (!switch_programs(r, wish->from, &refused, &why))
		error = no_program(r, wish->from, refused, &why, fault);
	if (!error) {
		t->deadline = now_ns() + wish->seconds * 1000000000ULL;
		error = tracer_begin(r->dp, &filter, t->deadline, fault);
	}
	if (error)
		reconcile_trace_stop(r);
	return error;
}
