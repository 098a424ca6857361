/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What we change: all-multicast, and VLAN offloads here and at the other end of a veth. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/netns/netlink/world.h"

#define TEST_PROTOCOL 0x88b5 /* IEEE 802, local experimental */

static int packet_socket(int ifindex)
{
	struct sockaddr_ll address = {
	    .sll_family = AF_PACKET, .sll_protocol = htons(TEST_PROTOCOL), .sll_ifindex = ifindex};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(TEST_PROTOCOL));

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void send_to(int fd, const unsigned char *mac)
{
	unsigned char frame[60] = {0};

	memcpy(frame, mac, ETH_ALEN);
	frame[6] = 2; /* source 02:00:.. */
	frame[12] = TEST_PROTOCOL >> 8;
	frame[13] = TEST_PROTOCOL & 0xff;
	assert_int_equal(send(fd, frame, sizeof(frame), 0), sizeof(frame));
}

/* Sends 10 frames to a group that nobody joined, and a broadcast that always arrives; returns
 * how many arrived before that. */
static unsigned int arrivals(int sender, int receiver)
{
	static const unsigned char group[] = {0x01, 0x00, 0x5e, 0x01, 0x02, 0x03};
	static const unsigned char all[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct pollfd fd = {.fd = receiver, .events = POLLIN};
	unsigned char frame[128];
	unsigned int count = 0;

	for (int i = 0; i < 10; i++)
		send_to(sender, group);
	send_to(sender, all);
	for (;;) {
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
		assert_true(recv(receiver, frame, sizeof(frame), 0) >= 14);
		if (!memcmp(frame, all, ETH_ALEN))
			return count;
		count += !memcmp(frame, group, ETH_ALEN);
	}
}

/*
 *	vb ---- va --- mv (macvlan: it filters what nobody joined, as a NIC does)
 */
static void test_allmulti(void **state)
{
	struct world *world = *state;
	const char *why = NULL;
	int ifindex, sender, receiver;

	run(world, HOME,
	    "ip link add va type veth peer name vb && ip link set va up && ip link set vb up &&"
	    " ip link add link va name mv type macvlan mode private && ip link set mv up");
	watch(world);
	WAIT(world, ON(world, "mv", link->up && link->lower_up));
	ifindex = named(world, "mv")->ifindex;
	sender = packet_socket(named(world, "vb")->ifindex);
	receiver = packet_socket(ifindex);
	assert_false(named(world, "mv")->allmulti);
	assert_int_equal(arrivals(sender, receiver), 0);

	assert_int_equal(netlink_set_allmulti(world->netlink, ifindex, true, &why), 0);
	assert_true(named(world, "mv")->allmulti);
	assert_int_equal(arrivals(sender, receiver), 10);
	agree(world);

	assert_int_equal(netlink_set_allmulti(world->netlink, ifindex, false, &why), 0);
	assert_int_equal(arrivals(sender, receiver), 0);
	drain(world);
	assert_false(named(world, "mv")->allmulti);
	assert_true(named(world, "mv")->up); /* the flag alone was touched */
	agree(world);
	assert_int_equal(netlink_set_allmulti(world->netlink, 99999, true, &why), -ENODEV);
	close(sender);
	close(receiver);
}

/* Set by somebody else shows, too. */
static void test_allmulti_of_others(void **state)
{
	struct world *world = *state;

	run(world, HOME, "ip link add va type veth peer name vb");
	watch(world);
	run(world, HOME, "ip link set va allmulticast on");
	WAIT(world, ON(world, "va", link->allmulti));
	run(world, HOME, "ip link set va allmulticast off");
	WAIT(world, ON(world, "va", !link->allmulti));
}

/* The reference for offloads is what ethtool says. */
#define EXPECT(world, where, name, feature, value)                                                 \
	run(world, where, "ethtool -k %s | grep -q '^%s: %s$'", name, feature, value)

/* Off, off again, and back, seen from va for the offloads of its other end `vb` in `where`. */
static void check_peer_offload(struct world *world, int where)
{
	int ifindex = named(world, "va")->ifindex;
	const char *why = NULL;
	bool hides = false;

	assert_int_equal(netlink_get_vlan_offload(world->netlink, ifindex, &hides), 0);
	assert_true(hides);
	assert_int_equal(netlink_set_vlan_offload(world->netlink, ifindex, false, &why), 0);
	EXPECT(world, where, "vb", "tx-vlan-offload", "off");
	EXPECT(world, where, "vb", "tx-vlan-stag-hw-insert", "off");
	EXPECT(world, where, "vb", "rx-vlan-offload", "on");
	EXPECT(world, HOME, "va", "tx-vlan-offload", "on");
	assert_int_equal(netlink_get_vlan_offload(world->netlink, ifindex, &hides), 0);
	assert_false(hides);
	assert_int_equal(netlink_set_vlan_offload(world->netlink, ifindex, false, &why), 1);
	assert_int_equal(netlink_set_vlan_offload(world->netlink, ifindex, true, &why), 0);
	EXPECT(world, where, "vb", "tx-vlan-offload", "on");
	EXPECT(world, where, "vb", "tx-vlan-stag-hw-insert", "on");
	assert_int_equal(netlink_set_vlan_offload(world->netlink, ifindex, true, &why), 1);
	assert_null(why);
}

static void test_offload_of_peer_here(void **state)
{
	struct world *world = *state;

	run(world, HOME, "ip link add va type veth peer name vb");
	watch(world);
	check_peer_offload(world, HOME);
}

static void test_offload_of_peer_elsewhere(void **state)
{
	struct world *world = *state;
	unsigned int away = space(world);
	int before, after;

	run(world, HOME, "ip link add va type veth peer name vb netns %d", world->spaces[away]);
	watch(world);
	before = ifindex_in(world, HOME, "va");
	check_peer_offload(world, away);
	after = ifindex_in(world, HOME, "va"); /* this thread has not moved */
	assert_int_equal(before, after);
}

/* What somebody had switched off before us stays off when we give back the rest. */
static void test_offload_is_given_back_as_it_was(void **state)
{
	struct world *world = *state;
	const char *why = NULL;
	int ifindex;

	run(world, HOME,
	    "ip link add va type veth peer name vb && ethtool -K vb tx-vlan-stag-hw-insert off");
	watch(world);
	ifindex = named(world, "va")->ifindex;
	assert_int_equal(netlink_set_vlan_offload(world->netlink, ifindex, false, &why), 0);
	EXPECT(world, HOME, "vb", "tx-vlan-offload", "off");
	assert_int_equal(netlink_set_vlan_offload(world->netlink, ifindex, true, &why), 0);
	EXPECT(world, HOME, "vb", "tx-vlan-offload", "on");
	EXPECT(world, HOME, "vb", "tx-vlan-stag-hw-insert", "off");
}

/* No path leads to a namespace that only a descriptor holds. */
static void test_offload_out_of_reach(void **state)
{
	struct world *world = *state;
	unsigned int away = space(world);
	const char *why = NULL;
	char path[64];
	bool hides;
	int fd, ifindex;

	run(world, HOME, "ip link add va type veth peer name vb netns %d", world->spaces[away]);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", world->spaces[away]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	space_end(world, away);
	watch(world);
	ifindex = named(world, "va")->ifindex;
	assert_true(named(world, "va")->peer_known); /* its facts can be had all the same */
	assert_int_equal(netlink_get_vlan_offload(world->netlink, ifindex, &hides), -EXDEV);
	assert_int_equal(netlink_set_vlan_offload(world->netlink, ifindex, false, &why), -EXDEV);
	assert_non_null(why);
	assert_non_null(strstr(why, "namespace"));
	close(fd);
	WAIT(world, !named(world, "va"));
}

/* lo has no VLAN offload, and its driver has fixed that. */
static void test_offload_that_is_fixed(void **state)
{
	struct world *world = *state;
	const char *why = NULL;
	bool hides = true;
	int lo;

	watch(world);
	lo = named(world, "lo")->ifindex;
	assert_int_equal(netlink_get_vlan_offload(world->netlink, lo, &hides), 0);
	assert_false(hides);
	assert_int_equal(netlink_set_vlan_offload(world->netlink, lo, false, &why), 1);
	assert_int_equal(netlink_set_vlan_offload(world->netlink, lo, true, &why), -EOPNOTSUPP);
	assert_non_null(why);
	assert_true(strlen(why) > 0);
	assert_int_equal(netlink_get_vlan_offload(world->netlink, 99999, &hides), -ENODEV);
	assert_int_equal(netlink_set_vlan_offload(world->netlink, 99999, true, &why), -ENODEV);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_allmulti),
	    TEST(test_allmulti_of_others),
	    TEST(test_offload_of_peer_here),
	    TEST(test_offload_of_peer_elsewhere),
	    TEST(test_offload_is_given_back_as_it_was),
	    TEST(test_offload_out_of_reach),
	    TEST(test_offload_that_is_fixed),
	};

	return cmocka_run_group_tests_name("netlink-setters", tests, NULL, NULL);
}
