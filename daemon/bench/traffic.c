// SPDX-License-Identifier: GPL-2.0-or-later
/* Both ends of a measurement: set up, counted, taken down. */
#include "daemon/bench/traffic_internal.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/bench/frame.h"
#include "daemon/bench/linkfacts.h"

/*
 * Softirqs run at most 10 times in a row, each for 300 frames (net.core.netdev_budget); then they
 * wait for ksoftirqd, and the rings overflow. So no more copies than that at once.
 */
#define COPIES_AT_ONCE 2048

void traffic_batch(struct traffic *t, unsigned int wanted, unsigned int receivers)
{
	t->batch = wanted ? wanted : TRAFFIC_BATCH;
	if (!wanted && t->batch * receivers > COPIES_AT_ONCE)
		t->batch = receivers < COPIES_AT_ONCE ? COPIES_AT_ONCE / receivers : 1;
	t->skel->data->batch = t->batch;
}

void traffic_pace(struct traffic *t, unsigned int pps)
{
	t->pps = pps;
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
	traffic_batch(t, TRAFFIC_BATCH, 1);
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

/* What is read of a real egress: its driver's counters. */
static const char *read_egress(const char *name, bool native, uint64_t *frames)
{
	struct link_facts facts;

	if (native && !link_xdp_transmitted(name, frames))
		return "xdp_tx less xdp_tx_drops of its driver";
	link_facts(name, &facts);
	*frames = facts.tx_packets;
	return "tx_packets of its driver";
}

json_t *traffic_counted(const struct topology *t, enum source source, bool native)
{
	json_t *received = json_object();
	uint64_t frames;

	for (unsigned int i = 0; i < t->receivers; i++)
		json_object_set_new(
		    received, t->egress_name[i],
		    json_string(t->receiver[i] ? "frames at an XDP program at its other end"
					       : read_egress(t->egress_name[i], native, &frames)));
	return json_pack("{s:s,s:s,s:o}", "sent", sources[source].sent, "seen",
			 "frames that the program took, by its own counter", "received", received);
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

uint64_t traffic_received(const struct traffic *t, unsigned int i, bool native)
{
	uint64_t frames;
	__u64 sum = 0;
	__u32 key = (__u32)t->topology->receiver[i];

	if (!key) {
		read_egress(t->topology->egress_name[i], native, &frames);
		return frames;
	}
	if (bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.received), &key, t->values))
		return 0;
	for (int cpu = 0; cpu < t->cpus; cpu++)
		sum += t->values[cpu];
	return sum;
}
