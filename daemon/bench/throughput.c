// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One panel is what can be compared: all programs on one topology in one mode. It is measured
 * in blocks; in each every program runs once, in random order, so that whatever drifts
 * meets all of them alike and samples of one block are a pair. One program is in there
 * twice: what differs between those two is noise.
 */
#include "daemon/bench/throughput.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bench/cell.h"
#include "daemon/bench/environment.h"
#include "daemon/bench/lineup.h"
#include "daemon/bench/output.h"
#include "daemon/bench/scheduling.h"

#define FRAMES_LEAST  1024
#define FRAMES_MOST   1000000
#define WARMUP_FRAMES 2048
#define WARMUP_ROUNDS 8
#define STEADY	      0.05 /* two warm-up blocks that differ less are steady */
#define BLOCK_COST    0.03 /* seconds that each live run waits for the kernel besides */

struct run {
	const struct throughput_options *options;
	struct topology topology;
	struct traffic *traffic;
	struct xmcast *xmcast;
	unsigned short random[3];
	json_t *cells;
	unsigned int panel, panels, programs;
};

struct panel {
	struct run *run;
	bool native;
	unsigned int receivers;
	char topology[8], title[64];
	struct bench_place place;
	struct lineup lineup;
	uint64_t frames;
};

static const char *source_name(enum source source)
{
	return source == SOURCE_LIVE ? "live" : "packet";
}

int throughput_check(const struct throughput_options *o, struct fault *fault)
{
	if (o->frame_size < FRAME_SIZE_LEAST || o->frame_size > FRAME_SIZE_MOST)
		return fault_set(fault, -EINVAL, "--frame-size %u: Ethernet has %d to %d bytes",
				 o->frame_size, FRAME_SIZE_LEAST, FRAME_SIZE_MOST);
	if (o->pairs < 2 || o->pairs > 10000)
		return fault_set(fault, -EINVAL, "--pairs %u: give 2 to 10000", o->pairs);
	if (!(o->duration > 0) || o->duration > 3600)
		return fault_set(fault, -EINVAL, "--duration: give seconds per cell up to 3600");
	if (o->batch > 256)
		return fault_set(fault, -EINVAL, "--batch %u: the kernel takes up to 256",
				 o->batch);
	for (unsigned int i = 0; i < o->receiver_count; i++)
		if (o->receivers[i] < 1 || o->receivers[i] > TOPOLOGY_RECEIVERS)
			return fault_set(fault, -EINVAL, "--receivers %u: give 1 to %d",
					 o->receivers[i], TOPOLOGY_RECEIVERS);
	return lineup_check(o->programs, fault);
}

