// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of whole IPv4 addresses as the ingress program reads it: keys that found all their
 * buckets taken, and readers while keys come and go beside theirs. Every frame must be counted at
 * the entry of its own group, or at none where its group is not there.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "tests/bpf/own.h"
#include "tests/bpf/packet.h"

#define INGRESS	   1
#define GENERATION 1
#define CROWD	   (XM_PROBES + 8) /* addresses of one home */
#define FRAMES	   2000000	   /* that a test reads at least */
#define ROUND	   20000	   /* frames of one call */
#define TURNS	   100		   /* changes of thirty keys beside them */

static struct dataplane *dp;
static uint32_t crowd[CROWD]; /* host byte order, all multicast */
static int program;

static struct xm_entry_record record_of(uint32_t address)
{
	struct xm_entry_record r = {.used = 1, .key.ingress = INGRESS, .len = 128};

	r.key.address.word[2] = htonl(0xffff);
	r.key.address.word[3] = htonl(address);
	return r;
}

static uint32_t home_of(uint32_t address)
{
	return xm_bucket_hash(xm_bucket_address(INGRESS, htonl(address)), 0) & dp->buckets.mask;
}

static int open_all(void **state)
{
	struct ingress_spec spec = {
	    .slot = INGRESS, .ifindex = 1, .native = true, .generation = GENERATION};
	struct fault fault = {""};
	unsigned int found = 0;

	(void)state;
	dp = open_with(NULL, &small);
	for (uint32_t a = 0xef000000; found < CROWD; a++)
		if (home_of(a) == 5)
			crowd[found++] = a;
	program = dataplane_load_ingress(dp, &spec, &fault);
	dataplane_store_ingress(dp, INGRESS, xm_ingress(GENERATION, 0, 0));
	for (uint32_t entry = 1; entry <= CROWD; entry++)
		dataplane_store_entry(dp, entry, xm_entry(entry, 0, 0, 0));
	return program < 0;
}

static int close_all(void **state)
{
	(void)state;
	close(program);
	dataplane_close(dp);
	return 0;
}

static void send_to(uint32_t address, int repeat)
{
	struct packet p;
	struct xdp_md ctx = {0};
	char text[64];

	snprintf(text, sizeof(text), "ip 10.0.0.1 %u.%u.%u.%u udp 8", address >> 24,
		 address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff);
	assert_true(packet_parse(&p, text));
	ctx.data_end = p.len;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = p.data, .data_size_in = p.len,
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = repeat);
	assert_int_equal(bpf_prog_test_run_opts(program, &opts), 0);
}

static uint64_t frames_of(uint32_t entry)
{
	struct xm_group_counters c;

	assert_int_equal(counters_group(dp, entry, &c), 0);
	return c.frames;
}

/* Sends to the nth of the crowd; returns how many its entry counted. No other may have moved. */
static uint64_t counted(unsigned int n, int frames)
{
	uint64_t before[CROWD];

	for (unsigned int i = 0; i < CROWD; i++)
		before[i] = frames_of(i + 1);
	send_to(crowd[n], frames);
	for (unsigned int i = 0; i < CROWD; i++)
		if (i != n)
			assert_int_equal(frames_of(i + 1), before[i]);
	return frames_of(n + 1) - before[n];
}

static int insert(unsigned int n)
{
	struct xm_entry_record r = record_of(crowd[n]);

	return dataplane_insert(dp, n + 1, &r);
}

TEST(more_than_a_home_holds)
{
	for (unsigned int i = 0; i < CROWD; i++) {
		assert_int_equal(counted(i, 10), 0);
		assert_int_equal(insert(i), 0);
		assert_int_equal(insert(i), 0); /* adoption */
	}
	assert_int_equal(dp->buckets.elsewhere, CROWD - XM_PROBES);
	for (unsigned int i = 0; i < CROWD; i++)
		assert_int_equal(counted(i, 10), 10);
	/* those elsewhere stay to be found when the last bucket before an empty one is left */
	for (unsigned int i = 0; i < XM_PROBES; i++)
		assert_int_equal(dataplane_delete(dp, i + 1), 0);
	for (unsigned int i = 0; i < CROWD; i++)
		assert_int_equal(counted(i, 10), i < XM_PROBES ? 0 : 10);
	for (unsigned int i = XM_PROBES; i < CROWD; i++)
		assert_int_equal(dataplane_delete(dp, i + 1), 0);
	assert_int_equal(dp->buckets.elsewhere, 0);
	for (uint32_t i = 0; i <= dp->buckets.mask + XM_PROBES; i++)
		assert_int_equal(dp->buckets.at[i].address, XM_BUCKET_EMPTY);
	for (unsigned int i = 0; i < CROWD; i++) {
		assert_int_equal(counted(i, 10), 0);
		dataplane_forget(dp, i + 1);
	}
	assert_int_equal(dataplane_grace(dp), 0);
}

/* Half of the keys 1 to 30 are there, in turns; 0 stays. As the reconciler: delete, grace, insert.
 * A grace period ends between two rounds of the sender: they can fall into step, and then each
 * round meets the table without keys. So each tenth turn lasts while all keys are asked for.
 */
static atomic_bool stop;
static atomic_uint turns, rounds;
static void *change(void *error)
{
	int *r = error;

	for (unsigned int turn = 0; !*r && !stop; turn++) {
		for (unsigned int n = 1; n <= 30 && !*r; n++)
			if (turn && n % 2 != turn % 2)
				*r = dataplane_delete(dp, n + 1);
		if (!*r)
			*r = dataplane_grace(dp);
		for (unsigned int n = 1; n <= 30 && !*r; n++) {
			if (n % 2 == turn % 2)
				*r = insert(n);
			else
				dataplane_forget(dp, n + 1);
		}
		if (!*r)
			*r = dataplane_grace(dp); /* of the switch that follows an insert */
		for (unsigned int now = rounds; turn % 10 == 0 && rounds - now <= 31 && !stop;)
			sched_yield();
		turns++;
	}
	stop = true; /* also after an error */
	return NULL;
}

TEST(keys_that_come_and_go)
{
	uint64_t frames = 0, found = 0, missed = 0; /* the last two: without key 0, which stays */
	pthread_t writer;
	int error = 0;

	assert_int_equal(insert(0), 0);
	assert_int_equal(pthread_create(&writer, NULL, change, &error), 0);
	for (unsigned int n = 0; !stop && (frames < FRAMES || turns < TURNS); n = (n + 1) % 31) {
		uint64_t own = counted(n, ROUND);

		rounds++;
		frames += ROUND;
		assert_true(own <= ROUND);
		if (!n) {
			assert_int_equal(own, ROUND);
			continue;
		}
		found += own;
		missed += ROUND - own;
	}
	stop = true;
	assert_int_equal(pthread_join(writer, NULL), 0);
	assert_int_equal(error, 0);
	/* 15 of 30 keys in each tenth turn, and another time the other 15 */
	assert_true(found >= TURNS / 10 * 15ULL * ROUND);
	assert_true(missed >= TURNS / 10 * 15ULL * ROUND);
	print_message("# %llu frames, %llu found their group, in %u turns of 30 keys\n",
		      (unsigned long long)frames, (unsigned long long)found, turns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(more_than_a_home_holds),
	    cmocka_unit_test(keys_that_come_and_go),
	};
	int r = own_namespaces();

	return r ? r : cmocka_run_group_tests(tests, open_all, close_all);
}
