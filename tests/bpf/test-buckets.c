// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of whole IPv4 addresses: collisions, what was left, and a reader that knows only the
 * rules of struct xm_bucket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "daemon/dataplane/buckets.h"
#include "tests/bpf/random.h"

#define TEST(name) static void name(void **state __attribute__((unused)))
#define KEYS	   900
#define HOMES	   512
#define STEPS	   200000
#define ELSEWHERE  UINT32_MAX /* the reader has to ask the hash */

static struct xm_bucket memory[HOMES + XM_PROBES];
static struct buckets table;

static int fresh(void **state)
{
	(void)state;
	for (size_t i = 0; i < HOMES + XM_PROBES; i++)
		memory[i] = (struct xm_bucket){0};
	table = (struct buckets){.at = memory, .mask = HOMES - 1};
	return 0;
}

/* From the header's words, not from the code under test. */
static uint32_t read_key(uint64_t address, uint32_t vlan)
{
	uint32_t home = xm_bucket_hash(address, vlan) & (HOMES - 1);

	for (uint32_t i = home; i < home + XM_PROBES; i++) {
		if (memory[i].address == XM_BUCKET_EMPTY)
			return 0;
		if (memory[i].address == address && memory[i].entry >> 32 == vlan &&
		    (uint32_t)memory[i].entry)
			return memory[i].entry;
	}
	return ELSEWHERE;
}

/* The nth address whose home is this one. */
static uint64_t address_at(uint32_t home, unsigned int n)
{
	for (uint32_t host = 0;; host++) {
		uint64_t address = xm_bucket_address(1, host);
		if ((xm_bucket_hash(address, 0) & (HOMES - 1)) == home && !n--)
			return address;
	}
}

static unsigned int count(uint64_t address)
{
	unsigned int n = 0;

	for (size_t i = 0; i < HOMES + XM_PROBES; i++)
		n += memory[i].address == address;
	return n;
}

TEST(sizes)
{
	assert_int_equal(buckets_homes(1), XM_PROBES);
	assert_int_equal(buckets_homes(102), 128);
	assert_int_equal(buckets_homes(104), 256);
	assert_int_equal(buckets_homes(202000), 262144);
	for (unsigned int keys = 1; keys < XM_ENTRIES_MAX; keys = keys * 3 + 1) {
		uint32_t homes = buckets_homes(keys);
		assert_int_equal(homes & (homes - 1), 0);
		assert_true(homes * 0.8 >= keys - 1);
	}
}

TEST(equal_hashes)
{
	const uint32_t home = HOMES - 1; /* the last: its keys lie behind the homes */
	bool full;

	for (unsigned int i = 0; i < XM_PROBES; i++) {
		assert_true(buckets_insert(&table, address_at(home, i), 0, i + 1));
		assert_int_equal(read_key(address_at(home, i), 0), i + 1);
	}
	assert_int_equal(read_key(address_at(home, XM_PROBES), 0), ELSEWHERE);
	assert_int_equal(buckets_find(&table, address_at(home, XM_PROBES), 0, &full), 0);
	assert_true(full);
	assert_false(buckets_insert(&table, address_at(home, XM_PROBES), 0, 99));

	/* one in the middle goes: those behind it stay to be found, and its bucket is taken again
	 */
	assert_true(buckets_delete(&table, address_at(home, 7), 0));
	assert_false(buckets_delete(&table, address_at(home, 7), 0));
	assert_int_equal(count(XM_BUCKET_LEFT), 1);
	assert_int_equal(read_key(address_at(home, 8), 0), 9);
	assert_true(buckets_insert(&table, address_at(home, XM_PROBES), 0, 99));
	assert_int_equal(read_key(address_at(home, XM_PROBES), 0), 99);
	assert_int_equal(count(XM_BUCKET_LEFT), 0);
}

TEST(vlans)
{
	uint64_t address = address_at(3, 0);
	bool full;

	for (uint32_t vlan = 0; vlan < 200; vlan++)
		assert_true(buckets_insert(&table, address, vlan << 16 | 5, vlan + 1));
	for (uint32_t vlan = 0; vlan < 200; vlan++)
		assert_int_equal(buckets_find(&table, address, vlan << 16 | 5, &full), vlan + 1);
	assert_int_equal(buckets_find(&table, address, 0, &full), 0);
}

