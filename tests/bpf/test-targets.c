/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where XDP_REDIRECT leads: frames through the shipped program, attached native and generic, to
 * real veths, counted and compared byte by byte at their other ends.
 *
 *   send0 (packet socket) == in0, program -> set -> out0..out3 == recv0..recv3 (packet sockets)
 *
 * After the frames of a test a last one goes to all receivers: the veths keep the order, so
 * what has not arrived before it was not sent. (BPF_F_TEST_XDP_LIVE_FRAMES is no substitute:
 * 6.1 shifts every clone by 40 bytes, fixed in 6.8 by 294635a8165a.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <linux/if_link.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/bpf/table.h"
#include "tests/bpf/world.h"

#define GROUP	   "239.1.1.1"
#define COPIES	   5 /* times each frame is sent */
#define LAST	   "ip 10.0.0.1 " GROUP " udp 99"
#define DEADLINE   10000 /* ms */
#define MTU_EXTRAS 14	 /* Ethernet; the packet itself must fit the MTU */

/* numbers of the sets made here; 1..3 are the world's */
enum {
	SET_ALL = 4,
	SET_UNICAST,
	SET_THREE,
	SET_MTU_1000,
	SET_MTU_1200,
	SET_MTU_1500,
	SET_NATIVE_PROGRAM,
	SET_GENERIC_PROGRAM,
};

static struct attachment {
	const char *name;
	enum world_instance instance;
	__u32 flags; /* of attaching */
	int program;
} native = {"native", WORLD_NATIVE, XDP_FLAGS_DRV_MODE, -1},
  fold = {"fold", WORLD_FOLD, XDP_FLAGS_DRV_MODE, -1},
  generic = {"generic", WORLD_GENERIC, XDP_FLAGS_SKB_MODE, -1};

static struct world world;
static int sender, sockets[WORLD_MEMBERS];
static struct xm_interface_counters counters;

static int open_socket(const char *name)
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET,
				      .sll_protocol = htons(ETH_P_ALL),
				      .sll_ifindex = if_nametoindex(name)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int make_sets(void)
{
	static const int all[] = {0, 1, 2, 3}, three[] = {3, 1, 0}, mtu[] = {2, 1, 0};
	int error = world_set(&world, SET_ALL, 0, all, 4, 4, WORLD_MTU, -1);

	/* four members in the map, but the word says: one, out2 */
	static const int unicast[] = {2, 0, 1, 3};
	if (!error)
		error = world_set(&world, SET_UNICAST, 0, unicast, 4, 1, WORLD_MTU, -1);
	if (!error)
		error = world_set(&world, SET_THREE, 0, three, 3, 3, WORLD_MTU, -1);
	if (!error)
		error = world_set(&world, SET_MTU_1500, 0, mtu, 1, 1, 1500, -1);
	if (!error)
		error = world_set(&world, SET_MTU_1200, SET_MTU_1500, mtu, 2, 2, 1200, -1);
	if (!error)
		error = world_set(&world, SET_MTU_1000, SET_MTU_1200, mtu, 3, 3, 1000, -1);
	return error;
}

static int load(struct attachment *mode)
{
	mode->program = world_program(&world, mode->instance, false);
	return mode->program < 0 ? -1 : 0;
}

/* Attaches, and forgets what an earlier test that failed has left. */
static int attach(void **state)
{
	const struct attachment *mode = *state;
	char byte;

	for (int i = 0; i < WORLD_MEMBERS; i++)
		while (recv(sockets[i], &byte, 1, 0) >= 0)
			;
	if (counters_interface(world.dp, WORLD_INGRESS, &counters))
		return -1;
	return bpf_xdp_attach(world.ingress_ifindex, mode->program, mode->flags, NULL);
}

static int detach(void **state)
{
	const struct attachment *mode = *state;

	return bpf_xdp_detach(world.ingress_ifindex, mode->flags, NULL);
}

static int open_world(void **state)
{
	static const int members[] = {2};
	struct group_key key;
	char name[IF_NAMESIZE];

	(void)state;
	if (world_open(&world) || !table_key(&key, GROUP, NULL, NULL) ||
	    world_fill(&world, &key, 1, members, false) || make_sets())
		return -1;
	for (int i = 0; i < WORLD_MEMBERS; i++) {
		snprintf(name, sizeof(name), "recv%d", i);
		sockets[i] = open_socket(name);
		if (sockets[i] < 0 ||
		    dataplane_map_interface(world.dp, world.ifindex[i], WORLD_OUT + i))
			return -1;
	}
	sender = open_socket("send0");
	return sender < 0 || load(&native) || load(&fold) || load(&generic) ||
	       counters_interface(world.dp, WORLD_INGRESS, &counters);
}

static int close_world(void **state)
{
	(void)state;
	close(sender);
	for (int i = 0; i < WORLD_MEMBERS; i++)
		close(sockets[i]);
	world_close(&world);
	return 0;
}

/* The only entry's set and exclude; `exclude` of the ingress; enforcement by lookup or not. */
static void lead_to(uint32_t set, uint32_t exclude, uint32_t ingress_exclude, uint32_t flags)
{
	dataplane_store_entry(world.dp, 1, xm_entry(1, set, exclude, 0));
	dataplane_store_ingress(world.dp, WORLD_INGRESS,
				xm_ingress(WORLD_GENERATION, ingress_exclude, flags));
}

static void send_frame(const struct packet *p, int times)
{
	for (int i = 0; i < times; i++)
		if (send(sender, p->data, p->len, 0) != (ssize_t)p->len)
			fail_msg("send: %s", strerror(errno));
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * Sends the frame, waits until the program has seen them all, and tells what they moved. (Its
 * words may be changed only then: a loaded machine runs it long after send() is back.)
 */
static void send_and_count(const struct packet *p, int times, struct xm_interface_counters *moved)
{
	struct xm_interface_counters now;
	int64_t deadline = now_ms() + DEADLINE;

	send_frame(p, times);
	do {
		now = counters;
		assert_int_equal(world_moved(&world, &now, moved), 0);
		if (now_ms() > deadline)
			fail_msg("the program saw %llu of %d frames", moved->received, times);
	} while (moved->received < (uint64_t)times);
	counters = now;
}

static void fail_unknown(int receiver, const uint8_t *frame, ssize_t len)
{
	print_message("# recv%d:", receiver);
	for (ssize_t i = 0; i < len && i < 64; i++)
		print_message(" %02x", frame[i]);
	print_message("\n");
	fail_msg("recv%d: a frame of %zd bytes that nobody sent", receiver, len);
}

/* Counts the frames that arrive at a receiver in front of the last one; all equal *p. */
static int count_until_last(int receiver, const struct packet *p, const struct packet *last)
{
	struct pollfd wait = {.fd = sockets[receiver], .events = POLLIN};
	uint8_t got[PACKET_MAX];

	for (int count = 0;; count++) {
		if (poll(&wait, 1, DEADLINE) != 1)
			fail_msg("recv%d: the last frame did not arrive", receiver);
		ssize_t len = recv(sockets[receiver], got, sizeof(got), 0);
		if (len == (ssize_t)last->len && memcmp(got, last->data, len) == 0)
			return count;
		if (len != (ssize_t)p->len || memcmp(got, p->data, len) != 0)
			fail_unknown(receiver, got, len);
	}
}

/* Sends the frame and compares: who got how many, copies due and left out as too big. */
static void check(const char *words, const int expected[WORLD_MEMBERS], uint64_t due,
		  uint64_t too_big)
{
	static struct packet p, last;
	struct xm_interface_counters moved, moved_by_last;
	uint64_t entry = dataplane_entry(world.dp, 1),
		 ingress = dataplane_ingress(world.dp, WORLD_INGRESS);

	assert_true(packet_parse(&p, words) && packet_parse(&last, LAST));
	send_and_count(&p, COPIES, &moved);
	lead_to(SET_ALL, 0, 0, 0);
	send_and_count(&last, 1, &moved_by_last);
	dataplane_store_entry(world.dp, 1, entry);
	dataplane_store_ingress(world.dp, WORLD_INGRESS, ingress);
	for (int i = 0; i < WORLD_MEMBERS; i++) {
		int got = count_until_last(i, &p, &last);
		if (got != COPIES * expected[i])
			fail_msg("%s: recv%d got %d of %d", words, i, got, COPIES * expected[i]);
	}
	assert_int_equal(moved.received, COPIES);
	assert_int_equal(moved.matched, due ? COPIES : 0);
	assert_int_equal(moved.copies, COPIES * due);
	assert_int_equal(moved.dropped[XM_REASON_TOO_BIG], COPIES * too_big);
	assert_int_equal(moved.dropped[XM_REASON_NO_EGRESS], due ? 0 : COPIES);
}

#define GETS(...)                                                                                  \
	(const int[WORLD_MEMBERS])                                                                 \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static void test_unicast(void **state)
{
	(void)state; /* attach() has seen to the mode */
	lead_to(SET_UNICAST, 0, 0, 0);
	check("ip 10.0.0.1 " GROUP " udp 64", GETS(0, 0, 1, 0), 1, 0);
}

static void test_broadcast(void **state)
{
	(void)state;
	lead_to(SET_THREE, 0, 0, 0);
	check("ip 10.0.0.1 " GROUP " udp 64", GETS(1, 1, 0, 1), 3, 0);
	check("ip 10.0.0.1 " GROUP " udp 1472", GETS(1, 1, 0, 1), 3, 0);
	lead_to(SET_ALL, 0, 0, 0);
	check("ip 10.0.0.1 " GROUP " udp 64", GETS(1, 1, 1, 1), 4, 0);
}

static void test_no_member(void **state)
{
	(void)state;
	lead_to(world.set[0], 0, 0, 0);
	check("ip 10.0.0.1 " GROUP " udp 64", GETS(0, 0, 0, 0), 0, 0);
}

/* Sizes at both sides of each limit: an untagged packet must fit the MTU. Copies that do not fit
 * are due all the same, and counted as too big. */
static void test_mtu(void **state)
{
	static const struct {
		int frame;
		int gets[WORLD_MEMBERS];
		int too_big;
	} steps[] = {
	    {100, {1, 1, 1, 0}, 0},
	    {1000 + MTU_EXTRAS, {1, 1, 1, 0}, 0},
	    {1001 + MTU_EXTRAS, {0, 1, 1, 0}, 1},
	    {1200 + MTU_EXTRAS, {0, 1, 1, 0}, 1},
	    {1201 + MTU_EXTRAS, {0, 0, 1, 0}, 2},
	    {1500 + MTU_EXTRAS, {0, 0, 1, 0}, 2},
	    {1501 + MTU_EXTRAS, {0, 0, 0, 0}, 3},
	};
	char words[128];

	(void)state;
	lead_to(SET_MTU_1000, 0, 0, 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int payload = steps[i].frame - 14 - 20 - 8;
		snprintf(words, sizeof(words), "ip 10.0.0.1 " GROUP " udp %d", payload);
		check(words, steps[i].gets, 3, steps[i].too_big);
	}
}

/* An exclude map that names some of out0..out3. */
static uint32_t make_exclude(const int *members, int count)
{
	struct pool *pool = world.dp->exclude_pool;

	assert_int_equal(pool_want(pool, count, 1), 0);
	assert_int_equal(pool_grow(pool), 0);
	uint32_t slot = pool_take(pool, count);
	assert_int_not_equal(slot, 0);
	for (int i = 0; i < count; i++)
		assert_int_equal(
		    pool_add(pool, slot, world.ifindex[members[i]], world.ifindex[members[i]], -1),
		    0);
	return slot;
}

/* Both excludes, of the group and of the ingress, each alone and together. */
static void test_exclude_by_lookup(void **state)
{
	static const int all[] = {0, 1, 2, 3}, of_group[] = {1}, of_ingress[] = {3, 0};
	static const char words[] = "ip 10.0.0.1 " GROUP " udp 64";
	struct xm_interface_counters before[WORLD_MEMBERS], after;
	static const uint64_t excluded[WORLD_MEMBERS] = {2, 2, 0, 2}; /* in the three checks */

	const struct attachment *mode = *state;
	bool is_generic = mode->instance == WORLD_GENERIC;
	uint32_t set = is_generic ? SET_GENERIC_PROGRAM : SET_NATIVE_PROGRAM;
	int egress = is_generic ? world.dp->egress_generic_fd : world.dp->egress_native_fd;

	assert_int_equal(world_set(&world, set, 0, all, 4, 4, WORLD_MTU, egress), 0);
	uint32_t group = make_exclude(of_group, 1), ingress = make_exclude(of_ingress, 2);
	for (int i = 0; i < WORLD_MEMBERS; i++)
		assert_int_equal(counters_interface(world.dp, WORLD_OUT + i, &before[i]), 0);
	lead_to(set, group, 0, XM_INGRESS_LOOKUP);
	check(words, GETS(1, 0, 1, 1), 4, 0);
	lead_to(set, 0, ingress, XM_INGRESS_LOOKUP);
	check(words, GETS(0, 1, 1, 0), 4, 0);
	lead_to(set, group, ingress, XM_INGRESS_LOOKUP);
	check(words, GETS(0, 0, 1, 0), 4, 0);
	for (int i = 0; i < WORLD_MEMBERS; i++) {
		assert_int_equal(counters_interface(world.dp, WORLD_OUT + i, &after), 0);
		assert_int_equal(after.dropped[XM_REASON_EXCLUDED] -
				     before[i].dropped[XM_REASON_EXCLUDED],
				 COPIES * excluded[i]);
	}
	/* in0 has no slot in this world: others' flushes leave nothing for ours either */
	uint64_t left[1024] = {};
	uint32_t zero = 0;
	assert_int_equal(bpf_map_lookup_elem(world.dp->map_fd[MAP_FLUSH_EXCLUDED], &zero, left), 0);
	for (int i = 0; i < world.dp->possible_cpus; i++)
		assert_int_equal(left[i], 0);
}

/* What the ingress program hands over: the slots, in front of an unchanged frame. */
static void test_hand_over(void **state)
{
	static struct world_result result;
	static struct packet p;

	(void)state;
	assert_true(packet_parse(&p, "ip 10.0.0.1 " GROUP " udp 64"));
	lead_to(SET_ALL, 12, 345, XM_INGRESS_LOOKUP);
	assert_int_equal(world_run(native.program, p.data, p.len, &result), 0);
	assert_int_equal(result.verdict, XDP_REDIRECT);
	assert_true(result.handed_over);
	assert_int_equal(result.meta.magic, XM_META_MAGIC);
	assert_int_equal(result.meta.group_exclude, 12);
	assert_int_equal(result.meta.ingress_exclude, 345);
	assert_int_equal(result.len, p.len);
	assert_memory_equal(result.data, p.data, p.len);
	/* nothing to exclude, or enforced by fold: nothing is handed over */
	lead_to(SET_ALL, 0, 0, XM_INGRESS_LOOKUP);
	assert_int_equal(world_run(native.program, p.data, p.len, &result), 0);
	assert_false(result.handed_over);
	lead_to(SET_ALL, 12, 345, 0);
	assert_int_equal(world_run(native.program, p.data, p.len, &result), 0);
	assert_false(result.handed_over);
}

/* The instance that cannot hand over: who is excluded gets nothing, and the frame is counted. */
static void test_no_metadata(void **state)
{
	static const struct {
		uint32_t group, ingress, flags;
		int verdict;
	} cases[] = {
	    {12, 0, XM_INGRESS_LOOKUP, XDP_DROP},
	    {0, 345, XM_INGRESS_LOOKUP, XDP_DROP},
	    {0, 0, XM_INGRESS_LOOKUP, XDP_REDIRECT},
	    {12, 345, 0, XDP_REDIRECT},
	};
	struct xm_interface_counters moved;
	static struct world_result result;
	static struct packet p;

	(void)state;
	assert_true(packet_parse(&p, "ip 10.0.0.1 " GROUP " udp 64"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool drops = cases[i].verdict == XDP_DROP;
		assert_int_equal(world_moved(&world, &counters, &moved), 0);
		lead_to(SET_ALL, cases[i].group, cases[i].ingress, cases[i].flags);
		assert_int_equal(world_run(fold.program, p.data, p.len, &result), 0);
		assert_int_equal(result.verdict, cases[i].verdict);
		assert_false(result.handed_over);
		assert_int_equal(world_moved(&world, &counters, &moved), 0);
		assert_int_equal(moved.received, 1);
		assert_int_equal(moved.dropped[XM_REASON_NO_METADATA], drops);
		assert_int_equal(moved.copies, drops ? 0 : WORLD_MEMBERS);
	}
}

/* The only member left the map before the word says so: dropped and counted, not silent. */
static void test_member_just_left(void **state)
{
	struct xm_interface_counters moved;
	static struct world_result result;
	static struct packet p;
	uint32_t only = xm_set_only(world.dp->sets[SET_UNICAST]);

	(void)state;
	assert_true(packet_parse(&p, "ip 10.0.0.1 " GROUP " udp 64"));
	assert_int_equal(world_moved(&world, &counters, &moved), 0);
	lead_to(SET_UNICAST, 0, 0, 0);
	assert_int_equal(dataplane_unicast(world.dp, true, only, 0, -1), 0);
	assert_int_equal(world_run(native.program, p.data, p.len, &result), 0);
	assert_int_equal(
	    dataplane_unicast(world.dp, true, only, world.ifindex[only - WORLD_OUT], -1), 0);
	assert_int_equal(result.verdict, XDP_DROP);
	assert_int_equal(world_moved(&world, &counters, &moved), 0);
	assert_int_equal(moved.received, 1);
	assert_int_equal(moved.matched, 0);
	assert_int_equal(moved.copies, 0);
	assert_int_equal(moved.dropped[XM_REASON_NO_EGRESS], 1);
}

#define IN_MODE(test, mode)                                                                        \
	{                                                                                          \
#test ", " #mode, test_##test, attach, detach, &mode                               \
	}
#define IN_ALL(test) IN_MODE(test, native), IN_MODE(test, fold), IN_MODE(test, generic)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    IN_ALL(unicast),
	    IN_ALL(broadcast),
	    IN_ALL(no_member),
	    IN_ALL(mtu),
	    IN_MODE(exclude_by_lookup, native),
	    IN_MODE(exclude_by_lookup, generic),
	    cmocka_unit_test(test_hand_over),
	    cmocka_unit_test(test_no_metadata),
	    cmocka_unit_test(test_member_just_left),
	};

	return cmocka_run_group_tests(tests, open_world, close_world) != 0;
}
