/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unfinished UDP checksums (CHECKSUM_PARTIAL of a sender behind a veth): finished in the
 * copies, IPv4 as 0 (RFC 768: none), IPv6 as the full sum; only after a match, only by a
 * native program that was told to, never in fragments. Nothing else in a frame changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/bpf/table.h"
#include "tests/bpf/world.h"

#define UDP_CHECKSUM 6

static struct world world;
static int finishing, plain, generic;

static int open_world(void **state)
{
	static const char *const groups[][2] = {
	    {"239.1.1.1", NULL}, {"239.1.1.1", "5"}, {"ff0e::1", NULL}, {"ff0e::1", "5.6"}};
	static const int members[] = {1, 2, 2, 1};
	struct group_key keys[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		if (!table_key(&keys[i], groups[i][0], NULL, groups[i][1]))
			return -1;
	if (world_open(&world) || world_fill(&world, keys, 4, members, false))
		return -1;
	finishing = world_program(&world, WORLD_NATIVE, true);
	plain = world_program(&world, WORLD_NATIVE, false);
	generic = world_program(&world, WORLD_GENERIC, true);
	return finishing < 0 || plain < 0 || generic < 0;
}

static int close_world(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

/* The frame of `words` comes out as that of `expected`. */
static void check(int program, const char *words, int verdict, const char *expected)
{
	static struct packet in, out;
	static struct world_result result;

	if (!packet_parse(&in, words) || !packet_parse(&out, expected))
		fail_msg("cannot parse \"%s\" or \"%s\"", words, expected);
	assert_int_equal(world_run(program, in.data, in.len, &result), 0);
	if (result.verdict != verdict)
		fail_msg("%s: verdict %d, expected %d", words, result.verdict, verdict);
	assert_int_equal(result.len, out.len);
	for (size_t i = 0; i < out.len; i++)
		if (result.data[i] != out.data[i])
			fail_msg("%s: byte %zu is %02x, expected %02x", words, i, result.data[i],
				 out.data[i]);
}

static void check_unchanged(int program, const char *words, int verdict)
{
	check(program, words, verdict, words);
}

static void test_ipv4_becomes_zero(void **state)
{
	static const char *const before[] = {"ip 10.0.0.1 239.1.1.1 udp %d%s",
					     "ip 10.255.255.255 239.1.1.1 options 40 udp %d%s",
					     "tag 8100 5 ip 192.0.2.1 239.1.1.1 udp %d%s",
					     "tag 8100 0 ip 0.0.0.0 239.1.1.1 options 4 udp %d%s"};
	static const int sizes[] = {0, 1, 2, 17, 64, 512, 1400, 1472};
	char in[256], out[256];

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
			int size = sizes[j] - (sizes[j] > 1400 ? 48 : 0);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(in, sizeof(in), before[i], size, " unfinished");
			snprintf(out, sizeof(out), before[i], size, " zero");
#pragma GCC diagnostic pop
			check(finishing, in, XDP_REDIRECT, out);
		}
	}
}

static void check_ipv6(const char *headers, int size)
{
	char in[256], out[256];

	snprintf(in, sizeof(in), "%s udp %d unfinished", headers, size);
	snprintf(out, sizeof(out), "%s udp %d", headers, size);
	check(finishing, in, XDP_REDIRECT, out);
}

/* Every size: the sum's loop has steps of 16, 2 and 1 bytes. */
static void test_ipv6_is_summed(void **state)
{
	(void)state;
	for (int size = 0; size <= 1452; size++)
		check_ipv6("ip6 2001:db8::1 ff0e::1", size);
}

static void test_ipv6_behind_headers(void **state)
{
	static const char *const headers[] = {
	    "tag 88a8 5 tag 8100 6 ip6 2001:db8::1 ff0e::1",
	    "ip6 2001:db8::1 ff0e::1 hop 8",
	    "ip6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ff0e::1 hop 16 dest 24",
	    "ip6 :: ff0e::1 route 8 auth 24 dest 8",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		for (int size = 0; size <= 1300; size += 13)
			check_ipv6(headers[i], size);
}

/* Ethernet pads short frames: what lies behind the datagram is not summed. */
static void test_ipv6_padded(void **state)
{
	(void)state;
	check(finishing, "ip6 2001:db8::1 ff0e::1 udp 3 unfinished pad 7", XDP_REDIRECT,
	      "ip6 2001:db8::1 ff0e::1 udp 3 pad 7");
	check(finishing, "ip 10.0.0.1 239.1.1.1 udp 3 unfinished pad 15", XDP_REDIRECT,
	      "ip 10.0.0.1 239.1.1.1 udp 3 zero pad 15");
}

static void test_finished_is_left_alone(void **state)
{
	char words[128];

	(void)state;
	for (int size = 0; size <= 1400; size += 7) {
		snprintf(words, sizeof(words), "ip 10.0.0.1 239.1.1.1 udp %d", size);
		check_unchanged(finishing, words, XDP_REDIRECT);
		snprintf(words, sizeof(words), "ip6 2001:db8::1 ff0e::1 udp %d", size);
		check_unchanged(finishing, words, XDP_REDIRECT);
	}
	check_unchanged(finishing, "ip 10.0.0.1 239.1.1.1 udp 64 zero", XDP_REDIRECT);
	check_unchanged(finishing, "ip6 2001:db8::1 ff0e::1 udp 64 zero", XDP_REDIRECT);
	check_unchanged(finishing, "ip 10.0.0.1 239.1.1.1 proto 6", XDP_REDIRECT);
}

static void test_fragments_are_left_alone(void **state)
{
	static const char *const fragments[] = {
	    "ip 10.0.0.1 239.1.1.1 fragment 0x2000 udp 64 unfinished",
	    "ip 10.0.0.1 239.1.1.1 fragment 0x2010 udp 64 unfinished",
	    "ip 10.0.0.1 239.1.1.1 fragment 0x0010 udp 64 unfinished",
	    "ip6 2001:db8::1 ff0e::1 fragment6 1 udp 64 unfinished",
	    "ip6 2001:db8::1 ff0e::1 fragment6 0x11 udp 64 unfinished",
	    "ip6 2001:db8::1 ff0e::1 fragment6 0x10 udp 64 unfinished",
	    "ip6 2001:db8::1 ff0e::1 hop 8 fragment6 1 dest 8 udp 64 unfinished",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fragments) / sizeof(fragments[0]); i++)
		check_unchanged(finishing, fragments[i], XDP_REDIRECT);
	/* "do not fragment" is no fragment */
	check(finishing, "ip 10.0.0.1 239.1.1.1 fragment 0x4000 udp 64 unfinished", XDP_REDIRECT,
	      "ip 10.0.0.1 239.1.1.1 fragment 0x4000 udp 64 zero");
}