/* The last ones are emptied at once, but not while a key lies elsewhere. */
TEST(emptied)
{
	for (unsigned int i = 0; i < 4; i++)
		assert_true(buckets_insert(&table, address_at(9, i), 0, i + 1));
	assert_true(buckets_delete(&table, address_at(9, 1), 0));
	assert_true(buckets_delete(&table, address_at(9, 2), 0));
	assert_int_equal(count(XM_BUCKET_LEFT), 2);
	assert_true(buckets_delete(&table, address_at(9, 3), 0));
	assert_int_equal(count(XM_BUCKET_LEFT), 0);
	assert_int_equal(count(XM_BUCKET_EMPTY), HOMES + XM_PROBES - 1);

	table.elsewhere = 1;
	assert_true(buckets_delete(&table, address_at(9, 0), 0));
	assert_int_equal(count(XM_BUCKET_LEFT), 1);
	table.elsewhere = 0;
	buckets_sweep(&table);
	assert_int_equal(count(XM_BUCKET_EMPTY), HOMES + XM_PROBES);
}

/* Between the two stores of an insert, and of a delete. */
TEST(killed_writer)
{
	uint64_t first = address_at(20, 0), second = address_at(20, 1);
	bool full;

	assert_true(buckets_insert(&table, first, 0, 1));
	assert_true(buckets_insert(&table, second, 0, 2));
	memory[20].entry = 0;
	assert_int_equal(read_key(first, 0), 0);
	assert_int_equal(read_key(second, 0), 2);
	assert_int_equal(buckets_find(&table, first, 0, &full), 0);
	assert_false(full);
	assert_false(buckets_delete(&table, first, 0));
	assert_true(buckets_insert(&table, first, 0, 3));
	assert_int_equal(read_key(first, 0), 3);
	memory[20].entry = 0;
	assert_true(buckets_delete(&table, second, 0));
	assert_int_equal(count(XM_BUCKET_EMPTY), HOMES + XM_PROBES);
}

/* Up to 78 % full, as the caller does it: what finds no bucket is kept elsewhere. */
TEST(churn)
{
	struct random r = {20261130};
	enum { ABSENT, HERE, AWAY } where[KEYS] = {0};
	unsigned long here = 0, away = 0;
	bool full;

	for (int step = 0; step < STEPS; step++) {
		unsigned int k = random_below(&r, KEYS);
		uint64_t address = xm_bucket_address(1 + k % 3, k / 8 * 0x10000);
		uint32_t vlan = k % 8;
		uint32_t found = read_key(address, vlan);
		assert_int_equal(buckets_find(&table, address, vlan, &full),
				 where[k] == HERE ? k + 1 : 0);
		if (where[k] == HERE)
			assert_int_equal(found, k + 1);
		else if (where[k] == AWAY)
			assert_int_equal(found, ELSEWHERE);
		else
			assert_true(!found || found == ELSEWHERE);
		if (where[k] == ABSENT && random_chance(&r, 80)) {
			where[k] = buckets_insert(&table, address, vlan, k + 1) ? HERE : AWAY;
			table.elsewhere += where[k] == AWAY;
			*(where[k] == HERE ? &here : &away) += 1;
		} else if (where[k] != ABSENT) {
			assert_int_equal(buckets_delete(&table, address, vlan), where[k] == HERE);
			if (where[k] == AWAY && !--table.elsewhere)
				buckets_sweep(&table);
			where[k] = ABSENT;
		}
	}
	print_message("# %lu inserted, %lu found all buckets taken\n", here, away);
	assert_true(here > STEPS / 4 && away);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sizes),
	    cmocka_unit_test_setup(equal_hashes, fresh),
	    cmocka_unit_test_setup(vlans, fresh),
	    cmocka_unit_test_setup(emptied, fresh),
	    cmocka_unit_test_setup(killed_writer, fresh),
	    cmocka_unit_test_setup(churn, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
