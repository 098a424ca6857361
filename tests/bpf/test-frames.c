/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every frame of frames.c through the shipped ingress program, native and generic: the
 * verdict, the one counter that moves, by one, the group that counts it, and the frame,
 * which is left as it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/bpf/frames.h"
#include "tests/bpf/table.h"
#include "tests/bpf/world.h"

static struct world world;
static struct xm_interface_counters counters;
static struct group_key *keys;
static int *members;
static int programs[WORLD_GENERIC + 1]; /* by instance */

static int open_world(void **state)
{
	(void)state;
	keys = calloc(frames_group_count, sizeof(*keys));
	members = calloc(frames_group_count, sizeof(*members));
	if (!keys || !members || !table_frames(keys) || world_open(&world))
		return -1;
	for (size_t i = 0; i < frames_group_count; i++)
		members[i] = frames_groups[i].members;
	for (enum world_instance i = 0; i <= WORLD_GENERIC; i++)
		if ((programs[i] = world_program(&world, i, false)) < 0)
			return -1;
	return world_fill(&world, keys, frames_group_count, members, false) ||
	       counters_interface(world.dp, WORLD_INGRESS, &counters);
}

static int close_world(void **state)
{
	(void)state;
	world_close(&world);
	free(keys);
	free(members);
	return 0;
}

static size_t group_called(const char *name)
{
	char text[TABLE_NAME_MAX];

	for (size_t i = 0; name && i < frames_group_count; i++)
		if (strcmp(table_name(&keys[i], text), name) == 0)
			return i;
	return MATCH_NONE;
}

/* The name of the only counter of *moved that moved, by one; else what is wrong. */
static const char *only_counter(const struct xm_interface_counters *moved)
{
	static const char *const reasons[] = {
#define XM_NAME(id, name, level, text) name,
	    XM_COUNTED_REASONS(XM_NAME)
#undef XM_NAME
	};
	const char *name = NULL;
	uint64_t sum = moved->matched;

	if (moved->matched)
		name = "matched";
	for (int i = 0; i < XM_PROTOCOLS; i++) {
		sum += moved->unmatched[i];
		if (moved->unmatched[i])
			name = table_protocol(i);
	}
	for (int i = 0; i < XM_REASONS_COUNTED; i++) {
		sum += moved->dropped[i];
		if (moved->dropped[i])
			name = reasons[i];
	}
	return sum == 1 ? name : sum ? "several counters" : "no counter";
}

static void check(const char *name, const uint8_t *frame, size_t len, enum verdict verdict,
		  const char *counter, const char *group)
{
	static struct world_result result;
	struct xm_interface_counters moved;
	struct xm_group_counters before = {0}, after = {0};
	size_t index = group_called(group);

	for (enum world_instance i = 0; i <= WORLD_GENERIC; i++) {
		static const char *const modes[] = {"native", "fold", "generic"};
		const char *mode = modes[i];
		if (index != MATCH_NONE)
			counters_group(world.dp, index + 1, &before);
		assert_int_equal(world_run(programs[i], frame, len, &result), 0);
		assert_int_equal(world_moved(&world, &counters, &moved), 0);
		if (index != MATCH_NONE)
			counters_group(world.dp, index + 1, &after);
		if (result.verdict != (int)verdict || strcmp(only_counter(&moved), counter) != 0)
			fail_msg("%s, %zu bytes, %s: verdict %d, %s; expected %d, %s", name, len,
				 mode, result.verdict, only_counter(&moved), verdict, counter);
		if (moved.received != 1)
			fail_msg("%s: received moved by %llu", name, moved.received);
		uint64_t copies = verdict == REDIRECTED ? members[index] : 0;
		if (moved.copies != copies || after.copies - before.copies != copies)
			fail_msg("%s, %s: %llu copies due (group: %llu), expected %lu", name, mode,
				 moved.copies, after.copies - before.copies, copies);
		if (index != MATCH_NONE &&
		    (after.frames - before.frames != 1 || after.bytes - before.bytes != len))
			fail_msg("%s, %s: group %s counted %llu frames, %llu bytes", name, mode,
				 group, after.frames - before.frames, after.bytes - before.bytes);
		assert_int_equal(result.len, len);
		assert_memory_equal(result.data, frame, len);
		assert_false(result.handed_over);
	}
}

static void test_frame(void **state)
{
	const struct frames_case *c = *state;
	struct packet p;

	assert_true(packet_parse(&p, c->words));
	check(c->name, p.data, p.len, c->verdict, c->counter, c->group);
}

static void test_cut(void **state)
{
	const struct frames_cut *c = *state;
	struct packet p;

	assert_true(packet_parse(&p, c->words));
	for (size_t len = 14, part = 0; len <= p.len; len++) {
		if (c->part[part + 1].from == len)
			part++;
		check(c->words, p.data, len, c->part[part].verdict, c->part[part].counter,
		      c->part[part].group);
	}
}

/* Frames of another generation are passed and not counted, whatever they are. */
static void test_generation(void **state)
{
	uint64_t word = dataplane_ingress(world.dp, WORLD_INGRESS);
	struct xm_interface_counters moved;
	struct world_result result;
	struct packet p;

	(void)state;
	assert_true(packet_parse(&p, "ip 10.0.0.1 239.1.1.1 udp 64"));
	dataplane_store_ingress(world.dp, WORLD_INGRESS,
				xm_ingress(WORLD_GENERATION + 1, 0, xm_ingress_flags(word)));
	int error = world_run(programs[WORLD_NATIVE], p.data, p.len, &result);
	dataplane_store_ingress(world.dp, WORLD_INGRESS, word);
	assert_int_equal(error, 0);
	assert_int_equal(result.verdict, PASSED);
	assert_int_equal(world_moved(&world, &counters, &moved), 0);
	assert_int_equal(moved.received, 0);
	assert_string_equal(only_counter(&moved), "no counter");
}

int main(void)
{
	size_t count = frames_case_count + frames_cut_count + 1, at = 0;
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));

	if (!tests)
		return 1;
	for (size_t i = 0; i < frames_case_count; i++)
		tests[at++] = (struct CMUnitTest){.name = frames_cases[i].name,
						  .test_func = test_frame,
						  .initial_state = (void *)&frames_cases[i]};
	for (size_t i = 0; i < frames_cut_count; i++)
		tests[at++] = (struct CMUnitTest){.name = frames_cuts[i].words,
						  .test_func = test_cut,
						  .initial_state = (void *)&frames_cuts[i]};
	tests[at++] = (struct CMUnitTest){.name = "other generation", .test_func = test_generation};
	int failed = _cmocka_run_group_tests("frames", tests, at, open_world, close_world);

	free(tests);
	return failed != 0;
}
