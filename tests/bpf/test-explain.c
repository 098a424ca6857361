/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dataplane_explain() against the program itself: random frames and tables, both read the same
 * maps, and must say the same of every frame: verdict, group, copies, what is too big.
 *
 * XM_SEED=N repeats a run.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "daemon/dataplane/explain.h"
#include "tests/bpf/match.h"
#include "tests/bpf/random.h"
#include "tests/bpf/table.h"
#include "tests/bpf/world.h"

#define TABLES	     20
#define TABLE_GROUPS 150

enum { SET_SMALL = 4, SET_MIDDLE, SET_LARGE }; /* a chain by MTU: 3, 2 and 1 members */

static struct world world;
static int program;
static struct xm_interface_counters counters;
static struct random seed;

/* 6.1, which a guest has, waits for RCU in each test run. */
static size_t frames_of_table(void)
{
	return getenv("XM_IN_VM") ? 150 : 3000;
}

static int open_world(void **state)
{
	static const int members[] = {2, 1, 0};
	int error = world_open(&world);

	(void)state;
	seed = random_seed();
	if (!error)
		error = world_set(&world, SET_LARGE, 0, members, 1, 1, 1500, -1);
	if (!error)
		error = world_set(&world, SET_MIDDLE, SET_LARGE, members, 2, 2, 1200, -1);
	if (!error)
		error = world_set(&world, SET_SMALL, SET_MIDDLE, members, 3, 3, 100, -1);
	if (error)
		return -1;
	/* groups with 2 members get the chain */
	world.set[2] = SET_SMALL;
	program = world_program(&world, WORLD_NATIVE, false);
	return program < 0 || counters_interface(world.dp, WORLD_INGRESS, &counters);
}

static int close_world(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

static struct explain_frame query(const struct match_facts *f, const struct packet *p)
{
	struct explain_frame q = {.key = {.ingress = WORLD_INGRESS, .vlan = f->vlan},
				  .control = f->control_only};
	size_t tags = 0;

	memcpy(&q.key.address, f->address, sizeof(q.key.address));
	memcpy(&q.source, f->source, sizeof(q.source));
	/* the Ethernet header and at most one tag are not part of what must fit the MTU */
	while (tags < 2 && p->len >= 18 + 4 * tags &&
	       (!memcmp(p->data + 12 + 4 * tags, "\x81\0", 2) ||
		!memcmp(p->data + 12 + 4 * tags, "\x88\xa8", 2)))
		tags++;
	q.needed = p->len - (tags ? 18 : 14);
	return q;
}

/* Exactly the members that the chain leaves for such a frame, each once. */
static void check_copies(const struct explain *e, uint32_t needed)
{
	static const unsigned int mtu[] = {100, 1200, 1500}; /* of out0, out1, out2 */

	if (e->due < 3)
		return;
	assert_int_equal(e->copies, 3);
	for (size_t i = 0; i < e->copies; i++) {
		size_t member = 0;
		while (member < 3 && world.ifindex[member] != e->copy[i].ifindex)
			member++;
		assert_in_range(member, 0, 2);
		assert_int_equal(e->copy[i].too_big, needed > mtu[member]);
	}
}

static void compare(const struct group_key *keys, const struct packet *p, uint64_t seen[4])
{
	struct match_facts facts = match_read(p->data, p->len);
	struct explain_frame q = query(&facts, p);
	struct xm_interface_counters moved;
	static struct world_result got;
	struct explain e = {0};

	assert_int_equal(world_run(program, p->data, p->len, &got), 0);
	assert_int_equal(world_moved(&world, &counters, &moved), 0);
	if (!facts.can_match) {
		assert_int_equal(got.verdict, XDP_PASS);
		return;
	}
	assert_int_equal(dataplane_explain(world.dp, &q, &e), 0);
	assert_true(e.complete);
	seen[e.verdict]++;
	assert_int_equal(moved.matched, e.verdict == EXPLAIN_COPIED);
	assert_int_equal(moved.unmatched[facts.protocol], e.verdict == EXPLAIN_UNMATCHED);
	assert_int_equal(moved.dropped[XM_REASON_NO_EGRESS], e.verdict == EXPLAIN_NO_EGRESS);
	assert_int_equal(moved.copies, e.verdict == EXPLAIN_COPIED ? e.due : 0);
	assert_int_equal(moved.dropped[XM_REASON_TOO_BIG], e.due - e.left);
	assert_int_equal(got.verdict, e.verdict == EXPLAIN_UNMATCHED ? XDP_PASS
				      : e.left			     ? XDP_REDIRECT
								     : XDP_DROP);
	assert_int_equal(got.handed_over, got.verdict == XDP_REDIRECT);
	if (got.handed_over) /* group i has an exclude slot of its own, i + 1 */
		assert_int_equal(got.meta.group_exclude, e.group);
	if (e.group) {
		struct xm_group_counters c;
		assert_int_equal(counters_group(world.dp, e.group, &c), 0);
		assert_int_equal(c.frames, 1);
		assert_int_equal(counters_clear_group(world.dp, e.group), 0);
		assert_true(keys[e.group - 1].address.len >= 1);
	}
	check_copies(&e, q.needed);
	explain_free(&e);
}

static void test_same_as_program(void **state)
{
	uint64_t seen[4] = {0};
	size_t frames = TABLES * frames_of_table();

	(void)state;
	for (size_t done = 0; done < frames; done += frames_of_table()) {
		static struct group_key keys[TABLE_GROUPS];
		int members[TABLE_GROUPS];
		static struct packet p;
		size_t count = random_table(&seed, keys, TABLE_GROUPS);
		for (size_t i = 0; i < count; i++)
			members[i] = random_below(&seed, 3);
		assert_int_equal(world_fill(&world, keys, count, members, true), 0);
		for (size_t i = 0; i < frames_of_table(); i++) {
			random_frame(&seed, keys, count, &p);
			compare(keys, &p, seen);
		}
		assert_int_equal(world_empty(&world), 0);
	}
	printf("# %llu unmatched, %llu without egress, %llu copied\n",
	       (unsigned long long)seen[EXPLAIN_UNMATCHED],
	       (unsigned long long)seen[EXPLAIN_NO_EGRESS],
	       (unsigned long long)seen[EXPLAIN_COPIED]);
	assert_in_range(seen[EXPLAIN_UNMATCHED], frames / 100, frames);
	assert_in_range(seen[EXPLAIN_NO_EGRESS], frames / 100, frames);
	assert_in_range(seen[EXPLAIN_COPIED], frames / 10, frames);
}

static void test_inactive(void **state)
{
	struct explain_frame q = {.key.ingress = WORLD_INGRESS};
	struct explain e;

	(void)state;
	dataplane_store_ingress(world.dp, WORLD_INGRESS, 0);
	assert_int_equal(dataplane_explain(world.dp, &q, &e), 0);
	assert_int_equal(e.verdict, EXPLAIN_INACTIVE);
	q.key.ingress = 0;
	assert_int_equal(dataplane_explain(world.dp, &q, &e), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_program),
					   cmocka_unit_test(test_inactive)};

	return cmocka_run_group_tests(tests, open_world, close_world) != 0;
}
