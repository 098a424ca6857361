// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends whole Ethernet frames: tagged, of any type, or UDP with the numbered payload of
 * traffic.h; for what no ordinary socket can send. Keeps a record to compare with captures.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <popt.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/netns/traffic.h"

#define FRAME_MAX 9216

struct plan {
	char *progress, *namespace, *interface, *record, *from, *to;
	char *destination_text, *source_text, *vlan;
	uint8_t destination[ETH_ALEN], source[ETH_ALEN];
	unsigned int outer, inner; /* VLAN ids, 0: none */
	int type;		   /* EtherType, without from and to */
	int port, flow, min, max;
	long long count, window;
};

static void parse_mac(const char *text, uint8_t *out)
{
	if (!text || sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &out[0], &out[1], &out[2],
			    &out[3], &out[4], &out[5]) != 6)
		fail("--dst and --src must be MACs");
}

static void parse(int argc, char **argv, struct plan *p)
{
	const struct poptOption options[] = {
	    {"progress", 0, POPT_ARG_STRING, &p->progress, 0, "shared with the capture", "FILE"},
	    {"ns", 0, POPT_ARG_STRING, &p->namespace, 0, "where to send from", "NAME"},
	    {"if", 0, POPT_ARG_STRING, &p->interface, 0, "through which interface", "NAME"},
	    {"dst", 0, POPT_ARG_STRING, &p->destination_text, 0, "destination", "MAC"},
	    {"src", 0, POPT_ARG_STRING, &p->source_text, 0, "source", "MAC"},
	    {"vlan", 0, POPT_ARG_STRING, &p->vlan, 0, "one tag, or two", "VID[.VID]"},
	    {"type", 0, POPT_ARG_INT, &p->type, 0, "EtherType; or UDP with:", "N"},
	    {"from", 0, POPT_ARG_STRING, &p->from, 0, "source", "ADDRESS"},
	    {"to", 0, POPT_ARG_STRING, &p->to, 0, "destination", "ADDRESS"},
	    {"port", 0, POPT_ARG_INT, &p->port, 0, "both ports", "N"},
	    {"count", 0, POPT_ARG_LONGLONG, &p->count, 0, "frames", "N"},
	    {"min", 0, POPT_ARG_INT, &p->min, 0, "least payload", "BYTES"},
	    {"max", 0, POPT_ARG_INT, &p->max, 0, "largest payload", "BYTES"},
	    {"window", 0, POPT_ARG_LONGLONG, &p->window, 0, "most under way; 0: not paced", "N"},
	    {"flow", 0, POPT_ARG_INT, &p->flow, 0, "what tells senders apart", "N"},
	    {"record", 0, POPT_ARG_STRING, &p->record, 0, "what was sent", "FILE"},
	    POPT_TABLEEND};

	if (*take_options(argc, argv, options, "") || !p->progress || !p->interface ||
	    !p->from != !p->to || !p->from == !p->type || p->min < PAYLOAD_MIN ||
	    p->max > PAYLOAD_MAX || p->min > p->max)
		fail("not a possible plan: see --help");
	parse_mac(p->destination_text, p->destination);
	parse_mac(p->source_text, p->source);
	if (p->vlan && sscanf(p->vlan, "%u.%u", &p->outer, &p->inner) < 1)
		fail("not a VLAN: %s", p->vlan);
}

static uint32_t sum(const void *data, size_t size, uint32_t start)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i + 1 < size; i += 2)
		start += byte[i] << 8 | byte[i + 1];
	if (size & 1)
		start += byte[size - 1] << 8;
	return start;
}

static uint16_t fold(uint32_t total)
{
	while (total >> 16)
		total = (total & 0xffff) + (total >> 16);
	return ~total;
}

/* The UDP header in front of the payload that is there already. RFC 768, 8200: never 0. */
static void put_udp(uint8_t *at, size_t payload, uint16_t port, uint32_t pseudo)
{
	struct udphdr udp = {.source = htons(port), .dest = htons(port), .len = htons(8 + payload)};
	uint16_t check;

	memcpy(at, &udp, sizeof(udp));
	check = fold(sum(at, 8 + payload, pseudo + IPPROTO_UDP + 8 + payload));
	udp.check = htons(check ? check : 0xffff);
	memcpy(at, &udp, sizeof(udp));
}

