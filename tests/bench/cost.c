// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the shipped datapath costs against the least that a program can do for the same
 * outcome. Both run on live frames in interleaved pairs, timed by the call's own duration, the
 * tracepoint programs on for xmcast and off for its reference. Printed is the median of the
 * pairs' ratios with its 95 % interval; a bar is missed when the whole interval is above it.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/statistics.h"
#include "daemon/bench/alone.h"
#include "daemon/bench/traffic.h"
#include "daemon/bench/xmcast.h"
#include "daemon/bench/scheduling.h"

#define PAIRS	   40
#define FRAMES	   50000
#define GROUPS	   100000
#define MANY	   256	/* members of the largest set */
#define HALF_WIDTH 0.05 /* a wider interval decides nothing */
#define ROW_LIMIT  900	/* seconds, then SIGALRM ends it: it has real-time priority */

struct bench {
	struct topology topology;
	struct traffic *traffic;
	unsigned int pairs;
	unsigned long frames;
	unsigned int missed, undecided;
	bool no_tracing;    /* to see what the tracepoint programs cost */
	const char *row;    /* the only one to measure, NULL: all */
	const char *object; /* another build, to be compared with the shipped one; NULL: none */
};

/* One side of a comparison. */
struct side {
	struct subject subject;
	struct xmcast *xmcast; /* of this subject alone; NULL: a reference */
	uint64_t frames;
	unsigned int groups; /* random destinations; 0: one */
	unsigned int copies; /* that a frame's time is divided by */
	bool alone;	     /* the program without what the kernel does with the frame */
	double *ns;
};

static void fail(const char *what, const struct fault *fault)
{
	fprintf(stderr, "%s: %s\n", what, fault ? fault->text : "failed");
	exit(1);
}

/* Every frame must have arrived, or its time means nothing. */
static void check(const struct bench *b, const struct side *side, const uint64_t *before)
{
	for (unsigned int i = 0; i < side->subject.receivers; i++) {
		uint64_t got = traffic_received(b->traffic, i, true) - before[i];

		if (got == side->frames)
			continue;
		fprintf(stderr, "%s x%u: receiver %u got %llu of %llu frames\n", side->subject.name,
			side->subject.receivers, i + 1, (unsigned long long)got,
			(unsigned long long)side->frames);
		exit(1);
	}
}

static void run_side(const struct bench *b, struct side *side, unsigned int pair)
{
	static uint64_t before[TOPOLOGY_RECEIVERS];
	struct reading reading;

	for (unsigned int i = 0; i < side->subject.receivers; i++)
		before[i] = traffic_received(b->traffic, i, true);
	if (side->subject.activate && side->subject.activate(&side->subject, true))
		fail("the tracepoint programs", NULL);
	if (side->xmcast && b->no_tracing)
		xmcast_trace(side->xmcast, false);
	if (side->alone)
		traffic_run_alone(b->traffic, side->subject.program, side->frames, &reading);
	else
		traffic_run(b->traffic, side->subject.program, side->frames, side->groups,
			    &reading);
	if (reading.error) {
		fprintf(stderr, "%s: %s\n", side->subject.name, strerror(-reading.error));
		exit(1);
	}
	if (side->subject.activate)
		side->subject.activate(&side->subject, false);
	if (!side->alone)
		check(b, side, before);
	side->ns[pair] = reading.ns / side->copies;
}

static double median(const double *values, unsigned int count)
{
	struct interval i = {0};

	statistics_median(values, count, &i);
	return i.median;
}

/* Of b against a; 0 as bar: only shown. */
static void compare(struct bench *b, const char *what, struct side *first, struct side *second,
		    double bar)
{
	struct interval ratio;
	const char *verdict = "";

	alarm(ROW_LIMIT);
	first->ns = calloc(b->pairs, sizeof(double));
	second->ns = calloc(b->pairs, sizeof(double));
	run_side(b, first, 0);
	run_side(b, second, 0);
	for (unsigned int pair = 0; pair < b->pairs; pair++) {
		run_side(b, pair % 2 ? second : first, pair);
		run_side(b, pair % 2 ? first : second, pair);
	}
	if (statistics_ratio_paired(first->ns, second->ns, b->pairs, &ratio))
		fail(what, NULL);
	if (bar > 0 && ratio.low > bar) {
		verdict = "MISSED";
		b->missed++;
	} else if (bar > 0 && (ratio.high - ratio.low) / 2 > HALF_WIDTH) {
		verdict = "undecided: too noisy";
		b->undecided++;
	} else if (bar > 0) {
		verdict = "met";
	}
	printf("%-34s %9.1f %9.1f   %.3f  %.3f to %.3f   %.2f  %s\n", what,
	       median(first->ns, b->pairs), median(second->ns, b->pairs), ratio.median, ratio.low,
	       ratio.high, bar, verdict);
	fflush(stdout);
}

/* `map_size` buckets at least, 0: 32, as xdp-bench has them whatever the number of members. */
static void open_reference(const struct bench *b, struct side *side, enum reference kind,
			   unsigned int receivers, unsigned int groups, unsigned int map_size)
{
	struct reference_options o = {.kind = kind,
				      .receivers = receivers,
				      .native = true,
				      .excludes = -1,
				      .groups = groups,
				      .map_size = map_size};
	struct fault fault;

	if (subject_reference(&side->subject, &b->topology, &o, &fault))
		fail("reference", &fault);
	side->frames = b->frames;
	side->groups = groups;
	side->copies = 1;
}

static void open_xmcast(const struct bench *b, struct side *side, unsigned int receivers,
			unsigned int groups, const char *object)
{
	struct xmcast_options o = {
	    .receivers = receivers, .native = true, .excludes = -1, .object = object};
	struct fault fault = {""};

	if (xmcast_open(&side->xmcast, &b->topology, groups ? groups : 1, &fault) ||
	    subject_xmcast(&side->subject, side->xmcast, &o, &fault))
		fail("xmcast", &fault);
	side->frames = b->frames;
	side->groups = groups;
	side->copies = 1;
}

