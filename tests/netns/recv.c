// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Receives the datagrams of send.c in many namespaces at once, each through an ordinary
 * socket that joined the group, and checks every one: number, order, every byte.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tests/netns/receiver.h"
#include "tests/netns/traffic.h"

struct plan {
	const char *progress, *group[GROUPS_MAX], *source, *join_source;
	unsigned int groups;
	uint16_t port;
	uint64_t first, count;
	uint32_t flow;
	double deadline, quiet;
};

static void usage(void)
{
	fail("usage: recv --progress FILE --group ADDR [--group ADDR]... [--port P] [--count N]\n"
	     "  [--first NUMBER] [--flow N] [--source ADDR] [--deadline SECONDS]\n"
	     "  [--quiet SECONDS] ROLE:NS:IF...\n"
	     "ROLE: all (must get every datagram once, in order), some (may lose, else the\n"
	     "same), none (must get none). Ends when every `all` has all and nothing came for\n"
	     "--quiet seconds more, or at the deadline. One line of result per receiver.");
}

static void parse(int argc, char **argv, struct plan *plan)
{
	static const struct option options[] = {
	    {"progress", 1, NULL, 'p'}, {"group", 1, NULL, 'g'},
	    {"port", 1, NULL, 'P'},	{"count", 1, NULL, 'c'},
	    {"first", 1, NULL, '1'},	{"flow", 1, NULL, 'f'},
	    {"source", 1, NULL, 's'},	{"deadline", 1, NULL, 'd'},
	    {"quiet", 1, NULL, 'q'},	{}};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'p':
			plan->progress = optarg;
			break;
		case 'g':
			if (plan->groups == GROUPS_MAX)
				usage();
			plan->group[plan->groups++] = optarg;
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
		case 'f':
			plan->flow = number_option(optarg);
			break;
		case 's':
			plan->source = optarg;
			break;
		case 'd':
			plan->deadline = number_option(optarg);
			break;
		case 'q':
			plan->quiet = number_option(optarg) / 1000.0;
			break;
		default:
			usage();
		}
	}
	if (!plan->progress || !plan->groups || optind == argc || argc - optind > RECEIVERS_MAX)
		usage();
}

/* Opens one receiver per argument; those that hold the sender back come first. */
static unsigned int open_all(const struct plan *plan, int count, char **specs,
			     struct receiver *receivers, int epoll)
{
	unsigned int opened = 0, pacing = 0;

	for (enum role role = ROLE_ALL; role <= ROLE_NONE; role++) {
		for (int i = 0; i < count; i++) {
			struct receiver *r = &receivers[opened];
			struct epoll_event event = {.events = EPOLLIN, .data.u32 = opened};

			if (!receiver_parse(r, specs[i]))
				usage();
			if (r->role != role)
				continue;
			receiver_open(r, plan->group, plan->groups, plan->port);
			receiver_expect(r, plan->flow, plan->first, plan->count, plan->source);
			if (epoll_ctl(epoll, EPOLL_CTL_ADD, r->fd, &event))
				fail("epoll: %s", strerror(errno));
			opened++;
			pacing += role == ROLE_ALL;
		}
	}
	return pacing;
}

static bool complete(const struct receiver *receivers, unsigned int pacing)
{
	for (unsigned int i = 0; i < pacing; i++)
		if (receivers[i].got < receivers[i].count)
			return false;
	return true;
}

/* Takes datagrams until there is nothing more to wait for. */
static void receive(const struct plan *plan, struct receiver *receivers, unsigned int pacing,
		    int epoll, struct progress *progress)
{
	double until = now() + plan->deadline;
	bool have_all = false;

	while (now() < until) {
		struct epoll_event events[64];
		int timeout = have_all ? plan->quiet * 1000 : 100;
		int n = epoll_wait(epoll, events, 64, timeout);

		if (n == 0 && have_all)
			return;
		for (int i = 0; i < n; i++) {
			unsigned int which = events[i].data.u32;

			receiver_read(&receivers[which]);
			atomic_store_explicit(&progress->seen[which], receivers[which].next,
					      memory_order_relaxed);
		}
		have_all = pacing && complete(receivers, pacing);
	}
}

int main(int argc, char **argv)
{
	static struct receiver receivers[RECEIVERS_MAX];
	struct plan plan = {.port = 5000, .count = 1000, .deadline = 30, .quiet = 0.1};
	int epoll = epoll_create1(EPOLL_CLOEXEC), bad = 0;
	struct progress *progress;
	unsigned int pacing, count;

	parse(argc, argv, &plan);
	count = argc - optind;
	progress = progress_open(plan.progress);
	pacing = open_all(&plan, count, argv + optind, receivers, epoll);
	for (unsigned int i = 0; i < count; i++)
		atomic_store(&progress->seen[i], plan.first);
	atomic_store(&progress->pacing, pacing);
	atomic_store(&progress->receivers, count);
	receive(&plan, receivers, pacing, epoll, progress);
	for (unsigned int i = 0; i < count; i++)
		bad += !receiver_report(&receivers[i]);
	return bad ? 1 : 0;
}