static size_t put_ipv4(uint8_t *at, const struct plan *plan, size_t payload)
{
	struct iphdr ip = {.version = 4, .ihl = 5, .ttl = 8, .protocol = IPPROTO_UDP};

	ip.tot_len = htons(sizeof(ip) + 8 + payload);
	if (inet_pton(AF_INET, plan->from, &ip.saddr) != 1 ||
	    inet_pton(AF_INET, plan->to, &ip.daddr) != 1)
		return 0;
	ip.check = htons(fold(sum(&ip, sizeof(ip), 0)));
	memcpy(at, &ip, sizeof(ip));
	put_udp(at + sizeof(ip), payload, plan->port, sum(&ip.saddr, 8, 0));
	return sizeof(ip) + 8;
}

static size_t put_ipv6(uint8_t *at, const struct plan *plan, size_t payload)
{
	struct ip6_hdr ip = {.ip6_flow = htonl(6u << 28), .ip6_nxt = IPPROTO_UDP, .ip6_hlim = 8};

	ip.ip6_plen = htons(8 + payload);
	if (inet_pton(AF_INET6, plan->from, &ip.ip6_src) != 1 ||
	    inet_pton(AF_INET6, plan->to, &ip.ip6_dst) != 1)
		fail("not addresses of one family: %s %s", plan->from, plan->to);
	memcpy(at, &ip, sizeof(ip));
	put_udp(at + sizeof(ip), payload, plan->port, sum(&ip.ip6_src, 32, 0));
	return sizeof(ip) + 8;
}

static size_t put_type(uint8_t *at, unsigned int type)
{
	at[0] = type >> 8;
	at[1] = type;
	return 2;
}

static size_t put_tag(uint8_t *at, unsigned int protocol, unsigned int vlan)
{
	put_type(at, protocol);
	put_type(at + 2, vlan);
	return 4;
}

/* Two tags are 802.1ad outside, 802.1Q inside. */
static size_t build(const struct plan *plan, uint64_t number, uint8_t *frame)
{
	size_t payload = payload_size(number, plan->min, plan->max), at = 2 * ETH_ALEN;
	size_t headers = !plan->from ? 0 : strchr(plan->from, ':') ? 48 : 28;

	memcpy(frame, plan->destination, ETH_ALEN);
	memcpy(frame + ETH_ALEN, plan->source, ETH_ALEN);
	if (plan->outer)
		at += put_tag(frame + at, plan->inner ? ETH_P_8021AD : ETH_P_8021Q, plan->outer);
	if (plan->inner)
		at += put_tag(frame + at, ETH_P_8021Q, plan->inner);
	at += put_type(frame + at, !plan->from ? plan->type : headers == 48 ? 0x86dd : 0x0800);
	payload_fill(frame + at + headers, payload, plan->flow, number);
	if (headers == 28)
		put_ipv4(frame + at, plan, payload);
	else if (headers == 48)
		put_ipv6(frame + at, plan, payload);
	return at + headers + payload;
}

static int open_socket(const char *interface)
{
	struct sockaddr_ll link = {.sll_family = AF_PACKET};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	link.sll_ifindex = interface_index(interface);
	if (fd < 0 || bind(fd, (struct sockaddr *)&link, sizeof(link)))
		fail("packet socket on %s: %s", interface, strerror(errno));
	return fd;
}

int main(int argc, char **argv)
{
	struct plan plan = {.namespace = (char[]){"."},
			    .port = 5000,
			    .count = 1000,
			    .window = 128,
			    .min = 64,
			    .max = 1400};
	struct progress *progress;
	FILE *record = NULL;
	int fd;

	parse(argc, argv, &plan);
	progress = progress_open(plan.progress);
	if (plan.record && !(record = fopen(plan.record, "we")))
		fail("%s: %s", plan.record, strerror(errno));
	stay_on_cpu();
	enter_namespace(plan.namespace);
	fd = open_socket(plan.interface);
	wait_for_receivers(progress, 10);
	for (uint64_t number = 0; number < (uint64_t)plan.count; number++) {
		static uint8_t frame[FRAME_MAX];
		uint32_t size = build(&plan, number, frame);

		pace(progress, number + 1, plan.window, 10);
		while (send(fd, frame, size, 0) < 0)
			if (errno != ENOBUFS && errno != EINTR)
				fail("send frame %llu: %s", (unsigned long long)number,
				     strerror(errno));
		if (record)
			fwrite(frame, size, fwrite(&size, sizeof(size), 1, record), record);
	}
	atomic_store(&progress->finished, 1);
	if (record && fclose(record))
		fail("%s: %s", plan.record, strerror(errno));
	printf("sent=%lld\n", plan.count);
	return 0;
}
