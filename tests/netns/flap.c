// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long the daemon takes to answer a link event: sets an interface down and up, and
 * measures from the RTM_NEWLINK that tells of it to the event that the daemon's monitors get,
 * which it sends when the change is in the kernel.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/netns/traffic.h"

/* Asks to be told of events; returns when the daemon has said that it will. */
static FILE *open_monitor(const char *path)
{
	static const char call[] = "{\"method\":\"io.xmcast.Control.Monitor\",\"more\":true}";
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		fail("%s: %s", path, strerror(errno));
	if (write(fd, call, sizeof(call)) != sizeof(call))
		fail("%s: cannot ask", path);
	return fdopen(fd, "r");
}

static char *next_event(FILE *monitor)
{
	static char *text;
	static size_t size;

	if (getdelim(&text, &size, 0, monitor) <= 0)
		fail("the daemon closed the monitor");
	return text;
}

static int open_links(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		fail("netlink: %s", strerror(errno));
	return fd;
}

/* True when the messages that wait tell that `index` is now up, or down. */
static bool told(int links, unsigned int index, bool up)
{
	static char buffer[65536];
	ssize_t size = recv(links, buffer, sizeof(buffer), 0);
	struct nlmsghdr *m = (struct nlmsghdr *)buffer;

	for (; size > 0 && NLMSG_OK(m, (size_t)size); m = NLMSG_NEXT(m, size)) {
		const struct ifinfomsg *info = NLMSG_DATA(m);
		unsigned int want = up ? IFF_UP | IFF_LOWER_UP : 0;

		if (m->nlmsg_type == RTM_NEWLINK && (unsigned int)info->ifi_index == index &&
		    (info->ifi_flags & (IFF_UP | IFF_LOWER_UP)) == want)
			return true;
	}
	return false;
}

static void set_up(const char *name, bool up)
{
	struct ifreq request = {};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request))
		fail("%s: %s", name, strerror(errno));
	if (up)
		request.ifr_flags |= IFF_UP;
	else
		request.ifr_flags &= ~IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		fail("%s: %s", name, strerror(errno));
	close(fd);
}

/* Seconds from the link event to the daemon's. */
static double measure(int links, FILE *monitor, const char *name, bool up)
{
	struct pollfd polled[2] = {{.fd = links, .events = POLLIN},
				   {.fd = fileno(monitor), .events = POLLIN}};
	double link = 0, event = 0, until = now() + 10;
	char quoted[IFNAMSIZ + 2];

	snprintf(quoted, sizeof(quoted), "\"%s\"", name);
	set_up(name, up);
	while (!link || !event) {
		if (now() > until || poll(polled, 2, 1000) < 0)
			fail("%s %s: %s", name, up ? "up" : "down",
			     link ? "the daemon says nothing" : "no link event");
		if (!link && polled[0].revents && told(links, interface_index(name), up))
			link = now();
		if (!event && polled[1].revents && strstr(next_event(monitor), quoted))
			event = now();
	}
	return event > link ? event - link : 0;
}

int main(int argc, char **argv)
{
	double worst = 0;
	FILE *monitor;
	int links;

	if (argc != 4)
		fail("usage: flap SOCKET INTERFACE TIMES");
	links = open_links();
	monitor = open_monitor(argv[1]);
	setvbuf(monitor, NULL, _IONBF, 0);
	next_event(monitor);
	for (unsigned long i = 2 * number_option(argv[3]); i > 0; i--) {
		double took = measure(links, monitor, argv[2], i % 2);

		if (took > worst)
			worst = took;
	}
	printf("%.1f\n", worst * 1000);
	return 0;
}
