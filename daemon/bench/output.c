// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t stopping;
static bool watching;

static void on_signal(int number)
{
	(void)number;
	stopping = 1;
}

void output_init(bool watch_input)
{
	struct sigaction action = {.sa_handler = on_signal};

	watching = watch_input;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

bool output_stopping(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	if (watching && !stopping && poll(&input, 1, 0) > 0)
		stopping = 1;
	return stopping;
}

/* Steals `line`. */
static int write_line(json_t *line)
{
	char *text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	int r = 0;

	json_decref(line);
	if (!text)
		return -ENOMEM;
	if (fprintf(stdout, "%s\n", text) < 0 || fflush(stdout)) {
		stopping = 1;
		r = -EPIPE;
	}
	free(text);
	return r;
}

void output_progress(const char *what, unsigned int step, unsigned int steps, double seconds_left,
		     json_t *samples)
{
	write_line(json_pack("{s:{s:s,s:I,s:I,s:f,s:o}}", "progress", "what", what, "step",
			     (json_int_t)step, "steps", (json_int_t)steps, "seconds_left",
			     seconds_left, "samples", samples));
}

int output_result(json_t *result)
{
	return write_line(json_pack("{s:o}", "result", result));
}

int output_error(const char *text)
{
	return write_line(json_pack("{s:s}", "error", text));
}

int output_usage(const char *text)
{
	return write_line(json_pack("{s:s, s:b}", "error", text, "usage", 1));
}
