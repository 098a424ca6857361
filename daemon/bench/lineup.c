// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/lineup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Every program of the table; `excludes` -1: without an exclude map. */
static const struct program {
	const char *name;
	enum reference kind;
	int excludes;
	bool again; /* the one before it once more */
	bool quick; /* part of --quick */
} table[] = {
    {"redirect_map", REFERENCE_MAP, -1, false, true},
    {"redirect_map_multi", REFERENCE_MULTI, -1, false, true},
    {"redirect_map_multi-again", REFERENCE_MULTI, -1, true, true},
    {"redirect_map_multi-ex0", REFERENCE_MULTI, 0, false, false},
    {"redirect_map_multi-ex1", REFERENCE_MULTI, 1, false, false},
    {"redirect_map_multi-ex8", REFERENCE_MULTI, 8, false, true},
    {"redirect_map_multi-ex32", REFERENCE_MULTI, 32, false, false},
};
#define ENTRIES (sizeof(table) / sizeof(table[0]))

/* Does the list have this name, or the part of it before one of its "-"? */
bool lineup_wants(const char *programs, const char *name)
{
	const char *p = programs;

	while (p && *p) {
		size_t n = strcspn(p, ",");

		if (n && !strncmp(p, name, n) && (!name[n] || name[n] == '-'))
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
					 "redirect_map_multi[-exN], xmcast-fold and "
					 "xmcast-lookup-exN",
					 item);
		p += n + (p[n] == ',');
	}
	return 0;
}

int lineup_open(struct lineup *lineup, const struct topology *topology,
		const struct throughput_options *options, bool native, unsigned int receivers,
		struct fault *fault)
{
	memset(lineup, 0, sizeof(*lineup));
	for (size_t i = 0; i < ENTRIES; i++) {
		const struct program *e = &table[i];
		struct reference_options reference = {.kind = e->kind,
						      .receivers = receivers,
						      .native = native,
						      .count = true,
						      .excludes = e->excludes};
		struct cell *cell = &lineup->cells[lineup->count];
		int r;

		if (!lineup_wants(options->programs, e->name) || (options->quick && !e->quick) ||
		    (e->kind == REFERENCE_MAP && receivers > 1))
			continue;
		r = subject_reference(&cell->subject, topology, &reference, fault);
		if (r)
			return r;
		cell->again = e->again;
		cell->samples = json_array();
		lineup->count++;
	}
	if (!lineup->count)
		return fault_set(fault, -EINVAL, "no program is left to measure: see --programs");
	return 0;
}

void lineup_close(struct lineup *lineup)
{
	for (unsigned int i = 0; i < lineup->count; i++)
		cell_free(&lineup->cells[i]);
	lineup->count = 0;
}
