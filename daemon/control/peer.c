/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_AT_ONCE (64u << 10)
/* Links, sources of the reconciler and signals come first. */
#define PEER_PRIORITY (SD_EVENT_PRIORITY_NORMAL + 10)

uint64_t peer_deadline_usec = 10 * 1000000ULL;

void peer_free(struct peer *peer)
{
	struct peer **link = peer->head;

	while (*link && *link != peer)
		link = &(*link)->next;
	if (*link)
		*link = peer->next;
	sd_event_source_disable_unref(peer->io);
	sd_event_source_disable_unref(peer->wake);
	sd_event_source_disable_unref(peer->deadline);
	session_finish(&peer->session);
	close(peer->fd);
	free(peer);
}

static void wake(void *data)
{
	struct peer *peer = data;

	sd_event_source_set_enabled(peer->wake, SD_EVENT_ONESHOT);
}

/* Sends what the socket takes. Negative: the peer is gone. */
static int flush(struct peer *peer)
{
	struct buffer *out = &peer->session.out;

	while (buffer_len(out)) {
		ssize_t n = send(peer->fd, out->data + out->start, buffer_len(out),
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		buffer_drop(out, n);
		peer->waits_for = DEADLINE_NONE; /* it reads: the time starts anew */
		wake(peer);
	}
	return 0;
}

static int set_deadline(struct peer *peer)
{
	int wanted = DEADLINE_NONE;
	uint64_t now;
	int r;

	if (buffer_len(&peer->session.out))
		wanted = DEADLINE_OUTPUT;
	else if (session_is_halfway(&peer->session))
		wanted = DEADLINE_INPUT;
	/* a byte more of the same message does not buy time */
	if (wanted == (int)peer->waits_for && peer->calls == peer->session.calls)
		return 0;
	peer->waits_for = wanted;
	peer->calls = peer->session.calls;
	if (wanted == DEADLINE_NONE)
		return sd_event_source_set_enabled(peer->deadline, SD_EVENT_OFF);
	r = sd_event_now(sd_event_source_get_event(peer->deadline), CLOCK_MONOTONIC, &now);
	if (r >= 0)
		r = sd_event_source_set_time(peer->deadline, now + peer_deadline_usec);
	if (r >= 0)
		r = sd_event_source_set_enabled(peer->deadline, SD_EVENT_ONESHOT);
	return r;
}

/* True when nothing more will come of this peer. */
static bool is_over(const struct peer *peer)
{
	const struct session *session = &peer->session;

	if (buffer_len(&session->out))
		return false;
	if (session->state == SESSION_ENDING)
		return true;
	return peer->at_end && session->state == SESSION_READY &&
	       buffer_len(&session->frames.in) == session->frames.scanned;
}

/* After anything happened: send, and wait for what is possible now. */
static void settle(struct peer *peer)
{
	uint32_t events = 0;

	if (flush(peer) < 0 || is_over(peer)) {
		peer_free(peer);
		return;
	}
	if (!peer->at_end && session_room(&peer->session))
		events |= EPOLLIN;
	if (buffer_len(&peer->session.out))
		events |= EPOLLOUT;
	if (sd_event_source_set_io_events(peer->io, events) < 0 || set_deadline(peer) < 0)
		peer_free(peer);
}

/* Negative: the peer is gone. */
static int take_input(struct peer *peer)
{
	static char bytes[READ_AT_ONCE]; /* the daemon has one thread */
	size_t room = session_room(&peer->session);
	ssize_t n;

	if (!room || peer->at_end)
		return 0;
	n = recv(peer->fd, bytes, room < sizeof(bytes) ? room : sizeof(bytes), MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (n == 0)
		peer->at_end = true;
	wake(peer);
	return session_input(&peer->session, bytes, n);
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct peer *peer = data;
	bool waits = peer->session.state == SESSION_READY && !peer->at_end;

	(void)source;
	(void)fd;
	/* Hung up: nobody reads an answer any more, but whole calls that came before count. */
	if ((events & (EPOLLHUP | EPOLLERR)) && !(waits && session_room(&peer->session))) {
		peer_free(peer);
		return 0;
	}
	if (take_input(peer) < 0)
		peer_free(peer);
	else
		settle(peer);
	return 0;
}

static int on_wake(sd_event_source *source, void *data)
{
	struct peer *peer = data;

	(void)source;
	session_run(&peer->session);
	settle(peer);
	return 0;
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *data)
{
	struct peer *peer = data;

	(void)source;
	(void)usec;
	if (peer->waits_for == DEADLINE_INPUT) {
		session_error(&peer->session, "MalformedMessage",
			      "half a message and then silence: the connection is closed");
		flush(peer);
	}
	peer_free(peer);
	return 0;
}

static int add_sources(struct peer *peer, sd_event *event)
{
	int r = sd_event_add_io(event, &peer->io, peer->fd, EPOLLIN, on_io, peer);

	if (r >= 0)
		r = sd_event_source_set_priority(peer->io, PEER_PRIORITY);
	if (r >= 0)
		r = sd_event_add_defer(event, &peer->wake, on_wake, peer);
	if (r >= 0)
		r = sd_event_source_set_priority(peer->wake, PEER_PRIORITY);
	if (r >= 0)
		r = sd_event_source_set_enabled(peer->wake, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_time(event, &peer->deadline, CLOCK_MONOTONIC, UINT64_MAX, 0,
				      on_deadline, peer);
	if (r >= 0)
		r = sd_event_source_set_enabled(peer->deadline, SD_EVENT_OFF);
	return r;
}

int peer_new(struct peer **head, sd_event *event, struct service *service, int fd, uid_t uid,
	     bool may_change)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	int r = -ENOMEM;

	if (!peer || session_init(&peer->session, service, may_change, wake, peer) < 0) {
		free(peer);
		close(fd);
		return r;
	}
	peer->fd = fd;
	peer->uid = uid;
	peer->session.is_root = uid == 0;
	peer->head = head;
	peer->next = *head;
	*head = peer;
	r = add_sources(peer, event);
	if (r < 0)
		peer_free(peer);
	return r < 0 ? r : 0;
}
