/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many links, and more messages than the socket holds. */
#include <stdio.h>
#include <sys/socket.h>

#include "daemon/netlink/state.h"
#include "tests/netns/netlink/world.h"

#define PAIRS 1000 /* 2,000 links */

/* Writes commands for `ip -batch`; %d in `format` is the number. */
static FILE *batch(void)
{
	FILE *ip = popen("ip -batch -", "w");

	assert_non_null(ip);
	return ip;
}

static void end(FILE *ip)
{
	assert_int_equal(pclose(ip), 0);
}

static void add_pairs(int from, int to)
{
	FILE *ip = batch();

	for (int i = from; i < to; i++)
		fprintf(ip, "link add x%d type veth peer name y%d\n", i, i);
	end(ip);
}

static void test_two_thousand_links(void **state)
{
	struct world *world = *state;

	watch(world);
	add_pairs(0, PAIRS);
	WAIT(world, named(world, "y999"));
	drain(world);
	assert_int_equal(world->resyncs, 0); /* the buffer held them all */
	agree(world);
	watch(world); /* all of them at once */
	agree(world);
}

/* Thousands of changes while nobody reads. */
static void storm(void)
{
	FILE *ip = batch();

	for (int round = 0; round < 5; round++)
		for (int i = 0; i < 400; i++)
			fprintf(ip, "link set x%d mtu %d\n", i, 1000 + 10 * round + i % 10);
	for (int i = 0; i < 100; i++)
		fprintf(ip, "link del y%d\n", i);
	for (int i = 100; i < 200; i++)
		fprintf(ip, "link set x%d name z%d\n", i, i);
	for (int i = 0; i < 50; i++)
		fprintf(ip, "link add x%d type veth peer name y%d\n", i, i);
	for (int i = 200; i < 300; i++)
		fprintf(ip, "link set x%d up\nlink set y%d up\n", i, i);
	end(ip);
}

static void shrink(int fd)
{
	int bytes = 4096;

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)), 0);
}

static void test_overrun(void **state)
{
	struct world *world = *state;
	int ifindex;

	add_pairs(0, 400);
	watch(world);
	ifindex = named(world, "x50")->ifindex; /* deleted, and not made again */
	shrink(route_fd(&world->netlink->route));
	storm();
	WAIT(world, world->resyncs > 0);
	drain(world);
	assert_true(world->vanishings >= 200); /* 100 pairs are gone, 50 came anew */
	assert_null(netlink_by_index(world->netlink, ifindex));
	assert_null(named(world, "x50"));
	assert_non_null(named(world, "z150"));
	agree(world);
	/* And it goes on as before. */
	run(world, HOME, "ip link set z150 mtu 1111");
	WAIT(world, ON(world, "z150", link->mtu == 1111));
}

/* Only the messages of features were lost. */
static void test_overrun_of_features(void **state)
{
	struct world *world = *state;
	FILE *ip;

	add_pairs(0, 50);
	watch(world);
	NEEDS_FEATURES(world);
	shrink(features_fd(&world->netlink->features));
	for (int i = 0; i < 50; i++)
		run(world, HOME, "ip link set y%d up && ethtool -K y%d gro on", i, i);
	WAIT(world, world->resyncs > 0);
	for (int i = 0; i < 50; i++) {
		char name[IF_NAMESIZE];

		snprintf(name, sizeof(name), "x%d", i);
		assert_true(named(world, name)->xdp_features & LINK_XDP_NDO_XMIT);
	}
	ip = batch();
	fprintf(ip, "link set x1 mtu 1400\n");
	end(ip);
	WAIT(world, ON(world, "y1", link->peer_mtu == 1400));
	agree(world);
}

/* A resync tells only of what differs. */
static void test_resync_is_quiet(void **state)
{
	struct world *world = *state;
	unsigned int calls;

	add_pairs(0, 20);
	watch(world);
	calls = world->calls;
	world->netlink->resync = true;
	wake_in(world->netlink, 0);
	WAIT(world, world->resyncs == 1);
	assert_int_equal(world->calls, calls);
	assert_int_equal(world->settled, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_two_thousand_links),
	    TEST(test_overrun),
	    TEST(test_overrun_of_features),
	    TEST(test_resync_is_quiet),
	};

	return cmocka_run_group_tests_name("netlink-scale", tests, NULL, NULL);
}