static void test_only_after_a_match(void **state)
{
	(void)state;
	check_unchanged(finishing, "ip 10.0.0.1 239.1.1.2 udp 64 unfinished", XDP_PASS);
	check_unchanged(finishing, "ip6 2001:db8::1 ff0e::2 udp 64 unfinished", XDP_PASS);
	check_unchanged(finishing, "mac 02:00:00:00:00:02 ip 10.0.0.1 10.0.0.2 udp 8 unfinished",
			XDP_PASS);
}

static void test_only_where_told(void **state)
{
	const int programs[] = {plain, generic};

	(void)state;
	for (int i = 0; i < 2; i++) {
		check_unchanged(programs[i], "ip 10.0.0.1 239.1.1.1 udp 64 unfinished",
				XDP_REDIRECT);
		check_unchanged(programs[i], "ip6 2001:db8::1 ff0e::1 udp 64 unfinished",
				XDP_REDIRECT);
	}
}

/*
 * A finished checksum that happens to equal the pseudo-header sum, which one in 65536 does:
 * made by adjusting the last two bytes of the payload. Finished again it is still right.
 */
static void test_lookalike(void **state)
{
	static struct world_result result;
	static struct packet p;

	(void)state;
	assert_true(packet_parse(&p, "ip6 2001:db8::1 ff0e::1 udp 64"));
	uint8_t *udp = p.data + p.udp, *last = p.data + p.len - 2;
	uint16_t pseudo = packet_pseudo_sum(&p);
	memset(udp + UDP_CHECKSUM, 0, 2);
	memset(last, 0, 2);
	/* wanted: ~(rest + x) == pseudo, so x = ~pseudo - rest in one's complement */
	uint16_t rest = packet_sum(udp, p.len - p.udp, pseudo);
	uint32_t x = (uint16_t)~pseudo + (uint16_t)~rest;
	x = (x & 0xffff) + (x >> 16);
	last[0] = x >> 8;
	last[1] = x & 0xff;
	udp[UDP_CHECKSUM] = pseudo >> 8;
	udp[UDP_CHECKSUM + 1] = pseudo & 0xff;
	assert_int_equal(packet_sum(udp, p.len - p.udp, pseudo), 0xffff);

	assert_int_equal(world_run(finishing, p.data, p.len, &result), 0);
	assert_int_equal(result.verdict, XDP_REDIRECT);
	assert_memory_equal(result.data, p.data, p.len);
}

/* A datagram that says it is longer than the frame: nothing beyond the frame is touched. */
static void test_length_beyond_the_frame(void **state)
{
	static struct world_result result;
	static struct packet p;

	(void)state;
	assert_true(packet_parse(&p, "ip6 2001:db8::1 ff0e::1 udp 100 unfinished"));
	for (size_t len = p.udp; len < p.len; len++) {
		assert_int_equal(world_run(finishing, p.data, len, &result), 0);
		assert_int_equal(result.verdict, XDP_REDIRECT);
		assert_int_equal(result.len, len);
		for (size_t i = 0; i < len; i++)
			if (i != p.udp + UDP_CHECKSUM && i != p.udp + UDP_CHECKSUM + 1)
				assert_int_equal(result.data[i], p.data[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ipv4_becomes_zero),
	    cmocka_unit_test(test_ipv6_is_summed),
	    cmocka_unit_test(test_ipv6_behind_headers),
	    cmocka_unit_test(test_ipv6_padded),
	    cmocka_unit_test(test_finished_is_left_alone),
	    cmocka_unit_test(test_fragments_are_left_alone),
	    cmocka_unit_test(test_only_after_a_match),
	    cmocka_unit_test(test_only_where_told),
	    cmocka_unit_test(test_lookalike),
	    cmocka_unit_test(test_length_beyond_the_frame),
	};

	return cmocka_run_group_tests(tests, open_world, close_world) != 0;
}
