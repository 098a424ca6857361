// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures frames in many namespaces at once, those of one source MAC only, so that the
 * hosts' own chatter stays out. Writes DIR/NS.frames: for each frame a host-order u32 size and
 * the bytes as they were on the wire, with the VLAN tag that the kernel takes off put back.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/netns/traffic.h"

#define FRAME_MAX 9216

struct plan {
	const char *progress, *directory;
	uint8_t source[ETH_ALEN];
	uint64_t count;
	double deadline, quiet;
};

struct tap {
	char namespace[64], interface[IF_NAMESIZE];
	bool none; /* must get none */
	int fd;
	FILE *file;
	uint64_t got;
};

static void usage(void)
{
	fail("usage: capture --progress FILE --src MAC --dir DIR [--count N]\n"
	     "  [--deadline SECONDS] [--quiet MILLISECONDS] ROLE:NS:IF...\n"
	     "ROLE: all (must get --count frames) or none. Ends as recv does.");
}

static void parse(int argc, char **argv, struct plan *plan)
{
	static const struct option options[] = {{"progress", 1, NULL, 'p'},
						{"src", 1, NULL, 's'},
						{"dir", 1, NULL, 'd'},
						{"count", 1, NULL, 'c'},
						{"deadline", 1, NULL, 'D'},
						{"quiet", 1, NULL, 'q'},
						{}};
	uint8_t *s = plan->source;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'p':
			plan->progress = optarg;
			break;
		case 's':
			if (sscanf(optarg, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &s[0], &s[1], &s[2],
				   &s[3], &s[4], &s[5]) != 6)
				usage();
			break;
		case 'd':
			plan->directory = optarg;
			break;
		case 'c':
			plan->count = number_option(optarg);
			break;
		case 'D':
			plan->deadline = number_option(optarg);
			break;
		case 'q':
			plan->quiet = number_option(optarg) / 1000.0;
			break;
		default:
			usage();
		}
	}
	if (!plan->progress || !plan->directory || optind == argc || argc - optind > RECEIVERS_MAX)
		usage();
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
	bool done = false;

	for (unsigned int i = 0; i < count; i++)
		polled[i] = (struct pollfd){.fd = taps[i].fd, .events = POLLIN};
	while (now() < until) {
		int n = poll(polled, count, done ? plan->quiet * 1000 : 100);

		if (n == 0 && done)
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
	return tap->got == (tap->none ? 0 : plan->count) && !stats.tp_drops;
}

int main(int argc, char **argv)
{
	static struct tap taps[RECEIVERS_MAX];
	struct plan plan = {.count = 1000, .deadline = 30, .quiet = 0.1};
	struct progress *progress;
	unsigned int count;
	int bad = 0;

	parse(argc, argv, &plan);
	count = argc - optind;
	progress = progress_open(plan.progress);
	for (unsigned int i = 0; i < count; i++) {
		char role[8];

		if (sscanf(argv[optind + i], "%7[^:]:%63[^:]:%15s", role, taps[i].namespace,
			   taps[i].interface) != 3)
			usage();
		taps[i].none = !strcmp(role, "none");
		tap_open(&taps[i], plan.directory);
		atomic_store(&progress->seen[i], taps[i].none ? UINT64_MAX : 0);
	}
	atomic_store(&progress->pacing, count);
	atomic_store(&progress->receivers, count);
	capture(&plan, taps, count, progress);
	for (unsigned int i = 0; i < count; i++)
		bad += !report(&plan, &taps[i]);
	return bad ? 1 : 0;
}
