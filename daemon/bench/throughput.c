// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/throughput.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/bench/environment.h"
#include "daemon/bench/lineup.h"
#include "daemon/bench/output.h"
#include "daemon/bench/panel.h"
#include "daemon/bench/pktgen.h"
#include "daemon/bench/real.h"
#include "daemon/bench/scheduling.h"
#include "daemon/bench/shuffle.h"

struct run {
	const struct throughput_options *options;
	unsigned short random[3];
	json_t *cells;
	unsigned int panel, panels;
};

#define PPS_LEAST 100 /* a block has at least 1024 frames */
#define PPS_MOST  100000000

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
	if (o->pps && (o->pps < PPS_LEAST || o->pps > PPS_MOST))
		return fault_set(fault, -EINVAL, "--pps %u: give %d to %d frames a second", o->pps,
				 PPS_LEAST, PPS_MOST);
	for (unsigned int i = 0; i < o->receiver_count; i++)
		if (o->receivers[i] < 1 || o->receivers[i] > TOPOLOGY_RECEIVERS)
			return fault_set(fault, -EINVAL, "--receivers %u: give 1 to %d",
					 o->receivers[i], TOPOLOGY_RECEIVERS);
	if (!o->in != !o->out)
		return fault_set(fault, -EINVAL, "--in and --out belong together");
	return lineup_check(o->programs, fault);
}

/*
 * What is best: pktgen where it can run and is not worse. On what is made here live frames are, for
 * native, since a native veth would copy each of pktgen's.
 */
static enum source_wish best(bool native, bool real, bool pktgen)
{
	if (pktgen && (real || !native))
		return WISH_PKTGEN;
	return native ? WISH_LIVE : WISH_PACKET;
}

/* What frames come from, and why not when they cannot. */
static enum source choose_source(const struct panel *p, const char **why_not)
{
	const struct throughput_options *o = p->options;
	enum source_wish wish = o->source;
	bool native = p->native, real = p->topology->real, sender = !real || o->sender;
	bool pktgen = pktgen_available();
	bool safe = native || !pktgen || !sender || traffic_pktgen_is_safe(p->traffic);

	*why_not = NULL;
	if (wish == WISH_BEST)
		wish = best(native && !o->pps, real, sender && pktgen && safe);
	if (wish == WISH_LIVE && !native)
		*why_not = "live frames are native only: use --source packet or pktgen";
	else if (wish == WISH_LIVE && o->pps)
		*why_not = "live frames come as fast as they can, whatever --pps: use --source "
			   "packet or pktgen";
	else if (wish == WISH_PKTGEN && !pktgen)
		*why_not = "there is no pktgen: run `modprobe pktgen`, where the kernel has it "
			   "(CONFIG_NET_PKTGEN)";
	else if (wish == WISH_PKTGEN && !safe)
		*why_not = "this kernel's pktgen holds on to its frames, and generic XDP would "
			   "crash it (before 6.7): use --source packet";
	else if (wish == WISH_EXTERNAL && !real)
		*why_not = "frames from elsewhere need a real interface: give --in and --out";
	else if ((wish == WISH_PACKET || wish == WISH_PKTGEN) && !sender)
		*why_not = "it needs --pktgen-dev, an interface that sends to --in";
	switch (wish) {
	case WISH_LIVE:
		return real ? SOURCE_RUN : SOURCE_LIVE;
	case WISH_PKTGEN:
		return SOURCE_PKTGEN;
	case WISH_EXTERNAL:
		return SOURCE_EXTERNAL;
	default:
		return SOURCE_PACKET;
	}
}

static int run_panel(struct run *run, struct panel *panel, struct fault *fault)
{
	const char *why_not;
	int r = 0;

	panel->options = run->options;
	panel->random = run->random;
	panel->cells = run->cells;
	panel->index = run->panel++;
	panel->count = run->panels;
	panel->receivers = panel->receivers ? panel->receivers : panel->topology->receivers;
	if (output_stopping())
		return 0;
	panel->source = choose_source(panel, &why_not);
	if (why_not)
		panel_empty(panel, "all", why_not);
	else
		r = panel_run(panel, fault);
	return r;
}

