/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links of our own namespace: they come, go and change, and we know. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/netns/netlink/world.h"

/* With the veth pair va and vb. */
static struct world *watch_pair(void **state)
{
	struct world *world = *state;

	run(world, HOME, "ip link add va type veth peer name vb");
	watch(world);
	return world;
}

static void test_open_tells_all(void **state)
{
	struct world *world = watch_pair(state);

	assert_int_equal(world->calls, 3); /* lo, va, vb */
	assert_int_equal(world->settled, 1);
	assert_int_equal(world->resyncs, 0);
	assert_true(named(world, "lo")->loopback);
	assert_string_equal(named(world, "va")->driver, "veth");
	agree(world);
	drain(world);
	assert_int_equal(world->calls, 3); /* and then nothing */
}

static void test_appear_and_vanish(void **state)
{
	struct world *world = *state;
	int ifindex;

	watch(world);
	run(world, HOME, "ip link add va type veth peer name vb");
	WAIT(world, named(world, "va") && named(world, "vb"));
	agree(world);
	ifindex = named(world, "va")->ifindex;
	run(world, HOME, "ip link del va");
	WAIT(world, !named(world, "va") && !named(world, "vb"));
	assert_int_equal(world->vanishings, 2);
	assert_null(netlink_by_index(world->netlink, ifindex));
	agree(world);
}

static void test_rename(void **state)
{
	struct world *world = watch_pair(state);
	int ifindex;

	ifindex = named(world, "va")->ifindex;
	run(world, HOME, "ip link set va name vc");
	WAIT(world, named(world, "vc"));
	assert_int_equal(named(world, "vc")->ifindex, ifindex);
	assert_null(named(world, "va"));
	assert_int_equal(world->vanishings, 0);
	/* Two that swap their names, seen in one go. */
	run(world, HOME,
	    "ip link set vc name vt && ip link set vb name vc && ip link set vt name vb");
	WAIT(world, ON(world, "vb", link->ifindex == ifindex));
	assert_int_equal(world->vanishings, 0);
	agree(world);
}

static void test_recreate(void **state)
{
	struct world *world = watch_pair(state);
	int ifindex;

	ifindex = named(world, "va")->ifindex;
	run(world, HOME, "ip link del va && ip link add va type veth peer name vb");
	WAIT(world, ON(world, "va", link->ifindex != ifindex));
	assert_int_equal(world->vanishings, 2);
	agree(world);
}

/* Kernel maps forget a device that was away, so the vanishing must be told although it is back. */
static void test_recreate_with_same_ifindex(void **state)
{
	struct world *world = *state;

	run(world, HOME, "ip link add va index 77 type veth peer name vb index 78");
	watch(world);
	run(world, HOME,
	    "ip link del va && ip link add va index 77 type veth peer name vb index 78");
	WAIT(world, world->vanishings == 2 && named(world, "va") && named(world, "vb"));
	assert_int_equal(named(world, "va")->ifindex, 77);
	agree(world);
}

static void test_up_down_carrier(void **state)
{
	struct world *world = watch_pair(state);

	run(world, HOME, "ip link set va up");
	WAIT(world, ON(world, "va", link->up && !link->lower_up));
	run(world, HOME, "ip link set vb up");
	WAIT(world, ON(world, "va", link->up && link->lower_up));
	WAIT(world, ON(world, "vb", link->up && link->lower_up));
	agree(world);
	run(world, HOME, "ip link set vb down");
	WAIT(world, ON(world, "va", link->up && !link->lower_up));
	WAIT(world, ON(world, "vb", !link->up));
	agree(world);
}

static void test_mtu(void **state)
{
	struct world *world = *state;
	unsigned int calls;

	run(world, HOME, "ip link add va type veth peer name vb");
	watch(world);
	calls = world->calls;
	run(world, HOME, "ip link set va mtu 1400");
	WAIT(world, ON(world, "va", link->mtu == 1400));
	WAIT(world, ON(world, "vb", link->peer_mtu == 1400 && link->mtu == 1500));
	drain(world);
	assert_int_equal(world->calls, calls + 2); /* va itself, and vb for its peer */
	agree(world);
}

