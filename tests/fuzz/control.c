/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What any peer can send: the codec and all methods, with a backend without a kernel. The
 * first byte of an input says who sends (bit 0: may change; 1: the kernel is slow; 2: it fails),
 * the second in pieces of how many bytes; then come the messages, with a newline for NUL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/monitor.h"
#include "tests/unit/control/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OUT_MAX (4u << 20) /* far above what a session may have unsent */

struct peer_model {
	struct fake fake;
	struct service service;
	struct session session;
	bool awake;
};

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "broken promise: %s\n", what);
	abort();
}

static void wake(void *data)
{
	struct peer_model *peer = data;

	peer->awake = true;
}

/* Every byte that goes out belongs to a whole, well-formed reply. */
static void read_replies(struct session *session)
{
	struct frames frames = {.in = session->out, .limit = OUT_MAX};
	size_t held = buffer_len(&session->out), taken = 0, len;
	const char *text;

	while (taken < held && frames_next(&frames, &text, &len) == 1) {
		struct codec_error error;
		struct reply reply;

		require(reply_decode(text, len, &reply, &error) == 0, "a reply is well formed");
		require(!reply.error || strchr(reply.error, '.'), "an error has its interface");
		reply_free(&reply);
		/* not frames_drop(): the buffer is the session's */
		frames.in.start += len + 1;
		frames.scanned = 0;
		taken += len + 1;
	}
	require(taken == held, "replies are whole");
	buffer_drop(&session->out, held);
}

static void run(struct peer_model *peer)
{
	struct session *session = &peer->session;
	int steps = 0;

	do {
		peer->awake = false;
		session_run(session);
		require(buffer_len(&session->out) < OUT_MAX, "output is bounded");
		if (session->state == SESSION_WAITING)
			fake_release(&peer->fake);
		if (session->state == SESSION_MONITORING)
			monitor_event(&peer->service, "test", "interface", "veth\xff", "reason");
		read_replies(session);
		require(steps++ < 100000, "it comes to an end");
	} while (peer->awake && session->state != SESSION_MONITORING);
}

static void feed(struct peer_model *peer, const uint8_t *data, size_t size, size_t piece)
{
	struct session *session = &peer->session;

	while (size && session->state != SESSION_ENDING && session->state != SESSION_MONITORING) {
		char bytes[256];
		size_t len = size < piece ? size : piece;

		require(session_room(session) >= len, "a session that is ready takes input");
		for (size_t i = 0; i < len; i++)
			bytes[i] = data[i] == '\n' ? 0 : (char)data[i];
		require(session_input(session, bytes, len) == 0, "there is memory");
		run(peer);
		data += len;
		size -= len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct peer_model peer = {};
	size_t count;

	if (size < 2)
		return 0;
	fake_init(&peer.fake);
	peer.fake.model->limits.groups = 50;
	fake_config_group(&peer.fake, "239.0.0.7");
	fake_fill(&peer.fake, 3);
	peer.fake.hold = data[0] & 2;
	peer.fake.error = data[0] & 4 ? -5 : 0;
	peer.service.backend = &peer.fake.backend;
	require(session_init(&peer.session, &peer.service, data[0] & 1, wake, &peer) == 0,
		"there is memory");
	count = peer.fake.model->group_count;
	feed(&peer, data + 2, size - 2, data[1] ? data[1] : 256);
	session_finish(&peer.session);
	require(data[0] & 1 || peer.fake.changes == 0, "others change nothing");
	require(data[0] & 1 || peer.fake.model->group_count == count, "others change nothing");
	require(peer.fake.model->group_count <= 50, "limits hold");
	fake_finish(&peer.fake);
	return 0;
}
