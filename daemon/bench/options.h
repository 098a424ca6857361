/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words behind `xmcast-bench` and `xmcastctl bench`, one table: the CLI and the daemon pass
 * them on unread.
 */
#ifndef XM_BENCH_OPTIONS_H
#define XM_BENCH_OPTIONS_H

#include "daemon/bench/lpm.h"
#include "daemon/bench/throughput.h"

enum bench_kind { BENCH_THROUGHPUT, BENCH_LPM };

struct bench_options {
	enum bench_kind kind;
	struct lpm_options lpm;
	struct throughput_options throughput;
	struct {
		char *programs, *label, *object, *in, *out, *sender;
	} owned; /* what the options above point to */
};

/* argv[0] is the program. 0, or -EINVAL with fault: unknown words are named. */
int options_parse(int argc, const char **argv, struct bench_options *out, struct fault *fault);
void options_free(struct bench_options *options);

#endif
