// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of xmcast-bench, and the keys of its tries. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/bench/options.h"

#define WORDS_MAX 16

/* Parses a line of words. */
static int parse(const char *line, struct bench_options *out, struct fault *fault)
{
	char copy[256], *save = NULL;
	const char *argv[WORDS_MAX] = {"xmcast-bench"};
	int argc = 1;

	strncpy(copy, line, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = 0;
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	fault->text[0] = 0;
	return options_parse(argc, argv, out, fault);
}

static void test_defaults(void **state)
{
	struct bench_options o;
	struct fault fault;

	(void)state;
	assert_int_equal(parse("", &o, &fault), 0);
	assert_int_equal(o.kind, BENCH_THROUGHPUT);
	assert_true(o.throughput.native && o.throughput.generic);
	assert_int_equal(o.throughput.receiver_count, 4);
	assert_int_equal(o.throughput.receivers[3], 8);
	assert_int_equal(o.throughput.pairs, 40);
	options_free(&o);
	assert_int_equal(parse("lpm-trie", &o, &fault), 0);
	assert_int_equal(o.kind, BENCH_LPM);
	assert_int_equal(o.lpm.ops, (1u << BENCH_LPM_OPS) - 1);
	assert_int_equal(o.lpm.sizes[0], 10000);
	options_free(&o);
}

static void test_words(void **state)
{
	struct bench_options o;
	struct fault fault;

	(void)state;
	assert_int_equal(parse("lpm-trie-free lpm-trie-lookup --nr-entries 1,100,1000000 "
			       "--prefix-len 24 --producers 1 --random",
			       &o, &fault),
			 0);
	assert_int_equal(o.lpm.ops, 1u << BENCH_LPM_FREE | 1u << BENCH_LPM_LOOKUP);
	assert_int_equal(o.lpm.size_count, 3);
	assert_int_equal(o.lpm.sizes[2], 1000000);
	assert_true(o.lpm.random);
	options_free(&o);
	assert_int_equal(parse("--generic --topology x1,x16 --seed 7 --programs "
			       "redirect_map,xmcast",
			       &o, &fault),
			 0);
	assert_true(o.throughput.generic && !o.throughput.native);
	assert_int_equal(o.throughput.receivers[1], 16);
	assert_int_equal(o.throughput.seed, 7);
	options_free(&o);
}

/* Each is refused, by a line that names the word. */
static void test_refused(void **state)
{
	static const char *const lines[][2] = {
	    {"--bogus", "--bogus"},
	    {"lpm-trie-fly", "lpm-trie-fly"},
	    {"lpm-trie --nr-entries 0", "--nr-entries"},
	    {"lpm-trie --nr-entries 5,x", "--nr-entries"},
	    {"lpm-trie --nr-entries -5", "--nr-entries"},
	    {"lpm-trie --nr-entries 300 --prefix-len 8", "--prefix-len"},
	    {"lpm-trie --prefix-len 33", "--prefix-len"},
	    {"lpm-trie --prefix-len -1", "--prefix-len"},
	    {"lpm-trie --producers 0", "--producers"},
	    {"lpm-trie --producers 2 --nr-entries 1", "--producers"},
	    {"lpm-trie --nr-entries 20000000", "--allow-long-free"},
	    {"lpm-trie --duration 0", "--duration"},
	    {"--receivers 0", "--receivers"},
	    {"--receivers 1000", "--receivers"},
	    {"--frame-size 63", "--frame-size"},
	    {"--frame-size 9000", "--frame-size"},
	    {"--pairs 1", "--pairs"},
	    {"--source carrier-pigeon", "--source"},
	    {"--programs redirect", "--programs"},
	    {"--batch 257", "--batch"},
	    {"--pps 99", "--pps"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct bench_options o;
		struct fault fault;

		if (parse(lines[i][0], &o, &fault) != -EINVAL || !strstr(fault.text, lines[i][1]))
			fail_msg("%s: '%s'", lines[i][0], fault.text);
	}
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* With every prefix length up to 2^16 numbers give as many different prefixes. */
static void test_keys(void **state)
{
	static uint32_t prefixes[1 << 16];

	(void)state;
	for (unsigned int len = 1; len <= 32; len++) {
		uint32_t count = len < 16 ? 1u << len : 1u << 16, low, shift;
		struct lpm_shape shape = {.prefix_len = len, .nr_entries = count};

		lpm_shape_masks(&shape, &low, &shift);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t key = (i & low) | (i & ~low) << shift;

			/* as the trie compares: byte by byte from the lowest, highest bit first */
			prefixes[i] = __builtin_bswap32(key) >> (32 - len);
		}
		qsort(prefixes, count, sizeof(*prefixes), by_value);
		for (uint32_t i = 1; i < count; i++)
			assert_true(prefixes[i] != prefixes[i - 1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
