/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reference matcher: which group a frame belongs to, written from the words of the
 * manual and the standards, apart from bpf/ and from daemon/model/compile.c, one
 * straightforward search through all groups. The agreement test holds both against it.
 */
#ifndef XM_TESTS_MATCH_H
#define XM_TESTS_MATCH_H

#include <stdint.h>

#include "daemon/model/model.h"

#define MATCH_NONE SIZE_MAX

/* What a frame says of itself, as far as matching goes. */
struct match_facts {
	bool can_match;	   /* a group may match */
	bool control_only; /* only groups that lie wholly in the control range may */
	enum xm_protocol protocol;
	__u32 vlan;
	uint8_t address[16], source[16];
};
struct match_facts match_read(const uint8_t *frame, size_t len);

struct match_result {
	size_t group;		   /* index in `groups`, MATCH_NONE: no group, it is passed */
	enum xm_protocol protocol; /* when no group: what it counts as */
};

/* `frame` arrived on `ingress`, from the destination MAC on, without FCS. */
struct match_result match_frame(const struct group_key *groups, size_t count, const char *ingress,
				const uint8_t *frame, size_t len);

#endif
