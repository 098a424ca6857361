// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/lineup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/bench/rival.h"

/* Every program of the table; `excludes` -1: without an exclude map. */
static const struct program {
	const char *name;
	bool xmcast; /* the shipped datapath, else a minimal program */
	enum reference kind;
	int excludes;
	bool quick;	 /* part of --quick */
	bool again;	 /* the one before it once more */
	bool dispatcher; /* behind libxdp's, on one receiver made here: what that costs */
	bool rival;	 /* no program at all, but the kernel's own way; only when asked for */
} table[] = {
    {"redirect_map", false, REFERENCE_MAP, -1, true, false, false, false},
    {"redirect_map_multi", false, REFERENCE_MULTI, -1, true, false, false, false},
    {"redirect_map_multi-again", false, REFERENCE_MULTI, -1, true, true, false, false},
    {"redirect_map_multi-ex0", false, REFERENCE_MULTI, 0, false, false, false, false},
    {"redirect_map_multi-ex1", false, REFERENCE_MULTI, 1, false, false, false, false},
    {"redirect_map_multi-ex8", false, REFERENCE_MULTI, 8, true, false, false, false},
    {"redirect_map_multi-ex32", false, REFERENCE_MULTI, 32, false, false, false, false},
    {"xmcast-fold", true, 0, -1, true, false, false, false},
    {"xmcast-fold-dispatcher", true, 0, -1, false, false, true, false},
    {"xmcast-lookup-ex0", true, 0, 0, false, false, false, false},
    {"xmcast-lookup-ex1", true, 0, 1, false, false, false, false},
    {"xmcast-lookup-ex8", true, 0, 8, true, false, false, false},
    {"xmcast-lookup-ex32", true, 0, 32, false, false, false, false},
    {"bridge", false, 0, -1, false, false, false, true},
    {"mroute", false, 0, -1, false, false, false, true},
    {"tc-mirred", false, 0, -1, false, false, false, true},
};
#define ENTRIES (sizeof(table) / sizeof(table[0]))

/* Does the list have this name, or the part of it before one of its "-"? */
bool lineup_wants(const char *programs, const char *name)
{
	const char *p = programs;

	while (p && *p) {
		bool exact = *p == '=';
		size_t n = strcspn(p += exact, ",");

		if (n && !strncmp(p, name, n) && (!name[n] || (name[n] == '-' && !exact)))
			return true;
		p += n + (p[n] == ',');
	}
	return !programs;
}

int lineup_check(const char *programs, struct fault *fault)
{
	const char *p = programs;

	while (p && *p) {
		char item[SUBJECT_NAME_MAX] = "";
		size_t n = strcspn(p, ","), i = 0;

		strncat(item, p, n < sizeof(item) - 1 ? n : sizeof(item) - 1);
		while (i < ENTRIES && !lineup_wants(item, table[i].name))
			i++;
		if (i == ENTRIES || !item[0])
			return fault_set(fault, -EINVAL,
					 "--programs %s: there are redirect_map, "
					 "redirect_map_multi[-exN], xmcast-fold, "
					 "xmcast-lookup-exN, bridge, mroute and tc-mirred",
					 item);
		p += n + (p[n] == ',');
	}
	return 0;
}

static bool fits(const struct program *program, const struct lineup_place *place)
{
	if ((program->dispatcher || program->rival) && place->topology->real)
		return false;
	return place->receivers == 1 ||
	       (!program->dispatcher &&
		(program->xmcast || program->rival || program->kind != REFERENCE_MAP));
}

static int open_subject(const struct program *program, struct subject *out,
			const struct lineup_place *place, struct fault *fault)
{
	struct reference_options reference = {.kind = program->kind,
					      .receivers = place->receivers,
					      .native = place->native,
					      .count = true,
					      .excludes = program->excludes};
	struct xmcast_options xmcast = {
	    .receivers = place->receivers, .native = place->native, .excludes = program->excludes};

	if (program->rival)
		return subject_rival(out, program->name, place->topology, place->receivers,
				     place->native, fault);
	if (program->dispatcher)
		return subject_dispatcher(out, place->xmcast, &xmcast, fault);
	return program->xmcast ? subject_xmcast(out, place->xmcast, &xmcast, fault)
			       : subject_reference(out, place->topology, &reference, fault);
}

static int open_object(const char *path, struct subject *out, const struct lineup_place *place,
		       struct fault *fault)
{
	struct xmcast_options xmcast = {
	    .receivers = place->receivers, .native = place->native, .excludes = -1, .object = path};

	return subject_object(out, place->xmcast, place->topology, &xmcast, fault);
}

int lineup_open(struct lineup *lineup, const struct lineup_place *place,
		const struct throughput_options *options, struct fault *fault)
{
	memset(lineup, 0, sizeof(*lineup));
	for (size_t i = 0; i < ENTRIES; i++) {
		const struct program *e = &table[i];
		struct cell *cell = &lineup->cells[lineup->count];
		int r;

		if (!lineup_wants(options->programs, e->name) ||
		    (!options->programs && (e->rival || (options->quick && !e->quick))) ||
		    !fits(e, place))
			continue;
		r = open_subject(e, &cell->subject, place, fault);
		if ((e->dispatcher || e->rival) && r == -EOPNOTSUPP) {
			lineup->missing[lineup->missing_count].name = e->name;
			lineup->missing[lineup->missing_count++].why = *fault;
			continue;
		}
		if (r)
			return r;
		cell->again = e->again;
		cell->samples = json_array();
		lineup->count++;
	}
	if (options->object) {
		struct cell *cell = &lineup->cells[lineup->count];
		int r = open_object(options->object, &cell->subject, place, fault);

		if (r)
			return r;
		cell->samples = json_array();
		lineup->count++;
	}
	return 0;
}

void lineup_close(struct lineup *lineup)
{
	for (unsigned int i = 0; i < lineup->count; i++)
		cell_free(&lineup->cells[i]);
	lineup->count = 0;
}
