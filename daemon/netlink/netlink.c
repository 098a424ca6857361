/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/netlink/netlink.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/netlink/link.h"
#include "daemon/netlink/state.h"

/* Datagrams read before settling, so that a storm cannot keep the loop. */
#define READ_BUDGET 8192
#define RETRY_MS    100

void wake_in(struct netlink *netlink, unsigned int milliseconds)
{
	/* Zero would disarm it. */
	const struct itimerspec when = {.it_value = {.tv_sec = milliseconds / 1000,
						     .tv_nsec = milliseconds % 1000 * 1000000 + 1}};

	timerfd_settime(netlink->timer, 0, &when, NULL);
}

static void on_own(struct netlink *netlink, const struct nlmsghdr *message, int ifindex)
{
	struct link link;
	int r = link_parse(message, &link);

	if (r == -EAGAIN)
		r = ask_link(netlink, ifindex);
	else if (!r)
		r = apply_link(netlink, &link);
	if (r && r != -ENODEV)
		netlink->resync = true;
}

static void on_message(const struct nlmsghdr *message, int nsid, void *data)
{
	const struct ifinfomsg *info = NLMSG_DATA(message);
	struct netlink *netlink = data;

	if ((message->nlmsg_type != RTM_NEWLINK && message->nlmsg_type != RTM_DELLINK) ||
	    message->nlmsg_len < NLMSG_LENGTH(sizeof(*info)))
		return;
	if (nsid >= 0)
		apply_foreign(netlink, nsid, info->ifi_index);
	else if (message->nlmsg_type == RTM_NEWLINK)
		on_own(netlink, message, info->ifi_index);
	else if (info->ifi_family == AF_UNSPEC) /* AF_BRIDGE: only left its bridge */
		apply_gone(netlink, info->ifi_index);
}

static bool differs(const struct record *record)
{
	return record->vanished ||
	       (record->present && (!record->is_told || !link_same(&record->now, &record->told)));
}

/* True when there was something to tell. */
static bool tell_one(struct netlink *netlink, struct record *record)
{
	int ifindex = record->now.ifindex;

	if (!differs(record))
		return false;
	if (record->vanished) {
		record->vanished = record->is_told = false;
		netlink->events.link(ifindex, NULL, netlink->events.data);
	}
	if (!differs(record)) /* gone for good */
		return true;
	record->is_told = true;
	memcpy(&record->told, &record->now, sizeof(record->told));
	netlink->events.link(ifindex, &record->now, netlink->events.data);
	return true;
}

/* The calls may refresh, and so add and change records; what they change is told next time. */
static void settle(struct netlink *netlink)
{
	struct record_list changed = STAILQ_HEAD_INITIALIZER(changed);
	bool resync = netlink->resync, any = resync;
	struct record *record;

	netlink->resync = false;
	if (!work_all(netlink))
		wake_in(netlink, RETRY_MS);
	STAILQ_CONCAT(&changed, &netlink->cache.changed);
	while ((record = cache_next_changed(&changed))) {
		any |= tell_one(netlink, record);
		if (!record->present && !record->changed && !record->work)
			cache_remove(&netlink->cache, record);
	}
	if (any)
		netlink->events.settled(resync, netlink->events.data);
}

