/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other end of a veth, in our namespace or in another:
 *
 *	HOME va ---- vb AWAY
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "daemon/netlink/state.h"
#include "tests/netns/netlink/world.h"

/* Makes the pair and the namespace, and watches. */
static unsigned int pair(struct world *world)
{
	unsigned int away = space(world);

	run(world, HOME, "ip link add va type veth peer name vb netns %d", world->spaces[away]);
	watch(world);
	assert_true(named(world, "va")->lower_nsid >= 0);
	assert_true(named(world, "va")->peer_known);
	return away;
}

static void test_peer_at_open(void **state)
{
	struct world *world = *state;
	unsigned int away = space(world);

	run(world, HOME,
	    "ip link add va numrxqueues 3 numtxqueues 2 type veth"
	    " peer name vb mtu 1234 numrxqueues 4 numtxqueues 3 netns %d",
	    world->spaces[away]);
	watch(world);
	assert_int_equal(named(world, "va")->rx_queues, 3);
	assert_int_equal(named(world, "va")->tx_queues, 2);
	assert_true(named(world, "va")->peer_known);
	assert_int_equal(named(world, "va")->peer_mtu, 1234);
	assert_int_equal(named(world, "va")->peer_rx_queues, 4);
	assert_int_equal(named(world, "va")->peer_tx_queues, 3);
	agree(world);
}

static void test_peer_mtu(void **state)
{
	struct world *world = *state;
	unsigned int away = pair(world);

	run(world, away, "ip link set vb mtu 1400");
	WAIT(world, ON(world, "va", link->peer_mtu == 1400));
	assert_int_equal(named(world, "va")->mtu, 1500);
	drain(world);
	agree(world);
}

/* A foreign link with the number of one of ours, and changes of it. */
static void test_foreign_numbers_stay_foreign(void **state)
{
	struct world *world = *state;
	unsigned int away = pair(world), calls;

	run(world, HOME, "ip link add name vx index 50 type veth peer name vy index 51");
	WAIT(world, named(world, "vx") && named(world, "vy"));
	drain(world);
	calls = world->calls;
	run(world, away, "ip link add name vx index 50 type veth peer name vy index 51");
	run(world, away, "ip link set vx mtu 900");
	run(world, away, "ip link del vx");
	drain(world);
	assert_int_equal(world->calls, calls);
	assert_int_equal(world->vanishings, 0);
	agree(world);
}

/* Case 1 of the field: GRO gives the peer NAPI, and then redirected frames are accepted. */
static void test_peer_napi(void **state)
{
	struct world *world = *state;
	unsigned int away = pair(world);

	NEEDS_FEATURES(world);
	run(world, away, "ip link set vb up");
	run(world, HOME, "ip link set va up");
	assert_true(named(world, "va")->xdp_features_known);
	assert_false(named(world, "va")->xdp_features & LINK_XDP_NDO_XMIT);
	for (int i = 0; i < 3; i++) {
		run(world, away, "ethtool -K vb gro on");
		WAIT(world, ON(world, "va", link->xdp_features & LINK_XDP_NDO_XMIT));
		assert_false(named(world, "va")->peer_xdp_native);
		run(world, away, "ethtool -K vb gro off");
		WAIT(world, ON(world, "va", !(link->xdp_features & LINK_XDP_NDO_XMIT)));
	}
}

static void test_peer_xdp(void **state)
{
	struct world *world = *state;
	unsigned int away = pair(world);
	int ifindex = ifindex_in(world, away, "vb"), program;
	uint32_t id;

	program = xdp_program(&id);
	run(world, away, "ip link set vb up");
	enter(world, away);
	assert_int_equal(bpf_xdp_attach(ifindex, program, XDP_FLAGS_DRV_MODE, NULL), 0);
	enter(world, HOME);
	WAIT(world, ON(world, "va", link->peer_xdp_native));
	WAIT(world,
	     ON(world, "va", !link->xdp_features_known || link->xdp_features & LINK_XDP_NDO_XMIT));
	enter(world, away);
	assert_int_equal(bpf_xdp_detach(ifindex, XDP_FLAGS_DRV_MODE, NULL), 0);
	assert_int_equal(bpf_xdp_attach(ifindex, program, XDP_FLAGS_SKB_MODE, NULL), 0);
	enter(world, HOME);
	/* Case 3: generic mode is no NAPI. */
	WAIT(world, ON(world, "va", !link->peer_xdp_native));
	WAIT(world, ON(world, "va", !(link->xdp_features & LINK_XDP_NDO_XMIT)));
	close(program);
}

/* rtnetlink does not announce this one, the features of our end do. */
static void test_peer_xdp_by_bpf_link(void **state)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_DRV_MODE);
	struct world *world = *state;
	unsigned int away = pair(world);
	int ifindex = ifindex_in(world, away, "vb"), program, held;
	uint32_t id;

	NEEDS_FEATURES(world);
	program = xdp_program(&id);
	enter(world, away);
	held = bpf_link_create(program, ifindex, BPF_XDP, &options);
	enter(world, HOME);
	assert_true(held >= 0);
	WAIT(world, ON(world, "va", link->peer_xdp_native));
	close(held);
	WAIT(world, ON(world, "va", !link->peer_xdp_native));
	close(program);
}

