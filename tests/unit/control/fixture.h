/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What most tests of the control room start with: a server and one client. */
#ifndef XM_TESTS_FIXTURE_H
#define XM_TESTS_FIXTURE_H

#include "tests/unit/control/talk.h"

extern struct talk talk;
extern struct line line;
/* cmocka's set-up and tear-down. */
int set_up(void **state);
int tear_down(void **state);
/* A text of the reply; NULL: none of that name. */
const char *text_of(const struct reply *reply, const char *key);

#endif