static void test_xdp_by_others(void **state)
{
	static const struct {
		__u32 flags;
		enum link_xdp_mode mode;
	} cases[] = {{XDP_FLAGS_DRV_MODE, LINK_XDP_NATIVE}, {XDP_FLAGS_SKB_MODE, LINK_XDP_GENERIC}};
	struct world *world = *state;
	uint32_t id;
	int program = xdp_program(&id), ifindex;

	run(world, HOME, "ip link add va type veth peer name vb && ip link set va up");
	watch(world);
	ifindex = named(world, "va")->ifindex;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(bpf_xdp_attach(ifindex, program, cases[i].flags, NULL), 0);
		WAIT(world, ON(world, "va", link->xdp_mode == cases[i].mode));
		assert_int_equal(named(world, "va")->xdp_program_id, id);
		WAIT(world, ON(world, "vb", link->peer_xdp_native == (i == 0)));
		agree(world);
		assert_int_equal(bpf_xdp_detach(ifindex, cases[i].flags, NULL), 0);
		WAIT(world, ON(world, "va", link->xdp_mode == LINK_XDP_NONE));
		assert_int_equal(named(world, "va")->xdp_program_id, 0);
		WAIT(world, ON(world, "vb", !link->peer_xdp_native));
	}
	close(program);
}

/* The kernel announces programs only of links that are up; the next announcement tells. */
static void test_xdp_while_down(void **state)
{
	struct world *world = *state;
	uint32_t id;
	int program = xdp_program(&id), ifindex;

	run(world, HOME, "ip link add va type veth peer name vb");
	watch(world);
	ifindex = named(world, "va")->ifindex;
	assert_int_equal(bpf_xdp_attach(ifindex, program, XDP_FLAGS_SKB_MODE, NULL), 0);
	run(world, HOME, "ip link set va up");
	WAIT(world, ON(world, "va", link->up && link->xdp_program_id == id));
	assert_int_equal(named(world, "va")->xdp_mode, LINK_XDP_GENERIC);
	agree(world);
	close(program);
}

/* What a refresh finds is told although no message ever comes for it. */
static void test_refresh_of_what_nobody_announced(void **state)
{
	struct world *world = *state;
	unsigned int calls;
	uint32_t id;
	int program = xdp_program(&id), ifindex;

	run(world, HOME, "ip link add va type veth peer name vb");
	watch(world);
	ifindex = named(world, "va")->ifindex;
	assert_int_equal(bpf_xdp_attach(ifindex, program, XDP_FLAGS_SKB_MODE, NULL), 0);
	drain(world);
	calls = world->calls;
	assert_int_equal(netlink_refresh(world->netlink, ifindex), 0);
	assert_int_equal(named(world, "va")->xdp_program_id, id);
	WAIT(world, world->calls == calls + 1);
	drain(world);
	assert_int_equal(netlink_refresh(world->netlink, ifindex), 0);
	drain(world); /* nothing new: no call */
	assert_int_equal(world->calls, calls + 1);
	close(program);
}

/* rtnetlink is silent about a bpf_link; the veth at the other end gives it away. */
static void test_xdp_by_bpf_link(void **state)
{
	struct world *world = *state;
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_DRV_MODE);
	uint32_t id;
	int program, held;

	run(world, HOME, "ip link add va type veth peer name vb");
	watch(world);
	NEEDS_FEATURES(world);
	program = xdp_program(&id);
	held = bpf_link_create(program, named(world, "va")->ifindex, BPF_XDP, &options);
	assert_true(held >= 0);
	WAIT(world, ON(world, "va", link->xdp_mode == LINK_XDP_NATIVE));
	assert_int_equal(named(world, "va")->xdp_program_id, id);
	WAIT(world, ON(world, "vb", link->peer_xdp_native));
	WAIT(world, ON(world, "vb", link->xdp_features & LINK_XDP_NDO_XMIT));
	close(held);
	WAIT(world, ON(world, "va", link->xdp_mode == LINK_XDP_NONE));
	WAIT(world, ON(world, "vb", !(link->xdp_features & LINK_XDP_NDO_XMIT)));
	close(program);
}

