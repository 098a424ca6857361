// SPDX-License-Identifier: GPL-2.0-or-later
/* Sends numbered UDP datagrams to a group through an ordinary socket. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "tests/netns/traffic.h"

#define BATCH 16

struct plan {
	const char *namespace, *interface, *group, *source, *progress;
	uint16_t port;
	int ttl;
	uint64_t first, count, window;
	size_t min, max;
	uint32_t flow;
	double rate, patience;
};

static void usage(void)
{
	fail("usage: send --progress FILE --ns NS --if IF --group ADDR [--port P] [--count N]\n"
	     "  [--first NUMBER] [--min BYTES] [--max BYTES] [--window N] [--source ADDR]\n"
	     "  [--flow N] [--ttl N] [--rate PPS] [--patience SECONDS]\n"
	     "Payloads of --min to --max bytes; never more than --window ahead of the receivers.");
}

static void parse(int argc, char **argv, struct plan *plan)
{
	static const struct option options[] = {
	    {"progress", 1, NULL, 'p'}, {"ns", 1, NULL, 'n'},
	    {"if", 1, NULL, 'i'},	{"group", 1, NULL, 'g'},
	    {"port", 1, NULL, 'P'},	{"count", 1, NULL, 'c'},
	    {"first", 1, NULL, '1'},	{"min", 1, NULL, 'm'},
	    {"max", 1, NULL, 'M'},	{"window", 1, NULL, 'w'},
	    {"source", 1, NULL, 's'},	{"flow", 1, NULL, 'f'},
	    {"ttl", 1, NULL, 't'},	{"rate", 1, NULL, 'r'},
	    {"patience", 1, NULL, 'W'}, {}};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'p':
			plan->progress = optarg;
			break;
		case 'n':
			plan->namespace = optarg;
			break;
		case 'i':
			plan->interface = optarg;
			break;
		case 'g':
			plan->group = optarg;
			break;
		case 's':
			plan->source = optarg;
			break;
		case 'P':
			plan->port = number_option(optarg);
			break;
		case 'c':
			plan->count = number_option(optarg);
			break;
		case '1':
			plan->first = number_option(optarg);
			break;
		case 'm':
			plan->min = number_option(optarg);
			break;
		case 'M':
			plan->max = number_option(optarg);
			break;
		case 'w':
			plan->window = number_option(optarg);
			break;
		case 'f':
			plan->flow = number_option(optarg);
			break;
		case 't':
			plan->ttl = number_option(optarg);
			break;
		case 'r':
			plan->rate = number_option(optarg);
			break;
		case 'W':
			plan->patience = number_option(optarg);
			break;
		default:
			usage();
		}
	}
	if (!plan->progress || !plan->interface || !plan->group || optind != argc ||
	    plan->min < PAYLOAD_MIN || plan->max > PAYLOAD_MAX || plan->min > plan->max)
		usage();
}

static socklen_t address(const char *text, uint16_t port, struct sockaddr_storage *out)
{
	struct sockaddr_in *in = (struct sockaddr_in *)out;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;

	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		return sizeof(*in);
	}
	if (inet_pton(AF_INET6, text, &in6->sin6_addr) != 1)
		fail("not an address: %s", text);
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	return sizeof(*in6);
}

static void set(int fd, int level, int option, const void *value, socklen_t size)
{
	if (setsockopt(fd, level, option, value, size))
		fail("setsockopt %d %d: %s", level, option, strerror(errno));
}

static int open_socket(const struct plan *plan)
{
	unsigned int index = interface_index(plan->interface);
	struct ip_mreqn request = {.imr_ifindex = index};
	struct sockaddr_storage to, from;
	socklen_t size = address(plan->group, plan->port, &to);
	int off = 0, fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fail("socket: %s", strerror(errno));
	if (to.ss_family == AF_INET) {
		set(fd, IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof(request));
		set(fd, IPPROTO_IP, IP_MULTICAST_TTL, &plan->ttl, sizeof(plan->ttl));
		set(fd, IPPROTO_IP, IP_MULTICAST_LOOP, &off, sizeof(off));
	} else {
		set(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof(index));
		set(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &plan->ttl, sizeof(plan->ttl));
		set(fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, &off, sizeof(off));
	}
	if (plan->source && bind(fd, (struct sockaddr *)&from, address(plan->source, 0, &from)))
		fail("bind %s: %s", plan->source, strerror(errno));
	if (connect(fd, (struct sockaddr *)&to, size))
		fail("connect %s: %s", plan->group, strerror(errno));
	return fd;
}

static void send_batch(int fd, const struct plan *plan, uint64_t number, unsigned int count)
{
	static uint8_t data[BATCH][PAYLOAD_MAX];
	struct mmsghdr message[BATCH] = {};
	struct iovec piece[BATCH];
	unsigned int done = 0;

	for (unsigned int i = 0; i < count; i++) {
		piece[i].iov_base = data[i];
		piece[i].iov_len = payload_size(number + i, plan->min, plan->max);
		payload_fill(data[i], piece[i].iov_len, plan->flow, number + i);
		message[i].msg_hdr.msg_iov = &piece[i];
		message[i].msg_hdr.msg_iovlen = 1;
	}
	while (done < count) {
		int sent = sendmmsg(fd, message + done, count - done, 0);
		if (sent < 0 && errno != EINTR && errno != ENOBUFS)
			fail("send number %llu: %s", (unsigned long long)number + done,
			     strerror(errno));
		done += sent > 0 ? sent : 0;
	}
}

/* A batch, but at most half a window, so that sender and receivers overlap. */
static uint64_t step_size(const struct plan *plan, uint64_t left)
{
	uint64_t step = BATCH;

	if (plan->window && plan->window / 2 < step)
		step = plan->window > 1 ? plan->window / 2 : 1;
	return step < left ? step : left;
}

int main(int argc, char **argv)
{
	struct plan plan = {
	    .namespace = ".",
	    .port = 5000,
	    .ttl = 8,
	    .count = 1000,
	    .window = 128,
	    .min = 64,
	    .max = 1472,
	    .patience = 10,
	};
	struct progress *progress;
	double began;
	int fd;

	parse(argc, argv, &plan);
	progress = progress_open(plan.progress);
	enter_namespace(plan.namespace);
	fd = open_socket(&plan);
	wait_for_receivers(progress, plan.patience);
	began = now();
	for (uint64_t done = 0; done < plan.count;) {
		uint64_t step = step_size(&plan, plan.count - done);

		pace(progress, plan.first + done + step, plan.window, plan.patience);
		pace_rate(began, done, plan.rate);
		send_batch(fd, &plan, plan.first + done, step);
		done += step;
	}
	printf("sent=%llu seconds=%.3f\n", (unsigned long long)plan.count, now() - began);
	return 0;
}
