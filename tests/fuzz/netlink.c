/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as what the kernel says: messages of links and of XDP features, and answers to
 * questions. An input is a row of records {kind, size in two bytes, bytes}: queued for the socket
 * of that kind, or an event at once. The room's recv() and send() are ours, see meson.build.
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Its static functions take the events. */
#include "daemon/netlink/netlink.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
ssize_t fuzz_send(int fd, const void *bytes, size_t size, int flags);
ssize_t fuzz_recv(int fd, void *bytes, size_t size, int flags);

/* Also the numbers that the requests know their sockets by. */
enum kind { OWN_EVENT, FOREIGN_EVENT, FEATURES_EVENT, ROUTE, FEATURES, ETHTOOL, DISPATCH, KINDS };

#define RECORDS_MAX 64

struct record_in {
	enum kind kind;
	const uint8_t *bytes;
	size_t size;
	bool taken;
};

static struct record_in records[RECORDS_MAX];
static size_t record_count;
static __u32 sequences[KINDS]; /* of the last question on each socket */

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "broken promise: %s\n", what);
	abort();
}

ssize_t fuzz_send(int fd, const void *bytes, size_t size, int flags)
{
	(void)flags;
	require(fd >= 0 && fd < KINDS, "a question goes to a socket");
	sequences[fd] = ((const struct nlmsghdr *)bytes)->nlmsg_seq;
	return size;
}

/* What a question finds in answer has its number, or nothing of it would be looked at. */
static void answer(struct nlmsghdr *message, int left, __u32 sequence)
{
	for (; left > 0 && NLMSG_OK(message, (unsigned int)left);
	     message = NLMSG_NEXT(message, left))
		message->nlmsg_seq = sequence;
}

ssize_t fuzz_recv(int fd, void *bytes, size_t size, int flags)
{
	enum kind kind = fd < 0 ? FEATURES_EVENT : (enum kind)fd;

	require(flags == MSG_TRUNC, "a datagram's true size is asked for");
	for (size_t i = 0; i < record_count; i++) {
		struct record_in *record = &records[i];

		if (record->taken || record->kind != kind)
			continue;
		record->taken = true;
		memset(bytes, 0xff, size); /* nothing ends by chance */
		memcpy(bytes, record->bytes, record->size < size ? record->size : size);
		if (kind != FEATURES_EVENT)
			answer(bytes, record->size, sequences[kind]);
		return record->size;
	}
	errno = EAGAIN;
	return -1;
}

static void read_records(const uint8_t *bytes, size_t size)
{
	record_count = 0;
	while (size > 3 && record_count < RECORDS_MAX) {
		size_t wanted = bytes[1] | (size_t)bytes[2] << 8;
		size_t length = wanted < size - 3 ? wanted : size - 3;

		records[record_count++] = (struct record_in){
		    .kind = bytes[0] % KINDS, .bytes = bytes + 3, .size = length};
		bytes += 3 + length;
		size -= 3 + length;
	}
}

static void on_link(int ifindex, const struct link *link, void *data)
{
	(void)data;
	require(!link || link->ifindex == ifindex, "a link has the index it is told with");
	require(!link || memchr(link->name, 0, sizeof(link->name)), "a name ends");
	require(!link || memchr(link->kind, 0, sizeof(link->kind)), "a kind ends");
	require(!link || memchr(link->master_kind, 0, sizeof(link->master_kind)), "it ends, too");
}

static void on_settled(bool resync, void *data)
{
	(void)resync;
	(void)data;
}

/* One message after another, each in memory of just its size. */
static void run_event(struct netlink *netlink, const struct record_in *record)
{
	const uint8_t *at = record->bytes;
	size_t left = record->size;

	while (left >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr header;

		memcpy(&header, at, sizeof(header));
		if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > left)
			return;
		struct nlmsghdr *message = malloc(header.nlmsg_len);
		size_t step = NLMSG_ALIGN(header.nlmsg_len);

		memcpy(message, at, header.nlmsg_len);
		on_message(message, record->kind == FOREIGN_EVENT ? 0 : -1, netlink);
		free(message);
		step = step < left ? step : left;
		at += step;
		left -= step;
	}
}

static void dispatch(struct netlink *netlink)
{
	netlink->resync |=
	    features_read(&netlink->features, READ_BUDGET, apply_features, netlink) != 0;
	if (netlink->resync && ask_all(netlink))
		return;
	settle(netlink);
}

static int ask_offloads(const struct link *link, void *data)
{
	struct netlink *netlink = data;
	struct offloads offloads;

	require(link->ifindex == netlink_by_index(netlink, link->ifindex)->ifindex, "it is found");
	ethtool_get_offloads(&netlink->ethtool, link->ifindex, &offloads);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct netlink netlink = {
	    .events = {.link = on_link, .settled = on_settled},
	    .epoll = -1,
	    .timer = -1,
	    .route.request.fd = ROUTE,
	    .features = {.known = true, .request.fd = FEATURES, .family.id = 0x10},
	    .ethtool = {.ioctls = -1, .request.fd = ETHTOOL, .family.id = 0x11},
	};
	struct genl_family family;

	cache_init(&netlink.cache);
	read_records(bytes, size);
	for (size_t i = 0; i < record_count; i++) {
		if (records[i].kind == OWN_EVENT || records[i].kind == FOREIGN_EVENT)
			run_event(&netlink, &records[i]);
		else if (records[i].kind == DISPATCH)
			dispatch(&netlink);
	}
	dispatch(&netlink);
	netlink_each(&netlink, ask_offloads, &netlink);
	genl_resolve(&netlink.ethtool.request, "netdev", "mgmt", &family);
	cache_free(&netlink.cache);
	return 0;
}