static int watch(struct netlink *netlink, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (fd < 0)
		return 0;
	return epoll_ctl(netlink->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_all(struct netlink *netlink)
{
	int r;

	netlink->epoll = epoll_create1(EPOLL_CLOEXEC);
	netlink->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (netlink->epoll < 0 || netlink->timer < 0)
		return -errno;
	r = route_open(&netlink->route);
	if (!r)
		r = features_open(&netlink->features);
	if (!r)
		r = ethtool_open(&netlink->ethtool);
	if (!r)
		r = watch(netlink, netlink->timer);
	if (!r)
		r = watch(netlink, route_fd(&netlink->route));
	if (!r)
		r = watch(netlink, features_fd(&netlink->features));
	return r ? r : ask_all(netlink);
}

int netlink_open(struct netlink **out, const struct netlink_events *events)
{
	struct netlink *netlink = calloc(1, sizeof(*netlink));
	int r;

	if (!netlink)
		return -ENOMEM;
	netlink->events = *events;
	cache_init(&netlink->cache);
	netlink->epoll = netlink->timer = -1;
	r = open_all(netlink);
	if (r) {
		netlink_close(netlink);
		return r;
	}
	*out = netlink; /* before the first calls, which may want it */
	settle(netlink);
	return 0;
}

void netlink_close(struct netlink *netlink)
{
	if (!netlink)
		return;
	route_close(&netlink->route);
	features_close(&netlink->features);
	ethtool_close(&netlink->ethtool);
	cache_free(&netlink->cache);
	if (netlink->epoll >= 0)
		close(netlink->epoll);
	if (netlink->timer >= 0)
		close(netlink->timer);
	free(netlink);
}

int netlink_fd(const struct netlink *netlink)
{
	return netlink->epoll;
}

/* Reads both sockets. Lost messages, and an error, too, make a resync wanted. */
static int read_all(struct netlink *netlink)
{
	int links = route_read(&netlink->route, READ_BUDGET, on_message, netlink);
	int features = features_read(&netlink->features, READ_BUDGET, apply_features, netlink);

	netlink->resync |= links || features;
	return links < 0 ? links : features < 0 ? features : 0;
}

int netlink_dispatch(struct netlink *netlink)
{
	uint64_t expirations;
	int r = 0;

	/* Only to make it unreadable; there may have been nothing. */
	if (read(netlink->timer, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
		r = -errno;
	if (!r)
		r = read_all(netlink);
	if (!r && netlink->resync)
		r = ask_all(netlink);
	if (r) { /* resync stays wanted */
		wake_in(netlink, RETRY_MS);
		return r;
	}
	settle(netlink);
	return 0;
}

const struct link *netlink_by_index(const struct netlink *netlink, int ifindex)
{
	const struct record *record = cache_find(&netlink->cache, ifindex);

	return record && record->present ? &record->now : NULL;
}

const struct link *netlink_by_name(const struct netlink *netlink, const char *name)
{
	/* Sorting its index of names is the only change, and nobody sees it. */
	const struct record *record = cache_find_name(&((struct netlink *)netlink)->cache, name);

	return record ? &record->now : NULL;
}

int netlink_each(const struct netlink *netlink, int (*f)(const struct link *link, void *data),
		 void *data)
{
	const struct record *record;
	int r;

	for (int at = 0; (record = cache_after(&netlink->cache, at));) {
		at = record->now.ifindex;
		r = record->present ? f(&record->now, data) : 0;
		if (r)
			return r;
	}
	return 0;
}

int netlink_refresh(struct netlink *netlink, int ifindex)
{
	struct record *record;
	int r = ask_link(netlink, ifindex);

	if (!r) {
		record = cache_find(&netlink->cache, ifindex);
		record->features_stale = netlink->features.known;
		record->peer_stale = true;
		cache_touch(&netlink->cache, record);
		if (!work_all(netlink))
			r = -EAGAIN;
	}
	/* What is new must be told, though its message will find nothing new any more. */
	STAILQ_FOREACH(record, &netlink->cache.changed, in_changed)
	{
		if (!differs(record))
			continue;
		wake_in(netlink, 0);
		break;
	}
	return r;
}

int netlink_set_allmulti(struct netlink *netlink, int ifindex, bool on, const char **why)
{
	int r = route_set_flags(&netlink->route, ifindex, on ? IFF_ALLMULTI : 0, IFF_ALLMULTI);

	if (r && why)
		*why = memcpy(netlink->why, netlink->route.request.why, sizeof(netlink->why));
	if (!r)
		r = netlink_refresh(netlink, ifindex);
	return r;
}