static void test_move_is_vanishing(void **state)
{
	struct world *world = *state;
	unsigned int away = space(world);
	int ifindex;

	run(world, HOME, "ip link add va type veth peer name vb");
	watch(world);
	ifindex = named(world, "vb")->ifindex;
	run(world, HOME, "ip link set vb netns %d", world->spaces[away]);
	WAIT(world, !named(world, "vb") && ON(world, "va", link->lower_nsid >= 0));
	assert_int_equal(world->vanishings, 1);
	assert_int_equal(world->last_vanished, ifindex);
	WAIT(world, ON(world, "va", link->peer_known && link->peer_mtu == 1500));
	run(world, away, "ip link set vb mtu 1300");
	WAIT(world, ON(world, "va", link->peer_mtu == 1300));
	run(world, away, "ip link set vb netns %d", getpid());
	WAIT(world, named(world, "vb") && ON(world, "va", link->lower_nsid == -1));
	WAIT(world, ON(world, "va", link->peer_known && link->peer_mtu == 1300));
	agree(world);
}

static void test_peer_moves_on(void **state)
{
	struct world *world = *state;
	unsigned int away = pair(world), further = space(world);

	run(world, away, "ip link set vb mtu 1400");
	WAIT(world, ON(world, "va", link->peer_mtu == 1400));
	run(world, away, "ip link set vb netns %d", world->spaces[further]);
	run(world, further, "ip link set vb mtu 1350 name vc");
	WAIT(world, ON(world, "va", link->peer_known && link->peer_mtu == 1350));
	agree(world);
	run(world, further, "ip link set vc mtu 1450");
	WAIT(world, ON(world, "va", link->peer_mtu == 1450));
}

static void test_death_of_namespace(void **state)
{
	struct world *world = *state;
	unsigned int away = pair(world);

	space_end(world, away);
	WAIT(world, !named(world, "va"));
	assert_int_equal(world->vanishings, 1);
	agree(world);
}

/* As without CAP_NET_BROADCAST. */
static void hear_only_home(struct world *world)
{
	int off = 0;

	assert_true(world->netlink->route.all_namespaces);
	assert_int_equal(setsockopt(route_fd(&world->netlink->route), SOL_NETLINK,
				    NETLINK_LISTEN_ALL_NSID, &off, sizeof(off)),
			 0);
	world->netlink->route.all_namespaces = false;
}

/* The features still wake us, and then everything is read. */
static void test_without_foreign_events(void **state)
{
	struct world *world = *state;
	unsigned int away = pair(world);

	NEEDS_FEATURES(world);
	hear_only_home(world);
	run(world, away, "ip link set vb mtu 1400 up");
	drain(world);
	assert_int_equal(named(world, "va")->peer_mtu, 1500);
	run(world, away, "ethtool -K vb gro on");
	WAIT(world, ON(world, "va", link->xdp_features & LINK_XDP_NDO_XMIT));
	assert_int_equal(named(world, "va")->peer_mtu, 1400);
	run(world, away, "ip link set vb mtu 1450");
	run(world, HOME, "ip link set va mtu 1450");
	WAIT(world, ON(world, "va", link->mtu == 1450));
	assert_int_equal(named(world, "va")->peer_mtu, 1450);
}

/* Nothing is said of va, but what vb says of its own other end puts va in doubt. */
static void test_peer_comes_home_unheard(void **state)
{
	struct world *world = *state;
	unsigned int away = pair(world);

	hear_only_home(world);
	features_close(&world->netlink->features); /* as before 6.3 */
	run(world, away, "ip link set vb netns %d", getpid());
	WAIT(world, named(world, "vb") && ON(world, "va", link->lower_nsid == -1));
	agree(world);
}

/* A kernel that does not answer is asked again, and nothing is told that is not known. */
static void test_kernel_that_does_not_answer(void **state)
{
	const struct timeval soon = {.tv_usec = 10000};
	struct world *world = *state;
	unsigned int away = pair(world), calls = world->calls;
	int *fd = &world->netlink->route.request.fd, kept = *fd, ends[2], results[3];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)), 0);
	run(world, away, "ip link set vb mtu 1400");
	*fd = ends[0];
	results[0] = netlink_dispatch(world->netlink);
	results[1] = netlink_refresh(world->netlink, named(world, "va")->ifindex);
	*fd = kept;
	assert_int_equal(results[0], 0); /* it will try again by itself */
	assert_int_equal(results[1], -ETIMEDOUT);
	assert_int_equal(world->calls, calls);
	WAIT(world, ON(world, "va", link->peer_mtu == 1400));

	world->netlink->resync = true;
	*fd = ends[0];
	results[2] = netlink_dispatch(world->netlink);
	*fd = kept;
	assert_int_equal(results[2], -ETIMEDOUT);
	assert_int_equal(world->resyncs, 0);
	WAIT(world, world->resyncs == 1);
	agree(world);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_peer_at_open),
	    TEST(test_peer_mtu),
	    TEST(test_foreign_numbers_stay_foreign),
	    TEST(test_peer_napi),
	    TEST(test_peer_xdp),
	    TEST(test_peer_xdp_by_bpf_link),
	    TEST(test_move_is_vanishing),
	    TEST(test_peer_moves_on),
	    TEST(test_death_of_namespace),
	    TEST(test_without_foreign_events),
	    TEST(test_peer_comes_home_unheard),
	    TEST(test_kernel_that_does_not_answer),
	};

	return cmocka_run_group_tests_name("netlink-peers", tests, NULL, NULL);
}