static void test_macvlan(void **state)
{
	struct world *world = watch_pair(state);

	run(world, HOME, "ip link add link va name mv type macvlan mode bridge");
	WAIT(world, named(world, "mv"));
	assert_string_equal(named(world, "mv")->kind, "macvlan");
	assert_string_equal(named(world, "mv")->driver, "macvlan");
	assert_int_equal(named(world, "mv")->lower, named(world, "va")->ifindex);
	assert_false(named(world, "mv")->peer_known);
	agree(world);
}

/* A port that leaves its bridge causes an RTM_DELLINK, of family AF_BRIDGE. */
static void test_bridge_port(void **state)
{
	struct world *world = *state;

	run(world, HOME, "ip link add va type veth peer name vb && ip link add br0 type bridge");
	watch(world);
	run(world, HOME, "ip link set va master br0");
	WAIT(world, ON(world, "va", link->master && link->promisc));
	assert_string_equal(named(world, "va")->master_kind, "bridge");
	assert_int_equal(named(world, "va")->master, named(world, "br0")->ifindex);
	agree(world);
	run(world, HOME, "ip link set va nomaster");
	WAIT(world, ON(world, "va", !link->master && !link->promisc));
	drain(world);
	assert_non_null(named(world, "va"));
	assert_int_equal(world->vanishings, 0);
	agree(world);
}

static int make_tun(const char *name, short flags)
{
	struct ifreq request = {.ifr_flags = flags | IFF_NO_PI};
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		skip();
	strcpy(request.ifr_name, name);
	assert_int_equal(ioctl(fd, TUNSETIFF, &request), 0);
	return fd;
}

static void test_tun_and_tap(void **state)
{
	struct world *world = *state;
	int tun, tap;

	run(world, HOME, "[ -e /dev/net/tun ] || modprobe -q tun || :");
	watch(world);
	tun = make_tun("tun0", IFF_TUN);
	tap = make_tun("tap0", IFF_TAP);
	WAIT(world, named(world, "tun0") && named(world, "tap0"));
	assert_string_equal(named(world, "tap0")->kind, "tun");
	assert_string_equal(named(world, "tap0")->driver, "tun");
	assert_true(named(world, "tap0")->ethernet);
	assert_false(named(world, "tun0")->ethernet);
	agree(world);
	close(tun);
	close(tap);
	WAIT(world, !named(world, "tun0") && !named(world, "tap0"));
	agree(world);
}

/* What a refresh finds first is told although its notification brings nothing new. */
static void test_refresh(void **state)
{
	struct world *world = *state;
	unsigned int calls;
	int ifindex;

	run(world, HOME, "ip link add va type veth peer name vb");
	watch(world);
	ifindex = named(world, "va")->ifindex;
	calls = world->calls;
	run(world, HOME, "ip link set va mtu 1300");
	assert_int_equal(netlink_refresh(world->netlink, ifindex), 0);
	assert_int_equal(named(world, "va")->mtu, 1300);
	assert_int_equal(world->calls, calls); /* only a dispatch tells */
	WAIT(world, world->calls == calls + 2);
	run(world, HOME, "ip link del va");
	assert_int_equal(netlink_refresh(world->netlink, ifindex), -ENODEV);
	assert_null(netlink_by_index(world->netlink, ifindex));
	WAIT(world, world->vanishings == 2);
	assert_int_equal(netlink_refresh(world->netlink, 99999), -ENODEV);
	drain(world);
	assert_int_equal(world->vanishings, 2);
	agree(world);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_open_tells_all),
	    TEST(test_appear_and_vanish),
	    TEST(test_rename),
	    TEST(test_recreate),
	    TEST(test_recreate_with_same_ifindex),
	    TEST(test_up_down_carrier),
	    TEST(test_mtu),
	    TEST(test_xdp_by_others),
	    TEST(test_xdp_while_down),
	    TEST(test_refresh_of_what_nobody_announced),
	    TEST(test_xdp_by_bpf_link),
	    TEST(test_macvlan),
	    TEST(test_bridge_port),
	    TEST(test_tun_and_tap),
	    TEST(test_refresh),
	};

	return cmocka_run_group_tests_name("netlink-links", tests, NULL, NULL);
}
