/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reference for facts of links is iproute2's reading of the same kernel. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tests/netns/netlink/world.h"

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

static long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool flag(const json_t *entry, const char *name)
{
	json_t *value;
	size_t i;

	json_array_foreach(json_object_get(entry, "flags"), i, value)
	{
		if (!strcmp(json_string_value(value), name))
			return true;
	}
	return false;
}

static const json_t *entry_named(const json_t *links, const char *name)
{
	json_t *entry;
	size_t i;

	json_array_foreach(links, i, entry)
	{
		if (!strcmp(text(entry, "ifname"), name))
			return entry;
	}
	return NULL;
}

/* ip prints a name for links here, a number for those elsewhere; "@NONE": none. */
static void agree_on_lower(const json_t *links, const json_t *entry, const struct link *link)
{
	const json_t *lower = entry_named(links, text(entry, "link"));
	const json_t *nsid = json_object_get(entry, "link_netnsid");

	if (lower)
		assert_int_equal(link->lower, number(lower, "ifindex"));
	else
		assert_int_equal(link->lower, number(entry, "link_index"));
	assert_int_equal(link->lower_nsid, nsid ? json_integer_value(nsid) : -1);
	if (strcmp(link->kind, "veth") || !lower)
		return;
	assert_true(link->peer_known);
	assert_int_equal(link->peer_mtu, number(lower, "mtu"));
	assert_int_equal(link->peer_rx_queues, number(lower, "num_rx_queues"));
	assert_int_equal(link->peer_tx_queues, number(lower, "num_tx_queues"));
}

/* "mode" is XDP_ATTACHED_* of linux/if_link.h: 1 driver, 2 generic. */
static void agree_on_xdp(const json_t *entry, const struct link *link)
{
	const json_t *xdp = json_object_get(entry, "xdp");
	static const enum link_xdp_mode modes[] = {LINK_XDP_NONE, LINK_XDP_NATIVE,
						   LINK_XDP_GENERIC};
	long mode = xdp ? number(xdp, "mode") : 0;

	assert_true(mode >= 0 && mode <= 2);
	assert_int_equal(link->xdp_mode, modes[mode]);
	assert_int_equal(link->xdp_program_id,
			 xdp ? number(json_object_get(xdp, "prog"), "id") : 0);
}

static void agree_on(const json_t *links, const json_t *entry, const struct link *link)
{
	const json_t *info = json_object_get(entry, "linkinfo");
	const json_t *master = entry_named(links, text(entry, "master"));

	assert_non_null(link);
	assert_string_equal(link->name, text(entry, "ifname"));
	assert_string_equal(link->kind, text(info, "info_kind"));
	assert_string_equal(link->master_kind, text(info, "info_slave_kind"));
	assert_int_equal(link->ethernet, !strcmp(text(entry, "link_type"), "ether"));
	assert_int_equal(link->loopback, flag(entry, "LOOPBACK"));
	assert_int_equal(link->up, flag(entry, "UP"));
	assert_int_equal(link->lower_up, flag(entry, "LOWER_UP"));
	assert_int_equal(link->allmulti, flag(entry, "ALLMULTI"));
	assert_int_equal(link->promisc, number(entry, "promiscuity") > 0);
	assert_int_equal(link->mtu, number(entry, "mtu"));
	assert_int_equal(link->rx_queues, number(entry, "num_rx_queues"));
	assert_int_equal(link->tx_queues, number(entry, "num_tx_queues"));
	assert_int_equal(link->master, master ? number(master, "ifindex") : 0);
	agree_on_lower(links, entry, link);
	agree_on_xdp(entry, link);
}

struct walk {
	size_t count;
	int last;
};

static int count_up(const struct link *link, void *data)
{
	struct walk *walk = data;

	assert_true(link->ifindex > walk->last);
	walk->last = link->ifindex;
	walk->count++;
	return 0;
}

void agree(struct world *world)
{
	FILE *ip = popen("ip -j -d link show", "r");
	struct walk walk = {0};
	json_error_t error;
	json_t *links, *entry;
	size_t i;

	assert_non_null(ip);
	links = json_loadf(ip, 0, &error);
	assert_int_equal(pclose(ip), 0);
	assert_non_null(links);
	json_array_foreach(links, i, entry)
	{
		int ifindex = number(entry, "ifindex");

		agree_on(links, entry, netlink_by_index(world->netlink, ifindex));
		assert_ptr_equal(named(world, text(entry, "ifname")),
				 netlink_by_index(world->netlink, ifindex));
	}
	assert_int_equal(netlink_each(world->netlink, count_up, &walk), 0);
	assert_int_equal(walk.count, json_array_size(links));
	json_decref(links);
}