static void close_side(struct side *side)
{
	subject_close(&side->subject);
	xmcast_close(side->xmcast);
	free(side->ns);
	memset(side, 0, sizeof(*side));
}

/* A row of the table: `name` selects it on the command line. */
struct row {
	const char *name, *what;
	enum reference kind;
	unsigned int receivers, groups;
	double bar;	    /* 0: only shown */
	unsigned int alone; /* times that a program is run without its redirect; 0: live frames */
	unsigned int map_size; /* of the reference's broadcast */
};

static void against_reference(struct bench *b, const struct row *row)
{
	struct side reference = {0}, xmcast = {0};

	if (b->object)
		open_xmcast(b, &reference, row->receivers, row->groups, NULL);
	else
		open_reference(b, &reference, row->kind, row->receivers, row->groups,
			       row->map_size);
	open_xmcast(b, &xmcast, row->receivers, row->groups, b->object);
	if (row->alone) {
		reference.alone = xmcast.alone = true;
		reference.frames = xmcast.frames = row->alone;
	}
	compare(b, row->what, &reference, &xmcast, b->object ? 0 : row->bar);
	close_side(&reference);
	close_side(&xmcast);
}

/* The part of both sides that randomises: the wrapper with a program that drops at once. */
static void randomizing(struct bench *b)
{
	struct side drop = {.frames = b->frames, .groups = GROUPS, .copies = 1};
	struct side again;

	drop.subject.program = traffic_drop_program(b->traffic);
	strcpy(drop.subject.name, "drop");
	again = drop;
	compare(b, "(randomising and dropping alone)", &drop, &again, 0);
	free(drop.ns);
	free(again.ns);
}

/* Both columns are the same program: with 8 members and with 256, per copy. */
static void many_members(struct bench *b, bool reference, const char *what, double bar)
{
	struct side few = {0}, many = {0};

	if (reference) {
		open_reference(b, &few, REFERENCE_MULTI, 8, 0, 0);
		open_reference(b, &many, REFERENCE_MULTI, MANY, 0, 0);
	} else {
		open_xmcast(b, &few, 8, 0, NULL);
		open_xmcast(b, &many, MANY, 0, NULL);
	}
	few.copies = 8;
	many.copies = MANY;
	traffic_batch(b->traffic, 0, MANY); /* the same for both */
	compare(b, what, &few, &many, bar);
	close_side(&few);
	close_side(&many);
}

static const struct row rows[] = {
    {"1", "1 member, redirect_map", REFERENCE_MAP, 1, 0, 1.35, 0, 0},
    {"alone", "(the program alone, warm)", REFERENCE_MAP, 1, 0, 0, 1000000, 0},
    {"2", "2 members, broadcast", REFERENCE_MULTI, 2, 0, 1.10, 0, 0},
    {"4", "4 members, broadcast", REFERENCE_MULTI, 4, 0, 1.05, 0, 0},
    {"8", "8 members, broadcast", REFERENCE_MULTI, 8, 0, 1.05, 0, 0},
    {"16", "16 members, broadcast", REFERENCE_MULTI, 16, 0, 1.05, 0, 0},
    {"2tight", "(2 members, a map of 2)", REFERENCE_MULTI, 2, 0, 0, 0, 2},
    {"4tight", "(4 members, a map of 4)", REFERENCE_MULTI, 4, 0, 0, 0, 4},
    {"8tight", "(8 members, a map of 8)", REFERENCE_MULTI, 8, 0, 0, 0, 8},
    {"groups", "100,000 groups, one hash lookup", REFERENCE_LOOKUP, 1, GROUPS, 1.25, 0, 0},
};

static bool wanted(const struct bench *b, const char *name)
{
	return !b->row || !strcmp(b->row, name);
}

static void all(struct bench *b)
{
	printf("%-34s %9s %9s   %5s  %-14s   %4s\n", "ns per frame", "reference", "xmcast", "ratio",
	       "95 % interval", "bar");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (wanted(b, rows[i].name))
			against_reference(b, &rows[i]);
	if (wanted(b, "random"))
		randomizing(b);
	if (!wanted(b, "256"))
		return;
	many_members(b, true, "(256 for 8, bare broadcast)", 0);
	many_members(b, false, "256 members for 8, per copy", 1.10);
}

int main(int argc, char **argv)
{
	struct bench b = {.pairs = PAIRS, .frames = FRAMES};
	struct fault fault = {""};
	int c;

	while ((c = getopt(argc, argv, "p:f:r:o:T")) != -1) {
		if (c == 'p')
			b.pairs = (unsigned int)strtoul(optarg, NULL, 10);
		else if (c == 'f')
			b.frames = strtoul(optarg, NULL, 10);
		else if (c == 'r')
			b.row = optarg;
		else if (c == 'o')
			b.object = optarg;
		else if (c == 'T')
			b.no_tracing = true;
		else
			return 2;
	}
	if (alone_begin(&fault))
		fail("bench-cost", &fault);
	scheduling_begin();
	if (topology_make(&b.topology, MANY, &fault) ||
	    traffic_open(&b.traffic, &b.topology, FRAME_SIZE_LEAST, &fault) ||
	    traffic_hold_ingress(b.traffic))
		fail("topology", &fault);
	all(&b);
	traffic_close(b.traffic);
	topology_free(&b.topology);
	printf("%u bars missed, %u undecided; %u pairs of %lu frames\n", b.missed, b.undecided,
	       b.pairs, b.frames);
	return b.missed ? 1 : 0;
}