/* x1..xN on a network made here. */
static int run_made(struct run *run, bool native, const struct topology *topology,
		    struct traffic *traffic, struct fault *fault)
{
	const struct throughput_options *o = run->options;
	int r = 0;

	for (unsigned int i = 0; i < o->receiver_count && !r; i++) {
		char name[16];
		struct panel panel = {.topology = topology,
				      .traffic = traffic,
				      .name = name,
				      .native = native,
				      .receivers = o->receivers[i]};

		snprintf(name, sizeof(name), "x%u", o->receivers[i]);
		r = run_panel(run, &panel, fault);
	}
	return r;
}

/* The rows that people know from NICs. */
static int run_real(struct run *run, bool native, struct fault *fault)
{
	int r = 0;

	for (enum real_row row = 0; row < REAL_ROWS && !r; row++) {
		struct topology topology;
		struct panel panel = {.options = run->options,
				      .name = real_row_name(row),
				      .topology = &topology,
				      .native = native,
				      .cells = run->cells};

		if (!run->options->in) {
			panel_empty(&panel, "all", "needs --in and --out");
			continue;
		}
		r = real_make(&topology, row, run->options, fault);
		if (!r)
			r = traffic_open(&panel.traffic, &topology, run->options->frame_size,
					 fault);
		if (!r)
			r = run_panel(run, &panel, fault);
		traffic_close(panel.traffic);
		real_free(&topology);
	}
	return r;
}

static json_t *finish(struct run *run, json_t *environment, int cpu)
{
	const struct throughput_options *o = run->options;

	json_object_set_new(environment, "cpu_used", json_integer(cpu));
	json_object_set_new(environment, "scheduler", json_string(scheduling_name()));
	json_object_set_new(environment, "dispatcher", json_false());
	environment_finish(environment);
	return json_pack("{s:i,s:s,s:s?,s:O,s:b,s:I,s:{s:I,s:f,s:I,s:I,s:I},s:O}", "version", 1,
			 "kind", "throughput", "label", o->label, "environment", environment,
			 "partial", output_stopping(), "seed", (json_int_t)o->seed, "settings",
			 "pairs", (json_int_t)o->pairs, "duration", o->duration, "frame_size",
			 (json_int_t)o->frame_size, "batch", (json_int_t)o->batch, "pps",
			 (json_int_t)o->pps, "cells", run->cells);
}

/* Real interfaces are in the namespace that we start in, what is made here is in others. */
static int run_all(struct run *run, struct fault *fault)
{
	const struct throughput_options *o = run->options;
	struct topology topology = {.box = -1, .far = -1};
	struct traffic *traffic = NULL;
	unsigned int most = 1;
	int r = 0;

	for (unsigned int i = 0; i < o->receiver_count; i++)
		most = o->receivers[i] > most ? o->receivers[i] : most;
	for (int native = 1; native >= 0 && !r; native--)
		if (native ? o->native : o->generic)
			r = run_real(run, native, fault);
	if (!r && o->receiver_count)
		r = topology_make(&topology, most, fault);
	if (!r && o->receiver_count)
		r = traffic_open(&traffic, &topology, o->frame_size, fault);
	for (int native = 1; native >= 0 && !r; native--)
		if (native ? o->native : o->generic)
			r = run_made(run, native, &topology, traffic, fault);
	traffic_close(traffic);
	topology_free(&topology);
	return r;
}

int throughput_run(const struct throughput_options *o, json_t **result, struct fault *fault)
{
	struct run run = {.options = o, .cells = json_array()};
	json_t *environment = environment_capture();
	int cpu = scheduling_begin(), r;

	shuffle_seed(run.random, o->seed);
	run.panels = (o->native + o->generic) * (o->receiver_count + (o->in ? REAL_ROWS : 0));
	json_object_set_new(environment, "drivers", real_drivers(o));
	r = run_all(&run, fault);
	if (!r)
		*result = finish(&run, environment, cpu);
	json_decref(run.cells);
	json_decref(environment);
	return r;
}
