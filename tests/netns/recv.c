// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Receives the datagrams of send.c in many namespaces at once, each through an ordinary
 * socket that joined the group, and checks every one: number, order, every byte.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tests/netns/receiver.h"
#include "tests/netns/traffic.h"

struct plan {
	char *progress, *source;
	const char *group[GROUPS_MAX];
	unsigned int groups;
	int port, flow, quiet;
	long long first, count;
	double deadline;
	const char **specs; /* ROLE:NS:IF, NULL-ended */
};

static const char words[] =
    "ROLE:NS:IF...\n\n"
    "ROLE: all (must get every datagram once, in order), some (may lose, else the same), none\n"
    "(must get none). Ends when every `all` has all and nothing more came for a while, or when\n"
    "nothing came at all until the deadline. Prints one line for each receiver; exit code 0 when "
    "each got what it must.\n";

static void parse(int argc, char **argv, struct plan *p)
{
	char **joined = NULL;
	const struct poptOption options[] = {
	    {"progress", 0, POPT_ARG_STRING, &p->progress, 0, "shared with the sender", "FILE"},
	    {"group", 0, POPT_ARG_ARGV, &joined, 0, "to join; may be repeated", "ADDRESS"},
	    {"port", 0, POPT_ARG_INT, &p->port, 0, "its port", "N"},
	    {"source", 0, POPT_ARG_STRING, &p->source, 0, "from this one only", "ADDRESS"},
	    {"count", 0, POPT_ARG_LONGLONG, &p->count, 0, "datagrams", "N"},
	    {"first", 0, POPT_ARG_LONGLONG, &p->first, 0, "number of the first", "N"},
	    {"flow", 0, POPT_ARG_INT, &p->flow, 0, "what tells senders apart", "N"},
	    {"deadline", 0, POPT_ARG_DOUBLE, &p->deadline, 0, "for all", "SECONDS"},
	    {"quiet", 0, POPT_ARG_INT, &p->quiet, 0, "wait so long for more", "MILLISECONDS"},
	    POPT_TABLEEND};

	p->specs = take_options(argc, argv, options, words);
	while (joined && joined[p->groups] && p->groups < GROUPS_MAX) {
		p->group[p->groups] = joined[p->groups];
		p->groups++;
	}
	if (!p->progress || !p->groups || !*p->specs)
		fail("not a possible plan: see --help");
}

/* Opens one receiver per argument; those that hold the sender back come first. */
static unsigned int open_all(const struct plan *plan, struct receiver *receivers,
			     unsigned int *pacing, int epoll)
{
	unsigned int opened = 0;

	for (enum role role = ROLE_ALL; role <= ROLE_NONE; role++) {
		for (unsigned int i = 0; plan->specs[i]; i++) {
			struct receiver *r = &receivers[opened];
			struct epoll_event event = {.events = EPOLLIN, .data.u32 = opened};

			if (opened == RECEIVERS_MAX || !receiver_parse(r, plan->specs[i]))
				fail("not a receiver, or one too many: %s", plan->specs[i]);
			if (r->role != role)
				continue;
			receiver_open(r, plan->group, plan->groups, plan->port);
			receiver_expect(r, plan->flow, plan->first, plan->count, plan->source);
			if (epoll_ctl(epoll, EPOLL_CTL_ADD, r->fd, &event))
				fail("epoll: %s", strerror(errno));
			opened++;
			*pacing += role == ROLE_ALL;
		}
	}
	return opened;
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
	bool have_all = complete(receivers, pacing);

	while (now() < until) {
		struct epoll_event events[64];
		int left = patience_left(progress, have_all, pacing, plan->quiet);
		int n = epoll_wait(epoll, events, 64, left < 0 ? 20 : left);

		if (n == 0 && left >= 0)
			return;
		if (n > 0)
			until = now() + plan->deadline;
		for (int i = 0; i < n; i++) {
			unsigned int which = events[i].data.u32;

			receiver_read(&receivers[which]);
			atomic_store_explicit(&progress->seen[which], receivers[which].next,
					      memory_order_relaxed);
		}
		have_all = complete(receivers, pacing);
	}
}

int main(int argc, char **argv)
{
	static struct receiver receivers[RECEIVERS_MAX];
	struct plan plan = {.port = 5000, .count = 1000, .deadline = 30, .quiet = 100};
	int epoll = epoll_create1(EPOLL_CLOEXEC), bad = 0;
	struct progress *progress;
	unsigned int pacing = 0, count;

	parse(argc, argv, &plan);
	progress = progress_open(plan.progress);
	count = open_all(&plan, receivers, &pacing, epoll);
	for (unsigned int i = 0; i < count; i++)
		atomic_store(&progress->seen[i], plan.first);
	atomic_store(&progress->pacing, pacing);
	atomic_store(&progress->receivers, count);
	receive(&plan, receivers, pacing, epoll, progress);
	for (unsigned int i = 0; i < count; i++)
		bad += !receiver_report(&receivers[i]);
	return bad ? 1 : 0;
}
