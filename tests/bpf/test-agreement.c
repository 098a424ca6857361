/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shipped path (model_compile(), daemon/dataplane, ingress program) against the
 * reference matcher, on random frames and random tables.
 *
 * Which group a frame matched is read frame by frame and without looking at a map: in this
 * world every group has an exclude slot of its own, so with --enforce lookup the program
 * itself writes the group into the metadata of the frame, which BPF_PROG_TEST_RUN returns.
 * After each table all counters are compared as well, with what the reference expects of each group
 * and protocol; groups without a ready member are told apart by these alone.
 *
 * XM_SEED=N repeats a run; XM_FRAMES=N sets how many frames (1,000,000).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/bpf/random.h"
#include "tests/bpf/table.h"
#include "tests/bpf/world.h"

#define FRAMES	     1000000
#define TABLE_FRAMES 5000
#define TABLES_LEAST 40 /* a prefix may cover all of a protocol: not in each */
#define TABLE_GROUPS 200

static struct world world;
static int program;
static struct xm_interface_counters counters;
static struct random seed;
static size_t frames;

struct table {
	struct group_key keys[TABLE_GROUPS];
	int members[TABLE_GROUPS];
	size_t count;
	uint64_t matched[TABLE_GROUPS], bytes[TABLE_GROUPS]; /* expected */
	uint64_t passed[XM_PROTOCOLS];
};

static int open_world(void **state)
{
	const char *text = getenv("XM_FRAMES");

	(void)state;
	seed = random_seed();
	frames = text && *text ? strtoull(text, NULL, 0) : FRAMES;
	printf("# %zu frames against tables of up to %d groups\n", frames, TABLE_GROUPS);
	if (world_open(&world))
		return -1;
	program = world_program(&world, WORLD_NATIVE, false);
	return program < 0 || counters_interface(world.dp, WORLD_INGRESS, &counters);
}

static int close_world(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

/* A line that tells all: the table is the one of the printed seed. */
static void disagree(const struct table *t, const struct packet *p, struct match_result expected,
		     const struct world_result *got)
{
	char name[TABLE_NAME_MAX];

	for (size_t i = 0; i < t->count; i++)
		print_message("# group %zu: %s, %d members\n", i, table_name(&t->keys[i], name),
			      t->members[i]);
	print_message("# frame:");
	for (size_t i = 0; i < p->len; i++)
		print_message(" %02x", p->data[i]);
	print_message("\n# expected: %s %s; got: verdict %d, group %d\n",
		      expected.group == MATCH_NONE ? "none, passed as"
						   : table_name(&t->keys[expected.group], name),
		      table_protocol(expected.protocol), got->verdict,
		      got->handed_over ? got->meta.group_exclude - 1 : -1);
	fail_msg("the program and the reference disagree, XM_SEED=%llu",
		 (unsigned long long)seed.state);
}

static void run_frame(struct table *t, const struct packet *p)
{
	static struct world_result got;
	struct match_result expected =
	    match_frame(t->keys, t->count, t->keys[0].from, p->data, p->len);

	assert_int_equal(world_run(program, p->data, p->len, &got), 0);
	if (expected.group == MATCH_NONE) {
		t->passed[expected.protocol]++;
		if (got.verdict != XDP_PASS || got.handed_over)
			disagree(t, p, expected, &got);
		return;
	}
	t->matched[expected.group]++;
	t->bytes[expected.group] += p->len;
	if (!t->members[expected.group]) {
		if (got.verdict != XDP_DROP || got.handed_over)
			disagree(t, p, expected, &got);
	} else if (got.verdict != XDP_REDIRECT || !got.handed_over ||
		   got.meta.group_exclude != expected.group + 1) {
		disagree(t, p, expected, &got);
	}
}

/* Everything adds up, group by group and protocol by protocol. */
static void check_counters(const struct table *t, size_t count)
{
	struct xm_interface_counters moved;
	uint64_t lost = 0, matched = 0, copies = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct xm_group_counters c;
		assert_int_equal(counters_group(world.dp, i + 1, &c), 0);
		assert_int_equal(c.frames, t->matched[i]);
		assert_int_equal(c.bytes, t->bytes[i]);
		assert_int_equal(c.copies, t->matched[i] * t->members[i]);
		if (t->members[i])
			matched += t->matched[i];
		else
			lost += t->matched[i];
		copies += c.copies;
		assert_int_equal(counters_clear_group(world.dp, i + 1), 0);
	}
	assert_int_equal(world_moved(&world, &counters, &moved), 0);
	assert_int_equal(moved.received, count);
	assert_int_equal(moved.matched, matched);
	assert_int_equal(moved.copies, copies);
	for (int i = 0; i < XM_PROTOCOLS; i++)
		assert_int_equal(moved.unmatched[i], t->passed[i]);
	for (int i = 0; i < XM_REASONS_COUNTED; i++)
		assert_int_equal(moved.dropped[i], i == XM_REASON_NO_EGRESS ? lost : 0);
}

static void test_agreement(void **state)
{
	struct random r = seed;
	size_t tables = 0, groups = 0;
	uint64_t entries = 0, matched = 0, passed[XM_PROTOCOLS] = {0};

	(void)state;
	for (size_t done = 0; done < frames; tables++) {
		static struct table t;
		static struct packet p;
		memset(&t, 0, sizeof(t));
		t.count = random_table(&r, t.keys, TABLE_GROUPS);
		for (size_t i = 0; i < t.count; i++)
			t.members[i] = random_chance(&r, 5) ? 0 : 1 + random_below(&r, 2);
		assert_int_equal(world_fill(&world, t.keys, t.count, t.members, true), 0);
		size_t each =
		    frames / TABLES_LEAST < TABLE_FRAMES ? frames / TABLES_LEAST + 1 : TABLE_FRAMES;
		size_t count = frames - done < each ? frames - done : each;
		for (size_t i = 0; i < count; i++) {
			random_frame(&r, t.keys, t.count, &p);
			run_frame(&t, &p);
		}
		check_counters(&t, count);
		groups += t.count;
		entries += world.entries;
		for (size_t i = 0; i < t.count; i++)
			matched += t.matched[i];
		for (int i = 0; i < XM_PROTOCOLS; i++)
			passed[i] += t.passed[i];
		assert_int_equal(world_empty(&world), 0);
		done += count;
	}
	printf("# %zu tables, %zu groups, %llu entries, %llu frames matched", tables, groups,
	       (unsigned long long)entries, (unsigned long long)matched);
	for (int i = 0; i < XM_PROTOCOLS; i++)
		printf(", %llu %s", (unsigned long long)passed[i], table_protocol(i));
	printf("\n");
	/* the frames would prove little if they did not reach every answer */
	assert_in_range(matched, frames / 10, frames);
	for (int i = 0; frames >= 10000 && i < XM_PROTOCOLS; i++)
		assert_in_range(passed[i], frames < 1000000 ? 1 : frames / 1000, frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreement)};

	return cmocka_run_group_tests(tests, open_world, close_world) != 0;
}
