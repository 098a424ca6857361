/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named frames, the groups they meet, and what must become of each. */
#ifndef XM_TESTS_FRAMES_H
#define XM_TESTS_FRAMES_H

#include <stddef.h>

#define FRAMES_INGRESS "in0"
#define NO_GROUP       NULL

/* A group as people write it; source and vlan may be NULL. */
struct frames_group {
	const char *address, *source, *vlan;
	int members; /* ready egresses: 0, 1 or 2 */
};
extern const struct frames_group frames_groups[];
extern const size_t frames_group_count;

enum verdict { DROPPED = 1, PASSED = 2, REDIRECTED = 4 }; /* XDP_DROP, XDP_PASS, XDP_REDIRECT */

struct frames_case {
	const char *name;
	const char *words; /* packet_parse() */
	enum verdict verdict;
	const char *counter; /* the one that moves: "matched", "no-egress" or a protocol's name */
	const char *group;   /* "ADDRESS[ SOURCE][ vlan V]" as in frames_groups, or NO_GROUP */
};
extern const struct frames_case frames_cases[];
extern const size_t frames_case_count;

/* A frame that is cut at every length: what becomes of it from a length on. */
struct frames_cut {
	const char *words;
	struct {
		size_t from; /* this length on; the first is 14 */
		enum verdict verdict;
		const char *counter, *group;
	} part[6]; /* ascending, ends with from 0 */
};
extern const struct frames_cut frames_cuts[];
extern const size_t frames_cut_count;

#endif
