// SPDX-License-Identifier: GPL-2.0-or-later
/* The sources: who sends the frames of one run, and how that is timed. */
#include "daemon/bench/traffic_internal.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "daemon/bench/clock.h"
#include "daemon/bench/output.h"

/*
 * BPF_PROG_TEST_RUN, with live frames or without; the kernel's mean ns per frame goes to
 * *duration.
 */
static int run(struct traffic *t, int program, int ingress, uint64_t frames, bool live,
	       uint32_t *duration)
{
	struct xdp_md ctx = {.data_end = t->frame_len, .ingress_ifindex = (__u32)ingress};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = t->frame, .data_size_in = t->frame_len,
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = (int)frames,
		    .flags = live ? BPF_F_TEST_XDP_LIVE_FRAMES : 0,
		    .batch_size = live ? t->batch : 0);
	int r = bpf_prog_test_run_opts(program, &opts);

	*duration = opts.duration;
	return r;
}

static void send_live(struct traffic *t, uint64_t frames, struct reading *reading)
{
	uint32_t duration;
	uint64_t sent;

	t->skel->bss->sent = t->skel->bss->last_sent = 0;
	t->skel->bss->until_clock = 0;
	reading->error =
	    run(t, bpf_program__fd(t->skel->progs.generate), 0, frames, true, &duration);
	reading->sent = t->skel->bss->sent;
	sent = t->skel->bss->last_sent;
	if (sent)
		reading->ns =
		    (double)(t->skel->bss->last_ns - t->skel->bss->first_ns) / (double)sent;
}

#define PACED_BATCH 8 /* frames at once when not as many as go are wanted */

/* Returns when frame number `sent` is due. */
static void pace(const struct traffic *t, double begin, uint64_t sent)
{
	double left = t->pps ? begin + 1e9 * (double)sent / t->pps - clock_ns() : 0;
	struct timespec pause = {.tv_sec = (time_t)(left / 1e9)};

	pause.tv_nsec = (long)(left - 1e9 * (double)pause.tv_sec);
	if (left > 0)
		nanosleep(&pause, NULL);
}

static void send_packets(struct traffic *t, uint64_t frames, struct reading *reading)
{
	struct iovec piece = {.iov_base = t->frame, .iov_len = t->frame_len};
	struct mmsghdr messages[TRAFFIC_BATCH];
	double begin;

	memset(messages, 0, sizeof(messages));
	for (unsigned int i = 0; i < TRAFFIC_BATCH; i++) {
		messages[i].msg_hdr.msg_iov = &piece;
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	begin = clock_ns();
	while (reading->sent < frames) {
		uint64_t left = frames - reading->sent;
		unsigned int most = t->pps ? PACED_BATCH : TRAFFIC_BATCH;
		int n;

		if (t->pps && output_stopping()) {
			reading->error = -EINTR;
			break;
		}
		pace(t, begin, reading->sent);
		n = sendmmsg(t->packet, messages, left < most ? (unsigned int)left : most, 0);
		if (n < 0 && (errno == EINTR || errno == ENOBUFS))
			continue;
		if (n < 0) {
			reading->error = -errno;
			break;
		}
		reading->sent += (uint64_t)n;
	}
	if (reading->sent)
		reading->ns = (clock_ns() - begin) / (double)reading->sent;
}

bool traffic_pktgen_is_safe(const struct traffic *t)
{
	bool safe;

	if (!t->topology->real && topology_enter_far(t->topology))
		return false;
	safe = pktgen_unshares(t->topology->generator_name, sched_getcpu());
	if (!t->topology->real && topology_enter_box(t->topology))
		return false;
	return safe;
}

/* Its files are those of the namespace that the sending link is in. */
static void send_pktgen(struct traffic *t, uint64_t frames, struct reading *reading)
{
	struct pktgen_job job = {.device = t->topology->generator_name,
				 .cpu = sched_getcpu(),
				 .frames = frames,
				 .frame_len = t->frame_len,
				 .pps = t->pps,
				 .source = TRAFFIC_SOURCE,
				 .group = TRAFFIC_GROUP};

	memcpy(job.group_mac, t->frame, sizeof(job.group_mac));
	memcpy(job.source_mac, t->frame + sizeof(job.group_mac), sizeof(job.source_mac));
	if (!t->topology->real)
		reading->error = topology_enter_far(t->topology);
	else if (!t->guard.child)
		reading->error = pktgen_guard(&t->guard, job.device, job.cpu, &reading->said);
	if (!reading->error)
		reading->error = pktgen_send(&job, &reading->sent, &reading->ns, &reading->said);
	if (!t->topology->real && topology_enter_box(t->topology) && !reading->error)
		reading->error = -errno;
}

void traffic_send(struct traffic *t, enum source source, int program, uint64_t frames,
		  struct reading *reading)
{
	memset(reading, 0, sizeof(*reading));
	if (source == SOURCE_RUN)
		traffic_run(t, program, frames, 0, reading);
	else if (source == SOURCE_LIVE)
		send_live(t, frames, reading);
	else if (source == SOURCE_PKTGEN)
		send_pktgen(t, frames, reading);
	else
		send_packets(t, frames, reading);
}

void traffic_run(struct traffic *t, int program, uint64_t frames, unsigned int groups,
		 struct reading *reading)
{
	uint32_t duration = 0;

	memset(reading, 0, sizeof(*reading));
	if (groups) {
		t->skel->bss->sent = 0;
		t->skel->bss->group_count = groups;
		reading->error = bpf_map_update_elem(bpf_map__fd(t->skel->maps.next), &(__u32){0},
						     &program, BPF_ANY);
		program = bpf_program__fd(t->skel->progs.randomize);
	}
	if (!reading->error)
		reading->error = run(t, program, t->topology->ingress, frames, true, &duration);
	reading->sent = reading->error ? 0 : frames;
	reading->ns = duration;
}

void traffic_run_alone(struct traffic *t, int program, uint64_t frames, struct reading *reading)
{
	uint32_t duration = 0;

	memset(reading, 0, sizeof(*reading));
	reading->error = run(t, program, t->topology->ingress, frames, false, &duration);
	reading->ns = duration;
}
