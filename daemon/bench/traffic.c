// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/traffic.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "daemon/bench/frame.h"
#include "daemon/bench/linkfacts.h"
#include "daemon/bench/pktgen.h"
#include "bench_traffic.skel.h"

#define BATCH	64
#define FCS_LEN 4
/*
 * Softirqs run at most 10 times in a row, each for 300 frames (net.core.netdev_budget); then they
 * wait for ksoftirqd, and the rings overflow. So no more copies than that at once.
 */
#define COPIES_AT_ONCE 2048
#define FRAME_BYTES    (FRAME_SIZE_MOST - FCS_LEN)

struct traffic {
	struct bench_traffic_bpf *skel;
	const struct topology *topology;
	unsigned int frame_len; /* bytes without FCS */
	unsigned int batch;
	int packet;	/* AF_PACKET socket on the generator's link */
	int membership; /* another that has a real ingress take all multicast */
	int lent;	/* link of `pass` on a real egress, -1 none */
	struct pktgen_guard guard;
	int cpus;
	__u64 *values; /* of one per-CPU counter */
	unsigned char frame[FRAME_BYTES];
};

void traffic_batch(struct traffic *t, unsigned int wanted, unsigned int receivers)
{
	t->batch = wanted ? wanted : BATCH;
	if (!wanted && t->batch * receivers > COPIES_AT_ONCE)
		t->batch = receivers < COPIES_AT_ONCE ? COPIES_AT_ONCE / receivers : 1;
	t->skel->data->batch = t->batch;
}

/*
 * Most NIC drivers take redirected frames only while they run a program themselves. One that
 * refuses, or runs another already, is left as it is: the cells say what becomes of it.
 */
static void lend(struct traffic *t)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int fd = bpf_program__fd(t->skel->progs.pass);

	for (unsigned int i = 0; i < t->topology->receivers && t->topology->real; i++)
		if (!t->topology->receiver[i])
			t->lent = bpf_link_create(fd, t->topology->egress[i], BPF_XDP, &opts);
}

static int attach_receivers(struct traffic *t)
{
	int program = bpf_program__fd(t->skel->progs.receive), r;

	r = topology_enter_far(t->topology);
	for (unsigned int i = 0; i < t->topology->receivers && !r; i++)
		r = !t->topology->receiver[i] ? 0
					      : bpf_xdp_attach(t->topology->receiver[i], program,
							       XDP_FLAGS_DRV_MODE, NULL);
	/* A devmap finds the device in the namespace of whoever writes the entry. */
	if (!r && !t->topology->real)
		r = bpf_map_update_elem(bpf_map__fd(t->skel->maps.wire), &(__u32){0},
					&t->topology->generator, BPF_ANY);
	if (topology_enter_box(t->topology) && !r)
		r = -errno;
	return r;
}

/* The socket belongs to the namespace it was made in, wherever it is used. */
static int open_packet(struct traffic *t)
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET,
				      .sll_protocol = htons(ETH_P_IP),
				      .sll_ifindex = t->topology->generator};
	int on = 1, r = 0;

	if (!t->topology->generator)
		return 0;
	if (!t->topology->real)
		r = topology_enter_far(t->topology);
	if (r)
		return r;
	t->packet = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (t->packet < 0 || bind(t->packet, (struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(t->packet, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)))
		r = -errno;
	if (topology_enter_box(t->topology) && !r)
		r = -errno;
	return r;
}

/* NICs drop multicast that nobody joined. The membership ends with the socket, however we end. */
static int take_multicast(struct traffic *t)
{
	struct packet_mreq request = {.mr_ifindex = t->topology->ingress,
				      .mr_type = PACKET_MR_ALLMULTI};

	t->membership = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (t->membership < 0 ||
	    setsockopt(t->membership, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request, sizeof(request)))
		return -errno;
	return 0;
}

