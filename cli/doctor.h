/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the daemon cannot or need not see itself: the machine, and the sockets, memberships and
 * settings of the network namespace. A check is one entry in a table here.
 */
#ifndef XM_CLI_DOCTOR_H
#define XM_CLI_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/verb.h"

/* What the daemon said, for checks that need it; NULL where it did not answer. */
struct patient {
	const json_t *status, *interfaces, *groups;
	const char **only; /* names of interfaces, NULL ends; none: all */
	json_t *findings;  /* an array of Finding, to be added to */
};

enum level { LEVEL_OK, LEVEL_WARNING, LEVEL_PROBLEM };

/* Adds a finding. `subject` may be NULL. text and remedy are printf-like; NULL: none. */
void finding_add(struct patient *patient, const char *check, const char *subject, enum level level,
		 const char *text, const char *remedy);
/* Was this interface asked for? */
bool patient_wants(const struct patient *patient, const char *interface);
/* The first number in a file of /proc; -1: it cannot be read. */
long long number_in(const char *path);

/* Run all checks of their table. */
void doctor_host(struct patient *patient);  /* doctor_host.c */
void doctor_local(struct patient *patient); /* doctor_local.c: of the network namespace */

/*
 * doctor_netns.c: the commands of findings from `first` on, for the namespace of --netns if there
 * is one, so that they work where they are typed.
 */
void remedies_in_netns(json_t *findings, size_t first, const struct cli *cli);

#endif
