// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/panel.h"

#include <stdio.h>
#include <stdlib.h>

#include "daemon/bench/cell.h"
#include "daemon/bench/lineup.h"
#include "daemon/bench/output.h"
#include "daemon/bench/shuffle.h"

#define FRAMES_LEAST  1024
#define FRAMES_MOST   1000000
#define WARMUP_FRAMES 2048
#define WARMUP_ROUNDS 8
#define STEADY	      0.05 /* two warm-up blocks that differ less are steady */
#define BLOCK_COST    0.03 /* seconds that each live run waits for the kernel besides */
#define BATCH_MOST    256  /* a block is whole rounds of live frames */
#define INTERVAL      0.1  /* seconds of the shortest block, when frames come from elsewhere */

struct work {
	const struct panel *panel;
	struct bench_place place;
	struct lineup lineup;
	uint64_t frames;
	char title[64];
};

/* Runs one program until two blocks in a row agree. Returns ns per frame, 0: it cannot run. */
static double steady(struct work *w, struct cell *cell)
{
	char reason[CELL_REASON_MAX];
	struct reading reading;
	double last = 0;

	for (unsigned int n = 0; n < WARMUP_ROUNDS && !output_stopping(); n++) {
		double before = last;

		if (cell_block(cell, &w->place, WARMUP_FRAMES, &reading, reason))
			break;
		last = reading.ns;
		if (before > 0 && last > before * (1 - STEADY) && last < before * (1 + STEADY))
			break;
	}
	return last;
}

/* Sizes blocks so that the slowest program takes its share of the duration. */
static void warm_up(struct work *w)
{
	const struct throughput_options *o = w->panel->options;
	double slowest = 0, frames = FRAMES_LEAST;

	for (unsigned int i = 0; i < w->lineup.count; i++) {
		double ns = steady(w, &w->lineup.cells[i]);

		slowest = ns > slowest ? ns : slowest;
	}
	if (slowest > 0)
		frames = 1e9 * o->duration / o->pairs / slowest;
	if (frames < FRAMES_LEAST)
		frames = FRAMES_LEAST;
	if (frames > FRAMES_MOST)
		frames = FRAMES_MOST;
	w->frames = (uint64_t)frames / BATCH_MOST * BATCH_MOST;
}

/* The samples of one block, in the order they were taken. */
static json_t *samples_of(const struct work *w, unsigned int block, const unsigned int *order,
			  unsigned int count)
{
	json_t *samples = json_array();

	for (unsigned int i = 0; i < count; i++) {
		const struct cell *cell = &w->lineup.cells[order[i]];

		if (cell->blocks > block)
			json_array_append_new(samples, cell_sample(cell, w->panel->name));
	}
	return samples;
}

static void blocks(struct work *w)
{
	const struct panel *p = w->panel;
	unsigned int pairs = p->options->pairs, order[LINEUP_MAX];
	double paced = p->options->pps ? (double)w->frames / p->options->pps : 0,
	       each = (paced > w->place.interval ? paced : w->place.interval) + BLOCK_COST;

	for (unsigned int block = 0; w->lineup.count && block < pairs && !output_stopping();
	     block++) {
		unsigned int left = (p->count - p->index) * pairs - block, i = 0;

		shuffle(p->random, order, w->lineup.count);
		for (; i < w->lineup.count && !output_stopping(); i++)
			cell_measure(&w->lineup.cells[order[i]], &w->place, w->frames);
		output_progress(w->title, p->index * pairs + block + 1, p->count * pairs,
				left * each * w->lineup.count, samples_of(w, block, order, i));
	}
}

void panel_empty(const struct panel *p, const char *program, const char *reason)
{
	json_array_append_new(p->cells, cell_empty(program, p->name, p->native, p->receivers,
						   p->options->label, reason));
}

static void store(const struct work *w)
{
	const struct panel *p = w->panel;

	for (unsigned int i = 0; i < w->lineup.count; i++) {
		json_t *cell =
		    cell_json(&w->lineup.cells[i], &w->place, p->name, p->options->label);

		json_object_set_new(cell, "frames_per_block", json_integer((json_int_t)w->frames));
		json_array_append_new(p->cells, cell);
	}
	for (unsigned int i = 0; i < w->lineup.missing_count; i++)
		panel_empty(p, w->lineup.missing[i].name, w->lineup.missing[i].why.text);
}

static double interval_of(const struct panel *p)
{
	double seconds = p->options->duration / p->options->pairs;

	return p->source == SOURCE_EXTERNAL && seconds < INTERVAL ? INTERVAL : seconds;
}

int panel_run(const struct panel *p, struct fault *fault)
{
	struct work w = {
	    .panel = p,
	    .place = {.topology = p->topology,
		      .traffic = p->traffic,
		      .source = p->source,
		      .interval = interval_of(p),
		      .idle = {.program = traffic_drop_program(p->traffic), .native = p->native}}};
	struct lineup_place place = {
	    .topology = p->topology, .native = p->native, .receivers = p->receivers};
	int r = xmcast_open(&place.xmcast, p->topology, 1, fault);

	if (!r)
		r = lineup_open(&w.lineup, &place, p->options, fault);
	snprintf(w.title, sizeof(w.title), "%s %s, %s", p->name, p->native ? "native" : "generic",
		 source_name(p->source));
	if (!r) {
		traffic_batch(p->traffic, p->options->batch, p->receivers);
		traffic_pace(p->traffic, p->options->pps);
		warm_up(&w);
		blocks(&w);
		store(&w);
	}
	subject_attach(p->topology, NULL, w.place.attached);
	lineup_close(&w.lineup);
	xmcast_close(place.xmcast);
	if (!r && p->receivers > 1 && lineup_wants(p->options->programs, "redirect_map"))
		panel_empty(p, "redirect_map", "it has one destination");
	return r;
}
