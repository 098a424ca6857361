// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

struct watch {
	struct model *model;
	struct reconcile *reconcile;
	int fd; /* the other end is a peer of the control room; -1: no watchdog */
	bool waiting;
	uint64_t interval; /* us */
	sd_event_source *tick, *answer, *status;
	char told[256];
};

static int rearm(struct watch *watch)
{
	int r = sd_event_source_set_time_relative(watch->tick, watch->interval);

	return r < 0 ? r : sd_event_source_set_enabled(watch->tick, SD_EVENT_ONESHOT);
}

/* A question that has no answer yet is not asked again: the watchdog will bite. */
static int on_tick(sd_event_source *source, uint64_t usec, void *data)
{
	static const char call[] = "{\"method\":\"org.varlink.service.GetInfo\"}";
	struct watch *watch = data;

	(void)source;
	(void)usec;
	if (!watch->waiting)
		watch->waiting =
		    send(watch->fd, call, sizeof(call), MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
	return rearm(watch);
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct watch *watch = data;
	char text[1024];
	ssize_t n = recv(fd, text, sizeof(text), MSG_DONTWAIT);

	(void)events;
	if (n == 0 || (n < 0 && errno != EAGAIN)) /* no peer any more: the watchdog will bite */
		return sd_event_source_set_enabled(source, SD_EVENT_OFF);
	if (n < 0 || text[n - 1]) /* only a part of it */
		return 0;
	watch->waiting = false;
	if (reconcile_probe(watch->reconcile) == 0)
		sd_notify(0, "WATCHDOG=1");
	return 0;
}

static int on_status(sd_event_source *source, void *data)
{
	struct watch *watch = data;
	struct reconcile_summary s;
	char text[sizeof(watch->told)];

	(void)source;
	reconcile_summarize(watch->reconcile, &s);
	snprintf(text, sizeof(text),
		 "%zu groups; ingresses: %u of %u attached; egresses: %u of %u ready",
		 watch->model->group_count, s.attached, s.ingresses, s.ready, s.egresses);
	if (!strcmp(text, watch->told))
		return 0;
	strcpy(watch->told, text);
	sd_notifyf(0, "STATUS=%s", text);
	return 0;
}

static int open_watchdog(struct watch *watch, sd_event *event, struct control *control)
{
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	watch->fd = pair[0];
	r = control_serve(control, pair[1]);
	if (r >= 0)
		r = sd_event_add_io(event, &watch->answer, watch->fd, EPOLLIN, on_answer, watch);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &watch->tick, CLOCK_MONOTONIC, 0, 0, on_tick,
					       watch);
	return r;
}

int watch_open(struct watch **out, sd_event *event, struct model *model,
	       struct reconcile *reconcile, struct control *control, struct fault *fault)
{
	struct watch *watch = calloc(1, sizeof(*watch));
	uint64_t usec;
	int r;

	if (!watch)
		return fault_set(fault, -ENOMEM, "out of memory");
	*watch = (struct watch){.model = model, .reconcile = reconcile, .fd = -1};
	r = sd_event_add_defer(event, &watch->status, on_status, watch);
	if (r >= 0)
		r = sd_event_source_set_priority(watch->status, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0 && sd_watchdog_enabled(0, &usec) > 0) {
		watch->interval = usec / 4;
		r = open_watchdog(watch, event, control);
	}
	if (r < 0) {
		watch_close(watch);
		return fault_set(fault, r, "the watchdog cannot be served: %s", strerror(-r));
	}
	*out = watch;
	return 0;
}

void watch_close(struct watch *watch)
{
	if (!watch)
		return;
	sd_event_source_disable_unref(watch->tick);
	sd_event_source_disable_unref(watch->answer);
	sd_event_source_disable_unref(watch->status);
	if (watch->fd >= 0)
		close(watch->fd);
	free(watch);
}

void watch_changed(struct watch *watch)
{
	if (watch)
		sd_event_source_set_enabled(watch->status, SD_EVENT_ONESHOT);
}
