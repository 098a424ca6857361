/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xmcast-bench says: one JSON object a line on stdout, `{"progress": {..}}` any number
 * of times, then once `{"result": {..}}` or `{"error": "text"}`. Whoever reads may go
 * away at any time; then the run stops.
 */
#ifndef XM_BENCH_OUTPUT_H
#define XM_BENCH_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>

/*
 * SIGINT and SIGTERM ask to stop, a reader that went away too; SIGPIPE is ignored. With
 * `watch_input` anything that comes on stdin asks to stop as well, also its end.
 */
void output_init(bool watch_input);

/* True when the run shall end early: finish the step, print what is known as partial. */
bool output_stopping(void);

/*
 * What runs now: `what` in words, step of steps (from 1), seconds still to go (estimate), and
 * the samples since the last time, in the order they were taken (an array, stolen).
 */
void output_progress(const char *what, unsigned int step, unsigned int steps, double seconds_left,
		     json_t *samples);

/* The last line. `result` is stolen. 0, or -EPIPE when nobody reads. */
int output_result(json_t *result);
int output_error(const char *text);
int output_usage(const char *text); /* the words are wrong */

#endif
