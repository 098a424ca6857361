// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends whole Ethernet frames: tagged, of any type, or UDP with the numbered payload of
 * traffic.h; for what no ordinary socket can send. Keeps a record to compare with captures.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/netns/traffic.h"

#define FRAME_MAX 9216

struct plan {
	const char *progress, *namespace, *interface, *record, *from, *to;
	uint8_t destination[ETH_ALEN], source[ETH_ALEN];
	unsigned int outer, inner, type; /* VLAN ids, 0: none; type used without from and to */
	uint16_t port;
	uint64_t count, window;
	size_t min, max;
	uint32_t flow;
};

static void usage(void)
{
	fail("usage: frames --progress FILE --ns NS --if IF --dst MAC --src MAC\n"
	     "  [--vlan VID[.VID]] (--type ETHERTYPE | --from ADDR --to ADDR) [--port P]\n"
	     "  [--count N] [--min BYTES] [--max BYTES] [--window N] [--flow N] [--record FILE]");
}

static void mac_option(const char *text, uint8_t *out)
{
	if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &out[0], &out[1], &out[2], &out[3],
		   &out[4], &out[5]) != 6)
		fail("not a MAC: %s", text);
}

static void parse(int argc, char **argv, struct plan *plan)
{
	static const struct option options[] = {{"progress", 1, NULL, 'p'},
						{"ns", 1, NULL, 'n'},
						{"if", 1, NULL, 'i'},
						{"dst", 1, NULL, 'd'},
						{"src", 1, NULL, 's'},
						{"vlan", 1, NULL, 'v'},
						{"type", 1, NULL, 't'},
						{"from", 1, NULL, 'F'},
						{"to", 1, NULL, 'T'},
						{"port", 1, NULL, 'P'},
						{"count", 1, NULL, 'c'},
						{"min", 1, NULL, 'm'},
						{"max", 1, NULL, 'M'},
						{"flow", 1, NULL, 'f'},
						{"record", 1, NULL, 'r'},
						{"window", 1, NULL, 'w'},
						{}};
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
		case 'd':
			mac_option(optarg, plan->destination);
			break;
		case 's':
			mac_option(optarg, plan->source);
			break;
		case 'v':
			if (sscanf(optarg, "%u.%u", &plan->outer, &plan->inner) < 1)
				usage();
			break;
		case 't':
			plan->type = number_option(optarg);
			break;
		case 'F':
			plan->from = optarg;
			break;
		case 'T':
			plan->to = optarg;
			break;
		case 'P':
			plan->port = number_option(optarg);
			break;
		case 'c':
			plan->count = number_option(optarg);
			break;
		case 'm':
			plan->min = number_option(optarg);
			break;
		case 'M':
			plan->max = number_option(optarg);
			break;
		case 'f':
			plan->flow = number_option(optarg);
			break;
		case 'r':
			plan->record = optarg;
			break;
		case 'w':
			plan->window = number_option(optarg);
			break;
		default:
			usage();
		}
	}
	if (!plan->progress || !plan->interface || !plan->from != !plan->to ||
	    !plan->from == !plan->type || plan->min < PAYLOAD_MIN || plan->max > PAYLOAD_MAX ||
	    plan->min > plan->max || optind != argc)
		usage();
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
	struct plan plan = {
	    .namespace = ".", .port = 5000, .count = 1000, .window = 128, .min = 64, .max = 1400};
	struct progress *progress;
	FILE *record = NULL;
	int fd;

	parse(argc, argv, &plan);
	progress = progress_open(plan.progress);
	if (plan.record && !(record = fopen(plan.record, "we")))
		fail("%s: %s", plan.record, strerror(errno));
	enter_namespace(plan.namespace);
	fd = open_socket(plan.interface);
	wait_for_receivers(progress, 10);
	for (uint64_t number = 0; number < plan.count; number++) {
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
	if (record && fclose(record))
		fail("%s: %s", plan.record, strerror(errno));
	printf("sent=%llu\n", (unsigned long long)plan.count);
	return 0;
}
