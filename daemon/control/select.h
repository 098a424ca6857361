/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which groups the words of DelGroup, AddEgress and its like mean. */
#ifndef XM_CONTROL_SELECT_H
#define XM_CONTROL_SELECT_H

#include "daemon/control/words.h"

struct selection {
	struct group_key *keys; /* one, or one for each of words->from; owned */
	size_t count;
};

/*
 * 0: selection_free() it. Otherwise -1 after the error was sent: none matches, several
 * match (the error carries them), or the configuration owns it.
 */
int select_groups(struct session *session, const struct words *words, struct selection *out);
void selection_free(struct selection *selection);

#endif
