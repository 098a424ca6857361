/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From two readings of the counters to rows with rates. */
#ifndef XM_CLI_TOP_ROWS_H
#define XM_CLI_TOP_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum top_sort { TOP_FRAMES, TOP_COPIES, TOP_BYTES, TOP_DROPPED, TOP_NAME, TOP_SORTS };
extern const char *const top_sort_names[TOP_SORTS];

/* The counters of one thing at one time; in a row the differences for each second. */
struct top_row {
	char name[80];	/* "239.1.1.1 source 10.0.0.1 vlan 5 from eth0", or an interface */
	char state[24]; /* "active", "ready", or the reason why not */
	bool is_group;
	double value[TOP_NAME]; /* by enum top_sort; bytes of groups only */
};

struct top_sample {
	double when; /* seconds */
	struct top_row *rows;
	size_t count;
};

/* Adds the groups of one reply, the interfaces of one. 0 or -ENOMEM. */
int top_add_groups(struct top_sample *sample, const json_t *groups);
int top_add_interfaces(struct top_sample *sample, const json_t *interfaces);
void top_free(struct top_sample *sample);
/*
 * Makes `now` the rates since `before`; what was not there before, or counts less than it did (it
 * was made anew), has rate 0. Sorted: groups first, then by `sort`, largest first, names ascending.
 */
void top_rates(const struct top_sample *before, struct top_sample *now, enum top_sort sort);

#endif
