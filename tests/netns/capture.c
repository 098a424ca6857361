// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures frames in many namespaces at once, those of one source MAC only, so that the
 * hosts' own chatter stays out. Writes DIR/NS.frames: for each frame a host-order u32 size and
 * the bytes as they were on the wire, with the VLAN tag that the kernel takes off put back.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/netns/traffic.h"

#define FRAME_MAX 9216

struct plan {
	char *progress, *directory, *source_text;
	uint8_t source[ETH_ALEN];
	long long count;
	int quiet;
	double deadline;
	const char **specs; /* ROLE:NS:IF, NULL-ended */
};

struct tap {
	char namespace[64], interface[IF_NAMESIZE];
	bool none; /* must get none */
	int fd;
	FILE *file;
	uint64_t got;
};

static const char words[] = "ROLE:NS:IF...\n\nROLE: all (must get --count frames) or none. Ends as "
			    "recv does.\n";

static void parse(int argc, char **argv, struct plan *p)
{
	const struct poptOption options[] = {
	    {"progress", 0, POPT_ARG_STRING, &p->progress, 0, "shared with the sender", "FILE"},
	    {"dir", 0, POPT_ARG_STRING, &p->directory, 0, "where captures are written", "DIR"},
	    {"src", 0, POPT_ARG_STRING, &p->source_text, 0, "frames of this one only", "MAC"},
	    {"count", 0, POPT_ARG_LONGLONG, &p->count, 0, "frames", "N"},
	    {"deadline", 0, POPT_ARG_DOUBLE, &p->deadline, 0, "for all", "SECONDS"},
	    {"quiet", 0, POPT_ARG_INT, &p->quiet, 0, "wait so long for more", "MILLISECONDS"},
	    POPT_TABLEEND};
	uint8_t *s = p->source;

	p->specs = take_options(argc, argv, options, words);
	if (!p->progress || !p->directory || !p->source_text || !*p->specs ||
	    sscanf(p->source_text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &s[0], &s[1], &s[2], &s[3],
		   &s[4], &s[5]) != 6)
		fail("not a possible plan: see --help");
}

static void tap_open(struct tap *tap, const char *directory)
{
	struct sockaddr_ll link = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	struct packet_mreq promisc = {.mr_type = PACKET_MR_PROMISC};
	int on = 1, size = 32 << 20;
	char *path;

	enter_namespace(tap->namespace);
	link.sll_ifindex = promisc.mr_ifindex = interface_index(tap->interface);
	tap->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (tap->fd < 0 || setsockopt(tap->fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) ||
	    setsockopt(tap->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promisc, sizeof(promisc)) ||
	    setsockopt(tap->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    bind(tap->fd, (struct sockaddr *)&link, sizeof(link)))
		fail("packet socket in %s: %s", tap->namespace, strerror(errno));
	if (asprintf(&path, "%s/%s.frames", directory, tap->namespace) < 0)
		fail("out of memory");
	tap->file = fopen(path, "we");
	if (!tap->file)
		fail("%s: %s", path, strerror(errno));
	free(path);
}

/* Puts the tag that the kernel took off back behind the addresses; the new size. */
static size_t retag(struct msghdr *message, uint8_t *frame, size_t size)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		struct tpacket_auxdata aux;
		uint16_t tag[2];

		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		if (!(aux.tp_status & TP_STATUS_VLAN_VALID))
			continue;
		tag[0] = htons(aux.tp_status & TP_STATUS_VLAN_TPID_VALID ? aux.tp_vlan_tpid
									 : ETH_P_8021Q);
		tag[1] = htons(aux.tp_vlan_tci);
		memmove(frame + 16, frame + 12, size - 12);
		memcpy(frame + 12, tag, 4);
		return size + 4;
	}
	return size;
}

/* Takes one frame; false when none waits. */
static bool tap_read(struct tap *tap, const uint8_t *source)
{
	static uint8_t frame[FRAME_MAX + 4];
	char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct sockaddr_ll from;
	struct iovec piece = {frame, FRAME_MAX};
	struct msghdr message = {.msg_iov = &piece,
				 .msg_iovlen = 1,
				 .msg_name = &from,
				 .msg_namelen = sizeof(from),
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(tap->fd, &message, 0);
	uint32_t size;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n < 0)
		fail("receive in %s: %s", tap->namespace, strerror(errno));
	if (from.sll_pkttype == PACKET_OUTGOING || n < ETH_HLEN ||
	    memcmp(frame + ETH_ALEN, source, ETH_ALEN))
		return true;
	size = retag(&message, frame, n);
	fwrite(frame, size, fwrite(&size, sizeof(size), 1, tap->file), tap->file);
	tap->got++;
	return true;
}

static bool complete(const struct tap *taps, unsigned int count, uint64_t want)
{
	for (unsigned int i = 0; i < count; i++)
		if (!taps[i].none && taps[i].got < want)
			return false;
	return true;
}

static void capture(const struct plan *plan, struct tap *taps, unsigned int count,
		    struct progress *progress)
{
	double until = now() + plan->deadline;
	struct pollfd polled[RECEIVERS_MAX];
	bool done = complete(taps, count, plan->count), must = false;

	for (unsigned int i = 0; i < count; i++)
		polled[i] = (struct pollfd){.fd = taps[i].fd, .events = POLLIN};
	for (unsigned int i = 0; i < count; i++)
		must |= !taps[i].none;
	while (now() < until) {
		int left = patience_left(progress, done, must, plan->quiet);
		int n = poll(polled, count, left < 0 ? 20 : left);

		if (n == 0 && left >= 0)
			return;
		for (unsigned int i = 0; i < count; i++) {
			if (!polled[i].revents)
				continue;
			for (int burst = 0; burst < 64 && tap_read(&taps[i], plan->source); burst++)
				;
			/* Those that must get none do not hold the sender back. */
			atomic_store(&progress->seen[i], taps[i].none ? UINT64_MAX : taps[i].got);
		}
		done = complete(taps, count, plan->count);
	}
}

static bool report(const struct plan *plan, struct tap *tap)
{
	struct tpacket_stats stats;
	socklen_t size = sizeof(stats);

	if (getsockopt(tap->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) || fclose(tap->file))
		fail("end of capture in %s: %s", tap->namespace, strerror(errno));
	printf("%s:%s got=%llu capture-drops=%u\n", tap->namespace, tap->interface,
	       (unsigned long long)tap->got, stats.tp_drops);
	return tap->got == (tap->none ? 0 : (uint64_t)plan->count) && !stats.tp_drops;
}

int main(int argc, char **argv)
{
	static struct tap taps[RECEIVERS_MAX];
	struct plan plan = {.count = 1000, .deadline = 30, .quiet = 100};
	struct progress *progress;
	unsigned int count = 0;
	int bad = 0;

	parse(argc, argv, &plan);
	progress = progress_open(plan.progress);
	for (; plan.specs[count] && count < RECEIVERS_MAX; count++) {
		struct tap *tap = &taps[count];
		char role[8];

		if (sscanf(plan.specs[count], "%7[^:]:%63[^:]:%15s", role, tap->namespace,
			   tap->interface) != 3)
			fail("not a receiver: %s", plan.specs[count]);
		tap->none = !strcmp(role, "none");
		tap_open(tap, plan.directory);
		atomic_store(&progress->seen[count], tap->none ? UINT64_MAX : 0);
	}
	atomic_store(&progress->pacing, count);
	atomic_store(&progress->receivers, count);
	capture(&plan, taps, count, progress);
	for (unsigned int i = 0; i < count; i++)
		bad += !report(&plan, &taps[i]);
	return bad ? 1 : 0;
}
