/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of groups, and results in the words of frames.h. */
#ifndef XM_TESTS_TABLE_H
#define XM_TESTS_TABLE_H

#include "tests/bpf/match.h"

/* Fills *out from what people write; source and vlan may be NULL. False: a mistake. */
bool table_key(struct group_key *out, const char *address, const char *source, const char *vlan);

/* The groups of frames.c, in its order; `out` holds frames_group_count of them. */
bool table_frames(struct group_key *out);

#define TABLE_NAME_MAX 128
/* "ADDRESS[ SOURCE][ vlan V]" */
const char *table_name(const struct group_key *key, char buf[static TABLE_NAME_MAX]);

const char *table_protocol(enum xm_protocol protocol);

#endif
