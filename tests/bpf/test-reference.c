/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tools of the bpf suite themselves: packet builder against known sums, reference matcher
 * against what frames.c, written by hand, expects. No kernel is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/bpf/frames.h"
#include "tests/bpf/packet.h"
#include "tests/bpf/table.h"

static struct group_key *keys;

static int make_keys(void **state)
{
	(void)state;
	keys = calloc(frames_group_count, sizeof(*keys));
	return keys && table_frames(keys) ? 0 : -1;
}

static int free_keys(void **state)
{
	(void)state;
	free(keys);
	return 0;
}

/* RFC 1071, section 3: 00 01 f2 03 f4 f5 f6 f7 sums to ddf2. */
static void test_sum_of_rfc1071(void **state)
{
	static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};

	(void)state;
	assert_int_equal(packet_sum(bytes, sizeof(bytes), 0), 0xddf2);
	assert_int_equal(packet_sum(bytes, 7, 0), 0xddf2 - 0xf7);
}

/* A finished header or datagram, summed with its checksum, is ffff. */
static void test_sums_of_frames(void **state)
{
	static const char *const words[] = {
	    "ip 10.0.0.1 239.1.1.1 udp 64",	     "ip 10.0.0.1 239.1.1.1 options 40 udp 63",
	    "ip6 2001:db8::1 ff0e::1:2 udp 1400",    "ip6 2001:db8::1 ff0e::1:2 hop 16 udp 1",
	    "tag 8100 5 ip 1.2.3.4 224.0.1.1 udp 0",
	};
	struct packet p;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_true(packet_parse(&p, words[i]));
		assert_int_equal(packet_sum(p.data + p.udp, p.len - p.udp, packet_pseudo_sum(&p)),
				 0xffff);
		if (!p.ipv6)
			assert_int_equal(packet_sum(p.data + p.ip, (p.data[p.ip] & 15) * 4, 0),
					 0xffff);
	}
}

/* The bytes of one frame, written out by hand; sums by RFC 1071. */
static void test_bytes_of_a_frame(void **state)
{
	static const uint8_t expected[] = {
	    0x01, 0x00, 0x5e, 0x01, 0x02, 0x03,				/* from the group */
	    0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x81, 0x00, 0x00, 0x05, /* source, tag */
	    0x08, 0x00, 0x45, 0x00, 0x00, 0x1e, 0x00, 0x00, 0x00, 0x00, /* length 30 */
	    0x10, 0x11, 0xaf, 0x4a, 0x0a, 0x00, 0x00, 0x01, 0xef, 0x81, /* TTL 16, UDP, sum */
	    0x02, 0x03, 0x13, 0x88, 0x13, 0x89, 0x00, 0x0a, 0xa2, 0x01, 0x3b, 0x42,
	};
	struct packet p;

	(void)state;
	assert_true(packet_parse(&p, "tag 8100 5 ip 10.0.0.1 239.129.2.3 udp 2"));
	assert_int_equal(p.len, sizeof(expected));
	assert_memory_equal(p.data, expected, sizeof(expected));
}

static void check(const char *name, const uint8_t *frame, size_t len, enum verdict verdict,
		  const char *counter, const char *group)
{
	struct match_result r = match_frame(keys, frames_group_count, FRAMES_INGRESS, frame, len);
	char text[TABLE_NAME_MAX];
	const char *got =
	    r.group == MATCH_NONE ? table_protocol(r.protocol) : table_name(&keys[r.group], text);
	const char *wanted = group ? group : counter;

	if (strcmp(got, wanted) != 0)
		fail_msg("%s, %zu bytes: the reference says %s, expected %s", name, len, got,
			 wanted);
	if (!group)
		assert_int_equal(verdict, PASSED);
}

static void test_reference_on_frames(void **state)
{
	struct packet p;

	(void)state;
	for (size_t i = 0; i < frames_case_count; i++) {
		const struct frames_case *c = &frames_cases[i];
		if (!packet_parse(&p, c->words))
			fail_msg("%s: cannot parse \"%s\"", c->name, c->words);
		check(c->name, p.data, p.len, c->verdict, c->counter, c->group);
	}
}

static void test_reference_on_cut_frames(void **state)
{
	struct packet p;

	(void)state;
	for (size_t i = 0; i < frames_cut_count; i++) {
		const struct frames_cut *c = &frames_cuts[i];
		assert_true(packet_parse(&p, c->words));
		for (size_t len = 14, part = 0; len <= p.len; len++) {
			if (c->part[part + 1].from == len)
				part++;
			check(c->words, p.data, len, c->part[part].verdict, c->part[part].counter,
			      c->part[part].group);
		}
	}
}

/* Only the groups of the ingress itself count. */
static void test_other_ingress(void **state)
{
	struct packet p;

	(void)state;
	assert_true(packet_parse(&p, "ip 10.0.0.1 239.1.1.1 udp 8"));
	struct match_result r = match_frame(keys, frames_group_count, "in1", p.data, p.len);
	assert_int_equal(r.group, MATCH_NONE);
	assert_int_equal(r.protocol, XM_PROTOCOL_IPV4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sum_of_rfc1071),
	    cmocka_unit_test(test_sums_of_frames),
	    cmocka_unit_test(test_bytes_of_a_frame),
	    cmocka_unit_test(test_reference_on_frames),
	    cmocka_unit_test(test_reference_on_cut_frames),
	    cmocka_unit_test(test_other_ingress),
	};

	return cmocka_run_group_tests(tests, make_keys, free_keys);
}
