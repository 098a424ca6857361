/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way of one frame as people read it. */
#ifndef XM_CLI_FRAME_H
#define XM_CLI_FRAME_H

#include <jansson.h>

/* Prints a Frame of io.xmcast.Control. */
void frame_print(const json_t *frame);

#endif