static void shuffle(struct run *run, unsigned int *order, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		order[i] = i;
	for (unsigned int i = n; i > 1; i--) {
		unsigned int j = (unsigned int)(erand48(run->random) * i), t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
}

/*
 * Runs each program until two blocks in a row agree, and sizes blocks so that the slowest program
 * takes its share of the duration. A cell that cannot run at all is left to say so itself.
 */
static void warm_up(struct panel *p)
{
	const struct throughput_options *o = p->run->options;
	char reason[CELL_REASON_MAX];
	struct reading reading;
	double slowest = 0;

	for (unsigned int i = 0; i < p->lineup.count && !output_stopping(); i++) {
		double last = 0;

		for (unsigned int n = 0; n < WARMUP_ROUNDS; n++) {
			double before = last;

			if (cell_block(&p->lineup.cells[i], &p->place, WARMUP_FRAMES, &reading,
				       reason))
				break;
			last = reading.ns;
			if (before > 0 && last > before * (1 - STEADY) &&
			    last < before * (1 + STEADY))
				break;
		}
		slowest = last > slowest ? last : slowest;
	}
	p->frames = FRAMES_LEAST;
	if (slowest > 0)
		p->frames = (uint64_t)(1e9 * o->duration / o->pairs / slowest);
	if (p->frames < FRAMES_LEAST)
		p->frames = FRAMES_LEAST;
	if (p->frames > FRAMES_MOST)
		p->frames = FRAMES_MOST;
	p->frames -= p->frames % 256;
}

/* Of the program that is measured twice: first and second run of the last block, in Mpps. */
static json_t *so_far(const struct panel *p, const struct cell *cell)
{
	size_t n = json_array_size(cell->samples);

	return json_pack("{s:s,s:s,s:O?}", "program", cell->subject.name, "panel", p->title, "mpps",
			 n ? json_array_get(cell->samples, n - 1) : NULL);
}

static void blocks(struct panel *p)
{
	const struct throughput_options *o = p->run->options;
	double each = o->duration / o->pairs + BLOCK_COST;
	unsigned int order[LINEUP_MAX];

	for (unsigned int block = 0; block < o->pairs && !output_stopping(); block++) {
		unsigned int left = (p->run->panels - p->run->panel) * o->pairs - block;

		shuffle(p->run, order, p->lineup.count);
		for (unsigned int i = 0; i < p->lineup.count; i++)
			cell_measure(&p->lineup.cells[order[i]], &p->place, p->frames);
		output_progress(p->title, p->run->panel * o->pairs + block + 1,
				p->run->panels * o->pairs, left * each * p->lineup.count,
				so_far(p, &p->lineup.cells[0]));
	}
}

static void store(struct panel *p)
{
	const char *label = p->run->options->label;

	for (unsigned int i = 0; i < p->lineup.count; i++) {
		json_t *cell = cell_json(&p->lineup.cells[i], p->topology,
					 source_name(p->place.source), label);

		json_object_set_new(cell, "frames_per_block", json_integer((json_int_t)p->frames));
		json_array_append_new(p->run->cells, cell);
	}
}

/* Cells of this panel that cannot be: each says why. */
static void store_empty(struct panel *p, const char *program, const char *reason)
{
	json_array_append_new(p->run->cells,
			      cell_empty(program, p->topology, p->native, p->receivers,
					 p->run->options->label, reason));
}

static int run_panel(struct run *run, bool native, unsigned int receivers, struct fault *fault)
{
	struct panel p = {.run = run, .native = native, .receivers = receivers};
	enum source_wish wish = run->options->source;
	int r;

	p.place.topology = &run->topology;
	p.place.traffic = run->traffic;
	p.place.source =
	    wish == WISH_PACKET || (wish == WISH_BEST && !native) ? SOURCE_PACKET : SOURCE_LIVE;
	snprintf(p.topology, sizeof(p.topology), "x%u", receivers);
	snprintf(p.title, sizeof(p.title), "%s %s, %s", p.topology, native ? "native" : "generic",
		 source_name(p.place.source));
	if (!native && p.place.source == SOURCE_LIVE) {
		store_empty(&p, "all", "live frames are native only: use --source packet");
		return 0;
	}
	r = lineup_open(&p.lineup,
			&(struct lineup_place){.topology = &run->topology,
					       .xmcast = run->xmcast,
					       .native = native,
					       .receivers = receivers},
			run->options, fault);
	if (!r) {
		traffic_batch(run->traffic, run->options->batch, receivers);
		warm_up(&p);
		blocks(&p);
		store(&p);
	}
	subject_attach(&run->topology, NULL, p.place.attached);
	lineup_close(&p.lineup);
	if (!r && receivers > 1 && lineup_wants(run->options->programs, "redirect_map"))
		store_empty(&p, "redirect_map", "it has one destination");
	return r;
}

static json_t *finish(struct run *run, json_t *environment, int cpu)
{
	const struct throughput_options *o = run->options;
	json_t *interfaces =
	    json_pack("{s:s,s:s,s:s}", "in", "veth", "out", "veth", "receivers", "veth");

	json_object_set_new(environment, "cpu_used", json_integer(cpu));
	json_object_set_new(environment, "scheduler", json_string(scheduling_name()));
	json_object_set_new(environment, "drivers", interfaces);
	json_object_set_new(environment, "dispatcher", json_false());
	environment_finish(environment);
	return json_pack("{s:i,s:s,s:s?,s:O,s:b,s:I,s:{s:I,s:f,s:I,s:I},s:O}", "version", 1, "kind",
			 "throughput", "label", o->label, "environment", environment, "partial",
			 output_stopping(), "seed", (json_int_t)o->seed, "settings", "pairs",
			 (json_int_t)o->pairs, "duration", o->duration, "frame_size",
			 (json_int_t)o->frame_size, "batch", (json_int_t)o->batch, "cells",
			 run->cells);
}

static const char *const needs_interfaces[] = {"A->B", "A->veth", "A->B+veth"};

/* The rows that people know from NICs, which need some. */
static void store_rows_without_nics(struct run *run, bool native)
{
	for (size_t i = 0; i < sizeof(needs_interfaces) / sizeof(needs_interfaces[0]); i++)
		json_array_append_new(run->cells,
				      cell_empty("all", needs_interfaces[i], native, 0,
						 run->options->label, "needs --in and --out"));
}

int throughput_run(const struct throughput_options *o, json_t **result, struct fault *fault)
{
	struct run run = {.options = o, .cells = json_array()};
	unsigned int most = 1, modes = (unsigned int)o->native + (unsigned int)o->generic;
	json_t *environment = environment_capture();
	int cpu = scheduling_begin(), r;

	run.random[0] = 0x330e;
	run.random[1] = (unsigned short)o->seed;
	run.random[2] = (unsigned short)(o->seed >> 16);
	run.panels = modes * o->receiver_count;
	for (unsigned int i = 0; i < o->receiver_count; i++)
		most = o->receivers[i] > most ? o->receivers[i] : most;
	r = topology_make(&run.topology, most, fault);
	if (!r)
		r = traffic_open(&run.traffic, &run.topology, o->frame_size, fault);
	if (!r)
		r = xmcast_open(&run.xmcast, &run.topology, LINEUP_GROUPS, fault);
	for (int native = 1; native >= 0 && !r; native--) {
		if (!(native ? o->native : o->generic))
			continue;
		for (unsigned int i = 0; i < o->receiver_count && !r && !output_stopping(); i++) {
			r = run_panel(&run, native, o->receivers[i], fault);
			run.panel++;
		}
		store_rows_without_nics(&run, native);
	}
	if (!r)
		*result = finish(&run, environment, cpu);
	xmcast_close(run.xmcast);
	traffic_close(run.traffic);
	topology_free(&run.topology);
	json_decref(run.cells);
	json_decref(environment);
	return r;
}
