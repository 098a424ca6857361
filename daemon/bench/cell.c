// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/cell.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "daemon/bench/clock.h"
#include "daemon/bench/diagnose.h"
#include "daemon/bench/output.h"

#define POLL_NS	  200000
#define QUIET	  100  /* polls without a new frame: nothing is on the way any more */
#define POLLS_MAX 5000 /* one second */

/* Waits until all has arrived or nothing moves; fills what the program saw and who got what. */
static void settle(const struct cell *cell, const struct bench_place *place,
		   const struct reading *before, struct reading *reading)
{
	struct timespec pause = {.tv_nsec = POLL_NS};
	uint64_t last = 0;

	for (unsigned int polls = 0, quiet = 0; polls < POLLS_MAX && quiet < QUIET; polls++) {
		uint64_t sum = reading->seen = cell->subject.seen(&cell->subject) - before->seen;
		bool all = reading->sent && reading->seen >= reading->sent;

		for (unsigned int i = 0; i < cell->subject.receivers; i++) {
			uint64_t now = traffic_received(place->traffic, i, cell->subject.native);

			/* less than before: it is gone */
			reading->received[i] =
			    now > before->received[i] ? now - before->received[i] : 0;
			sum += reading->received[i];
			all = all && reading->received[i] >= reading->sent;
		}
		if (all)
			return;
		quiet = sum == last ? quiet + 1 : 0;
		last = sum;
		nanosleep(&pause, NULL);
	}
}

/*
 * The rate is that of frames which the program saw between two readings of the clock. Then one
 * that drops takes its place: so whatever it saw must have arrived when nothing moves any more.
 */
static int watch(const struct cell *cell, struct bench_place *place, struct reading *reading)
{
	struct timespec pause = {.tv_sec = (time_t)place->interval,
				 .tv_nsec =
				     (long)(1e9 * (place->interval - (time_t)place->interval))};
	uint64_t first = cell->subject.seen(&cell->subject), frames;
	double begin = clock_ns(), end;
	int r;

	nanosleep(&pause, NULL);
	frames = cell->subject.seen(&cell->subject) - first;
	end = clock_ns();
	memset(reading, 0, sizeof(*reading));
	reading->ns = frames ? (end - begin) / (double)frames : 0;
	r = subject_attach(place->topology, &place->idle, place->attached);
	place->attached = r ? NULL : &place->idle;
	return r;
}

static int attach(struct cell *cell, struct bench_place *place)
{
	int r;

	if (place->attached == &cell->subject)
		return 0;
	r = subject_attach(place->topology, &cell->subject, place->attached);
	place->attached = r ? NULL : &cell->subject;
	return r;
}

int cell_block(struct cell *cell, struct bench_place *place, uint64_t frames,
	       struct reading *reading, char reason[static CELL_REASON_MAX])
{
	bool external = place->source == SOURCE_EXTERNAL;
	struct reading before = {.seen = cell->subject.seen(&cell->subject)};
	struct diagnosis *diagnosis = diagnose_begin(place->topology, cell->subject.receivers);
	int r;

	reason[0] = 0;
	for (unsigned int i = 0; i < cell->subject.receivers; i++)
		before.received[i] = traffic_received(place->traffic, i, cell->subject.native);
	r = attach(cell, place);
	if (!r && external)
		r = watch(cell, place, reading);
	else if (!r)
		traffic_send(place->traffic, place->source, cell->subject.program, frames, reading);
	if (r) {
		free(diagnosis);
		return r;
	}
	settle(cell, place, &before, reading);
	if (external)
		frames = reading->sent = reading->seen;
	diagnose_end(diagnosis, frames, reading, reason, CELL_REASON_MAX);
	if (external && !frames)
		snprintf(reason, CELL_REASON_MAX,
			 "no frame for %s came in %.2f s: let somebody send UDP to it into %s",
			 TRAFFIC_GROUP_TEXT, place->interval, place->topology->ingress_name);
	return 0;
}