int traffic_open(struct traffic **out, const struct topology *topology, unsigned int frame_size,
		 struct fault *fault)
{
	struct traffic *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return fault_set(fault, -ENOMEM, "no memory");
	t->topology = topology;
	t->frame_len = frame_size - FCS_LEN;
	t->packet = t->membership = t->lent = -1;
	t->cpus = libbpf_num_possible_cpus();
	t->values = calloc(t->cpus > 0 ? (size_t)t->cpus : 1, sizeof(*t->values));
	t->skel = t->values ? bench_traffic_bpf__open_and_load() : NULL;
	r = t->skel ? attach_receivers(t) : -errno;
	if (!r)
		r = open_packet(t);
	if (!r && topology->real)
		r = take_multicast(t);
	if (!r)
		lend(t);
	if (r) {
		traffic_close(t);
		return fault_set(fault, r, "the generator and the receivers cannot be set up: %s",
				 strerror(-r));
	}
	traffic_batch(t, BATCH, 1);
	frame_make(t->frame, t->frame_len, TRAFFIC_SOURCE, TRAFFIC_GROUP);
	memcpy(t->skel->bss->header, t->frame, sizeof(t->skel->bss->header));
	t->skel->bss->first_group = TRAFFIC_GROUP;
	*out = t;
	return 0;
}

void traffic_close(struct traffic *t)
{
	if (!t)
		return;
	if (t->packet >= 0)
		close(t->packet);
	if (t->membership >= 0)
		close(t->membership);
	if (t->lent >= 0)
		close(t->lent);
	pktgen_unguard(&t->guard);
	bench_traffic_bpf__destroy(t->skel);
	free(t->values);
	free(t);
}

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

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void send_packets(struct traffic *t, uint64_t frames, struct reading *reading)
{
	struct iovec piece = {.iov_base = t->frame, .iov_len = t->frame_len};
	struct mmsghdr messages[BATCH];
	double begin;

	memset(messages, 0, sizeof(messages));
	for (unsigned int i = 0; i < BATCH; i++) {
		messages[i].msg_hdr.msg_iov = &piece;
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	begin = now_ns();
	while (reading->sent < frames) {
		uint64_t left = frames - reading->sent;
		int n = sendmmsg(t->packet, messages, left < BATCH ? (unsigned int)left : BATCH, 0);

		if (n < 0 && (errno == EINTR || errno == ENOBUFS))
			continue;
		if (n < 0) {
			reading->error = -errno;
			break;
		}
		reading->sent += (uint64_t)n;
	}
	if (reading->sent)
		reading->ns = (now_ns() - begin) / (double)reading->sent;
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

/* Each source: its name, and what "sent" counts of it. */
static const struct {
	const char *name, *sent;
} sources[] = {
    [SOURCE_LIVE] = {"live", "frames that the generating program sent"},
    [SOURCE_RUN] = {"live", "frames that the kernel ran the program on"},
    [SOURCE_PACKET] = {"packet", "frames that the AF_PACKET socket took"},
    [SOURCE_PKTGEN] = {"pktgen", "frames that pktgen says it sent"},
    [SOURCE_EXTERNAL] = {"external", "not known here"},
};

const char *source_name(enum source source)
{
	return sources[source].name;
}

json_t *traffic_counted(const struct topology *t, enum source source)
{
	json_t *received = json_object();

	for (unsigned int i = 0; i < t->receivers; i++)
		json_object_set_new(received, t->egress_name[i],
				    json_string(t->receiver[i]
						    ? "frames at an XDP program at its other end"
						    : "tx_packets of its driver"));
	return json_pack("{s:s,s:s,s:o}", "sent", sources[source].sent, "seen",
			 "frames that the program took, by its own counter", "received", received);
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

int traffic_hold_ingress(const struct traffic *t)
{
	return bpf_xdp_attach(t->topology->ingress, traffic_drop_program(t), XDP_FLAGS_DRV_MODE,
			      NULL);
}

int traffic_drop_program(const struct traffic *t)
{
	return bpf_program__fd(t->skel->progs.drop);
}

uint64_t traffic_received(const struct traffic *t, unsigned int i)
{
	struct link_facts facts;
	__u64 sum = 0;
	__u32 key = (__u32)t->topology->receiver[i];

	if (!key) {
		link_facts(t->topology->egress_name[i], &facts);
		return facts.tx_packets;
	}
	if (bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.received), &key, t->values))
		return 0;
	for (int cpu = 0; cpu < t->cpus; cpu++)
		sum += t->values[cpu];
	return sum;
}
