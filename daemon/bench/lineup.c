// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/lineup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/bench/rival.h"

enum kind {
	KIND_REFERENCE, /* a minimal program */
	KIND_XMCAST,	/* the shipped datapath */
	KIND_BEHIND,	/* the same behind libxdp's dispatcher, on one receiver: what that costs */
	KIND_RIVAL,	/* no program at all, but the kernel's own way; only when asked for */
};
#define NO_EXCLUDES (-1) /* without an exclude map: an empty one is asked, too */

/* Every program of the table. */
static const struct program {
	const char *name;
	enum kind kind;
	enum reference reference;
	int excludes;
	bool quick; /* part of --quick */
	bool again; /* the one before it once more */
} table[] = {
    {.name = "redirect_map", .reference = REFERENCE_MAP, .excludes = NO_EXCLUDES, .quick = true},
    {.name = "redirect_map_multi",
     .reference = REFERENCE_MULTI,
     .excludes = NO_EXCLUDES,
     .quick = true},
    {.name = "redirect_map_multi-again",
     .reference = REFERENCE_MULTI,
     .excludes = NO_EXCLUDES,
     .quick = true,
     .again = true},
    {.name = "redirect_map_multi-ex0", .reference = REFERENCE_MULTI, .excludes = 0},
    {.name = "redirect_map_multi-ex1", .reference = REFERENCE_MULTI, .excludes = 1},
    {.name = "redirect_map_multi-ex8", .reference = REFERENCE_MULTI, .excludes = 8, .quick = true},
    {.name = "redirect_map_multi-ex32", .reference = REFERENCE_MULTI, .excludes = 32},
    {.name = "xmcast-fold", .kind = KIND_XMCAST, .excludes = NO_EXCLUDES, .quick = true},
    {.name = "xmcast-fold-dispatcher", .kind = KIND_BEHIND, .excludes = NO_EXCLUDES},
    {.name = "xmcast-lookup-ex0", .kind = KIND_XMCAST, .excludes = 0},
    {.name = "xmcast-lookup-ex1", .kind = KIND_XMCAST, .excludes = 1},
    {.name = "xmcast-lookup-ex8", .kind = KIND_XMCAST, .excludes = 8, .quick = true},
    {.name = "xmcast-lookup-ex32", .kind = KIND_XMCAST, .excludes = 32},
    {.name = "bridge", .kind = KIND_RIVAL},
    {.name = "mroute", .kind = KIND_RIVAL},
    {.name = "tc-mirred", .kind = KIND_RIVAL},
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

/* Made of interfaces of our own: none that exist are changed so far. */
static bool needs_made(const struct program *program)
{
	return program->kind == KIND_BEHIND || program->kind == KIND_RIVAL;
}

static bool reaches_one(const struct program *program)
{
	return program->kind == KIND_BEHIND ||
	       (program->kind == KIND_REFERENCE && program->reference == REFERENCE_MAP);
}

static bool fits(const struct program *program, const struct lineup_place *place)
{
	return !(needs_made(program) && place->topology->real) &&
	       (place->receivers == 1 || !reaches_one(program));
}

static int open_subject(const struct program *program, struct subject *out,
			const struct lineup_place *place, struct fault *fault)
{
	struct reference_options reference = {.kind = program->reference,
					      .receivers = place->receivers,
					      .native = place->native,
					      .count = true,
					      .excludes = program->excludes};
	struct xmcast_options xmcast = {
	    .receivers = place->receivers, .native = place->native, .excludes = program->excludes};

	switch (program->kind) {
	case KIND_REFERENCE:
		return subject_reference(out, place->topology, &reference, fault);
	case KIND_XMCAST:
		return subject_xmcast(out, place->xmcast, &xmcast, fault);
	case KIND_BEHIND:
		return subject_dispatcher(out, place->xmcast, &xmcast, fault);
	case KIND_RIVAL:
		return subject_rival(out, program->name, place->topology, place->receivers,
				     place->native, fault);
	}
	return fault_set(fault, -EINVAL, "%s: no such program", program->name);
}

static int open_object(const char *path, struct subject *out, const struct lineup_place *place,
		       struct fault *fault)
{
	struct xmcast_options xmcast = {
	    .receivers = place->receivers, .native = place->native, .excludes = -1, .object = path};

	return subject_object(out, place->xmcast, place->topology, &xmcast, fault);
}

static bool is_wanted(const struct program *program, const struct throughput_options *options)
{
	if (options->programs)
		return lineup_wants(options->programs, program->name);
	return program->kind != KIND_RIVAL && (program->quick || !options->quick);
}

/* The cell that an open subject fills counts from now on. */
static void count_cell(struct lineup *lineup, bool again)
{
	struct cell *cell = &lineup->cells[lineup->count++];

	cell->again = again;
	cell->samples = json_array();
}

int lineup_open(struct lineup *lineup, const struct lineup_place *place,
		const struct throughput_options *options, struct fault *fault)
{
	int r;

	memset(lineup, 0, sizeof(*lineup));
	for (const struct program *e = table; e < table + ENTRIES; e++) {
		if (!is_wanted(e, options) || !fits(e, place))
			continue;
		r = open_subject(e, &lineup->cells[lineup->count].subject, place, fault);
		if (needs_made(e) && r == -EOPNOTSUPP) {
			lineup->missing[lineup->missing_count].name = e->name;
			lineup->missing[lineup->missing_count++].why = *fault;
			continue;
		}
		if (r)
			return r;
		count_cell(lineup, e->again);
	}
	if (!options->object)
		return 0;
	r = open_object(options->object, &lineup->cells[lineup->count].subject, place, fault);
	if (!r)
		count_cell(lineup, false);
	return r;
}

void lineup_close(struct lineup *lineup)
{
	for (unsigned int i = 0; i < lineup->count; i++)
		cell_free(&lineup->cells[i]);
	lineup->count = 0;
}