int cell_measure(struct cell *cell, struct bench_place *place, uint64_t frames)
{
	char reason[CELL_REASON_MAX];
	struct reading reading;
	int r = cell_block(cell, place, frames, &reading, reason);

	if (r) {
		snprintf(reason, sizeof(reason), "%s%sthe program cannot be attached to %s: %s",
			 r == -ENODEV ? place->topology->ingress_name : "",
			 r == -ENODEV ? " is gone: " : "", place->topology->ingress_name,
			 strerror(-r));
		memset(&reading, 0, sizeof(reading));
	}
	/* Cut short by who asked to stop: no block. */
	if (!r && output_stopping() &&
	    (reading.error == -EINTR || (place->source == SOURCE_PKTGEN && reading.sent < frames)))
		return 0;
	cell->blocks++;
	cell->sent += reading.sent;
	cell->seen += reading.seen;
	for (unsigned int i = 0; i < cell->subject.receivers; i++)
		cell->received[i] += reading.received[i];
	memcpy(cell->last_reason, reason, sizeof(cell->last_reason));
	if (reason[0] && !cell->bad++)
		memcpy(cell->reason, reason, sizeof(cell->reason));
	/* A block of its own keeps its place, so that samples of the same block can be paired. */
	json_array_append_new(cell->samples,
			      reading.ns > 0 ? json_real(1e3 / reading.ns) : json_null());
	return r;
}

static const char *cell_name(const struct cell *cell, char out[static SUBJECT_NAME_MAX + 8])
{
	snprintf(out, SUBJECT_NAME_MAX + 8, "%s%s", cell->subject.name,
		 cell->again ? "-again" : "");
	return out;
}

json_t *cell_sample(const struct cell *cell, const char *topology)
{
	size_t n = json_array_size(cell->samples);
	char name[SUBJECT_NAME_MAX + 8];

	return json_pack("{s:s,s:s,s:s,s:O?,s:s*}", "program", cell_name(cell, name), "topology",
			 topology, "mode", cell->subject.native ? "native" : "generic", "mpps",
			 json_array_get(cell->samples, n - 1), "reason",
			 cell->last_reason[0] ? cell->last_reason : NULL);
}

static json_t *counters(const struct cell *cell, const struct bench_place *place)
{
	json_t *received = json_object();

	for (unsigned int i = 0; i < cell->subject.receivers; i++)
		json_object_set_new(received, place->topology->egress_name[i],
				    json_integer((json_int_t)cell->received[i]));
	return json_pack("{s:o,s:I,s:o}", "sent",
			 place->source == SOURCE_EXTERNAL ? json_null()
							  : json_integer((json_int_t)cell->sent),
			 "seen", (json_int_t)cell->seen, "received", received);
}

/* The kernel's hash of the instructions, as bpftool shows it. */
static json_t *program_tag(int program)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);
	char text[2 * sizeof(info.tag) + 1] = "";

	if (bpf_obj_get_info_by_fd(program, &info, &size))
		return json_null();
	for (size_t i = 0; i < sizeof(info.tag); i++)
		snprintf(text + 2 * i, 3, "%02x", info.tag[i]);
	return json_string(text);
}

/* Which counters were compared. */
static json_t *counted(const struct cell *cell, const struct bench_place *place)
{
	json_t *all = traffic_counted(place->topology, place->source, cell->subject.native);

	if (cell->subject.sees)
		json_object_set_new(all, "seen", json_string(cell->subject.sees));
	return all;
}

json_t *cell_json(const struct cell *cell, const struct bench_place *place, const char *topology,
		  const char *label)
{
	char reason[CELL_REASON_MAX + 64] = "", name[SUBJECT_NAME_MAX + 8];
	const char *state = cell->bad ? "invalid" : cell->blocks ? "ok" : "empty";

	if (cell->bad)
		snprintf(reason, sizeof(reason), "%u of %u blocks: %s", cell->bad, cell->blocks,
			 cell->reason);
	else if (!cell->blocks)
		snprintf(reason, sizeof(reason), "stopped before it was measured");
	return json_pack("{s:s,s:s,s:s,s:s,s:I,s:s,s:s,s:s,s:o,s:o,s:O,s:o}", "label", label,
			 "program", cell_name(cell, name), "topology", topology, "mode",
			 cell->subject.native ? "native" : "generic", "receivers",
			 (json_int_t)cell->subject.receivers, "source", source_name(place->source),
			 "state", state, "reason", reason, "counters", counters(cell, place),
			 "counted", counted(cell, place), "samples", cell->samples, "program_tag",
			 program_tag(cell->subject.program));
}

json_t *cell_empty(const char *program, const char *topology, bool native, unsigned int receivers,
		   const char *label, const char *reason)
{
	return json_pack("{s:s,s:s,s:s,s:s,s:I,s:n,s:s,s:s,s:n,s:[]}", "label", label, "program",
			 program, "topology", topology, "mode", native ? "native" : "generic",
			 "receivers", (json_int_t)receivers, "source", "state", "empty", "reason",
			 reason, "counters", "samples");
}

void cell_free(struct cell *cell)
{
	subject_close(&cell->subject);
	json_decref(cell->samples);
	cell->samples = NULL;
}
