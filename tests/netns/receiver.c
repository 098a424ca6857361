// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/netns/receiver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/netns/traffic.h"

#define BATCH 32

static const char *const role_names[] = {"all", "some", "none"};

bool receiver_parse(struct receiver *r, const char *spec)
{
	char role[8];

	memset(r, 0, sizeof(*r));
	if (sscanf(spec, "%7[^:]:%63[^:]:%15s", role, r->namespace, r->interface) != 3)
		return false;
	for (r->role = ROLE_ALL; r->role <= ROLE_NONE; r->role++)
		if (!strcmp(role, role_names[r->role]))
			return true;
	return false;
}

static void set(int fd, int level, int option, const void *value, socklen_t size)
{
	if (setsockopt(fd, level, option, value, size))
		fail("setsockopt %d %d: %s", level, option, strerror(errno));
}

static void join(const struct receiver *r, const char *text)
{
	struct group_req request = {.gr_interface = interface_index(r->interface)};
	struct sockaddr_in *in = (struct sockaddr_in *)&request.gr_group;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&request.gr_group;

	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		set(r->fd, IPPROTO_IP, MCAST_JOIN_GROUP, &request, sizeof(request));
	} else if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		set(r->fd, IPPROTO_IPV6, MCAST_JOIN_GROUP, &request, sizeof(request));
	} else {
		fail("not an address: %s", text);
	}
}

/* One number out of a snmp file of the current namespace: "Udp: A B C" over "Udp: 1 2 3". */
static uint64_t udp_counter(const char *name)
{
	FILE *file = fopen("/proc/thread-self/net/snmp", "re");
	char names[512], values[512];
	uint64_t result = 0;

	if (!file)
		fail("/proc/thread-self/net/snmp: %s", strerror(errno));
	while (fgets(names, sizeof(names), file) && fgets(values, sizeof(values), file)) {
		char *n = NULL, *v = NULL, *key = strtok_r(names, " \n", &n);
		char *value = strtok_r(values, " \n", &v);

		if (!key || !value || strcmp(key, "Udp:"))
			continue;
		while (key && value) {
			if (!strcmp(key, name))
				result = strtoull(value, NULL, 10);
			key = strtok_r(NULL, " \n", &n);
			value = strtok_r(NULL, " \n", &v);
		}
	}
	fclose(file);
	return result;
}

/* The IPv6 counters stand one a line: "Udp6InCsumErrors   0". */
static uint64_t udp6_counter(const char *name)
{
	FILE *file = fopen("/proc/thread-self/net/snmp6", "re");
	char key[64];
	unsigned long long value, result = 0;

	while (file && fscanf(file, "%63s %llu", key, &value) == 2)
		if (!strcmp(key, name))
			result = value;
	if (file)
		fclose(file);
	return result;
}

static uint64_t checksum_errors(void)
{
	return udp_counter("InCsumErrors") + udp6_counter("Udp6InCsumErrors");
}

static uint64_t buffer_errors(void)
{
	return udp_counter("RcvbufErrors") + udp6_counter("Udp6RcvbufErrors");
}

void receiver_open(struct receiver *r, const char *const *group, unsigned int groups, uint16_t port)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	int size = 8 << 20, off = 0;

	enter_namespace(r->namespace);
	/* One socket for both families: IPv4 arrives with mapped addresses. */
	r->fd = socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (r->fd < 0)
		fail("socket: %s", strerror(errno));
	set(r->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	set(r->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	/* A group joined on one interface is delivered from every other one, too, by default. */
	set(r->fd, SOL_SOCKET, SO_BINDTODEVICE, r->interface, strlen(r->interface));
	if (bind(r->fd, (struct sockaddr *)&any, sizeof(any)))
		fail("bind port %u: %s", port, strerror(errno));
	for (unsigned int i = 0; i < groups; i++)
		join(r, group[i]);
	r->checksum_errors = checksum_errors();
	r->buffer_errors = buffer_errors();
}

void receiver_expect(struct receiver *r, uint32_t flow, uint64_t first, uint64_t count,
		     const char *source)
{
	r->flow = flow;
	r->first = r->next = first;
	r->count = count;
	r->have = calloc(1, count / 8 + 1);
	if (!r->have)
		fail("out of memory");
	if (!source)
		return;
	if (inet_pton(AF_INET6, source, &r->source) == 1)
		return;
	memset(&r->source.s6_addr[10], 0xff, 2);
	if (inet_pton(AF_INET, source, &r->source.s6_addr[12]) != 1)
		fail("not an address: %s", source);
}

static void take(struct receiver *r, const uint8_t *data, size_t size,
		 const struct sockaddr_in6 *from)
{
	struct payload_head head;
	uint64_t number;

	r->bytes += size;
	if (!payload_intact(data, size, &head)) {
		r->damaged++;
		return;
	}
	number = head.number - r->first;
	if (head.flow != r->flow || number >= r->count ||
	    (!IN6_IS_ADDR_UNSPECIFIED(&r->source) &&
	     !IN6_ARE_ADDR_EQUAL(&from->sin6_addr, &r->source))) {
		r->foreign++;
		return;
	}
	if (r->have[number / 8] & 1 << number % 8) {
		r->duplicate++;
		return;
	}
	r->have[number / 8] |= 1 << number % 8;
	r->got++;
	if (head.number < r->next)
		r->reordered++;
	else
		r->next = head.number + 1;
}

void receiver_read(struct receiver *r)
{
	static uint8_t data[BATCH][PAYLOAD_MAX + 1];
	struct sockaddr_in6 from[BATCH];
	struct mmsghdr message[BATCH] = {};
	struct iovec piece[BATCH];
	int n;

	for (unsigned int i = 0; i < BATCH; i++) {
		piece[i] = (struct iovec){data[i], sizeof(data[i])};
		message[i].msg_hdr = (struct msghdr){.msg_iov = &piece[i],
						     .msg_iovlen = 1,
						     .msg_name = &from[i],
						     .msg_namelen = sizeof(from[i])};
	}
	n = recvmmsg(r->fd, message, BATCH, 0, NULL);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		fail("receive in %s: %s", r->namespace, strerror(errno));
	for (int i = 0; i < n; i++)
		take(r, data[i], message[i].msg_len, &from[i]);
}

bool receiver_report(const struct receiver *r)
{
	uint64_t lost = r->count - r->got, checksum, buffer;
	bool good = !r->duplicate && !r->damaged && !r->foreign;

	enter_namespace(r->namespace);
	checksum = checksum_errors() - r->checksum_errors;
	buffer = buffer_errors() - r->buffer_errors;
	if (r->role == ROLE_NONE)
		good = good && !r->got;
	else
		good = good && !r->reordered && !checksum && !buffer;
	if (r->role == ROLE_ALL)
		good = good && !lost;
	printf("%s:%s:%s got=%llu lost=%llu duplicate=%llu reordered=%llu damaged=%llu "
	       "foreign=%llu checksum-errors=%llu buffer-errors=%llu bytes=%llu\n",
	       role_names[r->role], r->namespace, r->interface, (unsigned long long)r->got,
	       (unsigned long long)lost, (unsigned long long)r->duplicate,
	       (unsigned long long)r->reordered, (unsigned long long)r->damaged,
	       (unsigned long long)r->foreign, (unsigned long long)checksum,
	       (unsigned long long)buffer, (unsigned long long)r->bytes);
	return good;
}
