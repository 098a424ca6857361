// SPDX-License-Identifier: GPL-2.0-or-later
/* Sends numbered UDP datagrams to a group through an ordinary socket. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "tests/netns/traffic.h"

#define BATCH 16

struct plan {
	char *namespace, *interface, *group, *source, *progress;
	int port, ttl;
	long long first, count, window;
	int min, max, flow;
	double rate, patience;
};

static void parse(int argc, char **argv, struct plan *p)
{
	const struct poptOption options[] = {
	    {"progress", 0, POPT_ARG_STRING, &p->progress, 0, "shared with the receivers", "FILE"},
	    {"ns", 0, POPT_ARG_STRING, &p->namespace, 0, "where to send from", "NAME"},
	    {"if", 0, POPT_ARG_STRING, &p->interface, 0, "through which interface", "NAME"},
	    {"group", 0, POPT_ARG_STRING, &p->group, 0, "where to send to", "ADDRESS"},
	    {"port", 0, POPT_ARG_INT, &p->port, 0, "its port", "N"},
	    {"source", 0, POPT_ARG_STRING, &p->source, 0, "which address of ours", "ADDRESS"},
	    {"ttl", 0, POPT_ARG_INT, &p->ttl, 0, "TTL or hop limit", "N"},
	    {"count", 0, POPT_ARG_LONGLONG, &p->count, 0, "datagrams", "N"},
	    {"first", 0, POPT_ARG_LONGLONG, &p->first, 0, "number of the first", "N"},
	    {"flow", 0, POPT_ARG_INT, &p->flow, 0, "what tells senders apart", "N"},
	    {"min", 0, POPT_ARG_INT, &p->min, 0, "least payload", "BYTES"},
	    {"max", 0, POPT_ARG_INT, &p->max, 0, "largest payload", "BYTES"},
	    {"window", 0, POPT_ARG_LONGLONG, &p->window, 0, "most under way; 0: not paced", "N"},
	    {"rate", 0, POPT_ARG_DOUBLE, &p->rate, 0, "most in a second; 0: any", "N"},
	    {"patience", 0, POPT_ARG_DOUBLE, &p->patience, 0, "for receivers", "SECONDS"},
	    POPT_TABLEEND};

	if (*take_options(argc, argv, options, "") || !p->progress || !p->interface || !p->group ||
	    p->min < PAYLOAD_MIN || p->max > PAYLOAD_MAX || p->min > p->max)
		fail("not a possible plan: see --help");
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

	if (plan->window && (uint64_t)plan->window / 2 < step)
		step = plan->window > 1 ? plan->window / 2 : 1;
	return step < left ? step : left;
}

int main(int argc, char **argv)
{
	struct plan plan = {
	    .namespace = (char[]){"."},
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
	stay_on_cpu();
	enter_namespace(plan.namespace);
	fd = open_socket(&plan);
	wait_for_receivers(progress, plan.patience);
	began = now();
	for (uint64_t done = 0; done < (uint64_t)plan.count;) {
		uint64_t step = step_size(&plan, plan.count - done);

		pace(progress, plan.first + done + step, plan.window, plan.patience);
		pace_rate(began, done, plan.rate);
		send_batch(fd, &plan, plan.first + done, step);
		done += step;
	}
	atomic_store(&progress->finished, 1);
	printf("sent=%lld seconds=%.3f\n", plan.count, now() - began);
	return 0;
}
