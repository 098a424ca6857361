// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/log.h"

static bool verbose, journal;

void log_open(bool be_verbose)
{
	verbose = be_verbose;
	journal = getenv("JOURNAL_STREAM") != NULL;
}

void log_line(int priority, const char *format, ...)
{
	va_list args;

	if (priority == LOG_DEBUG && !verbose)
		return;
	va_start(args, format);
	flockfile(stderr);
	if (journal)
		fprintf(stderr, "<%d>", priority);
	else
		fputs("xmcastd: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	funlockfile(stderr);
	va_end(args);
}
