// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/traffic.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/ethernet.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

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
#define SOURCE_IP      0xc0000201 /* 192.0.2.1, of RFC 5737 */
#define UDP_PORT       5000
#define FRAME_BYTES    (FRAME_SIZE_MOST - FCS_LEN)

struct traffic {
	struct bench_traffic_bpf *skel;
	const struct topology *topology;
	unsigned int frame_len; /* bytes without FCS */
	unsigned int batch;
	int packet;	/* AF_PACKET socket on the generator's link */
	int membership; /* another that has a real ingress take all multicast */
	int cpus;
	__u64 *values; /* of one per-CPU counter */
	unsigned char frame[FRAME_BYTES];
};

/* The Internet checksum (RFC 1071) of an IPv4 header. */
static uint16_t ip_checksum(const struct iphdr *ip)
{
	const unsigned char *p = (const void *)ip;
	uint32_t sum = 0;

	for (size_t i = 0; i < sizeof(*ip); i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t) ~(sum + (sum >> 16)));
}

/* Of a datagram whose payload is zeros, with the pseudo-header (RFC 768). */
static uint16_t udp_checksum(const struct iphdr *ip, const struct udphdr *udp)
{
	uint32_t source = ntohl(ip->saddr), group = ntohl(ip->daddr), sum;

	sum = (source >> 16) + (source & 0xffff) + (group >> 16) + (group & 0xffff) + IPPROTO_UDP +
	      ntohs(udp->len) + ntohs(udp->source) + ntohs(udp->dest) + ntohs(udp->len);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16)) & 0xffff;
	return htons(sum ? (uint16_t)sum : 0xffff);
}

void traffic_group(struct traffic *t, uint32_t group)
{
	struct ethhdr ethernet = {
	    .h_dest = {1, 0, 0x5e, group >> 16 & 0x7f, group >> 8 & 0xff, group & 0xff},
	    .h_source = {2, 0, 0, 0, 0, 1},
	    .h_proto = htons(ETH_P_IP)};
	uint16_t ip_len = (uint16_t)(t->frame_len - sizeof(ethernet));
	struct iphdr ip = {.version = 4,
			   .ihl = 5,
			   .tot_len = htons(ip_len),
			   .ttl = 64,
			   .protocol = IPPROTO_UDP,
			   .saddr = htonl(SOURCE_IP),
			   .daddr = htonl(group)};
	struct udphdr udp = {.source = htons(UDP_PORT),
			     .dest = htons(UDP_PORT),
			     .len = htons((uint16_t)(ip_len - sizeof(ip)))};

	ip.check = ip_checksum(&ip);
	udp.check = udp_checksum(&ip, &udp);
	memcpy(t->frame, &ethernet, sizeof(ethernet));
	memcpy(t->frame + sizeof(ethernet), &ip, sizeof(ip));
	memcpy(t->frame + sizeof(ethernet) + sizeof(ip), &udp, sizeof(udp));
	memcpy(t->skel->bss->header, t->frame, sizeof(t->skel->bss->header));
	t->skel->bss->first_group = group;
}

void traffic_batch(struct traffic *t, unsigned int wanted, unsigned int receivers)
{
	t->batch = wanted ? wanted : BATCH;
	if (!wanted && t->batch * receivers > COPIES_AT_ONCE)
		t->batch = receivers < COPIES_AT_ONCE ? COPIES_AT_ONCE / receivers : 1;
	t->skel->data->batch = t->batch;
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
	t->packet = t->membership = -1;
	t->cpus = libbpf_num_possible_cpus();
	t->values = calloc(t->cpus > 0 ? (size_t)t->cpus : 1, sizeof(*t->values));
	t->skel = t->values ? bench_traffic_bpf__open_and_load() : NULL;
	r = t->skel ? attach_receivers(t) : -errno;
	if (!r)
		r = open_packet(t);
	if (!r && topology->real)
		r = take_multicast(t);
	if (r) {
		traffic_close(t);
		return fault_set(fault, r, "the generator and the receivers cannot be set up: %s",
				 strerror(-r));
	}
	traffic_batch(t, BATCH, 1);
	traffic_group(t, 0xef010001);
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
	bench_traffic_bpf__destroy(t->skel);
	free(t->values);
	free(t);
}

/* BPF_PROG_TEST_RUN with live frames; the kernel's mean ns per frame goes to *duration. */
static int run_live(struct traffic *t, int program, int ingress, uint64_t frames,
		    uint32_t *duration)
{
	struct xdp_md ctx = {.data_end = t->frame_len, .ingress_ifindex = (__u32)ingress};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = t->frame, .data_size_in = t->frame_len,
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = (int)frames,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = t->batch);
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
	    run_live(t, bpf_program__fd(t->skel->progs.generate), 0, frames, &duration);
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
				 .source = SOURCE_IP,
				 .group = t->skel->bss->first_group};

	memcpy(job.group_mac, t->frame, sizeof(job.group_mac));
	memcpy(job.source_mac, t->frame + sizeof(job.group_mac), sizeof(job.source_mac));
	if (!t->topology->real)
		reading->error = topology_enter_far(t->topology);
	if (!reading->error)
		reading->error = pktgen_send(&job, &reading->sent, &reading->ns, &reading->said);
	if (!t->topology->real && topology_enter_box(t->topology) && !reading->error)
		reading->error = -errno;
}

const char *source_name(enum source source)
{
	return source == SOURCE_PACKET ? "packet" : source == SOURCE_PKTGEN ? "pktgen" : "live";
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
		reading->error = run_live(t, program, t->topology->ingress, frames, &duration);
	reading->sent = reading->error ? 0 : frames;
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
