/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/control/fixture.h"

struct talk talk;
struct line line;

int set_up(void **state)
{
	(void)state;
	talk_open(&talk);
	line_open(&line, &talk);
	return 0;
}

int tear_down(void **state)
{
	(void)state;
	line_close(&line);
	talk_close(&talk);
	return 0;
}

const char *text_of(const struct reply *reply, const char *key)
{
	return json_string_value(json_object_get(reply->parameters, key));
}
