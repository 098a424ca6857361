// SPDX-License-Identifier: GPL-2.0-or-later
/* xmcast-bench: parse, measure, say the result. Exit 0 measured, 1 could not, 2 usage. */
#include <stdio.h>

#include "daemon/bench/options.h"
#include "daemon/bench/output.h"

int main(int argc, char **argv)
{
	struct bench_options options;
	struct fault fault = {""};
	json_t *result = NULL;
	int r;

	output_init();
	if (options_parse(argc, (const char **)argv, &options, &fault)) {
		output_error(fault.text);
		return 2;
	}
	r = options.kind == BENCH_LPM ? lpm_run(&options.lpm, &result, &fault)
				      : throughput_run(&options.throughput, &result, &fault);
	r = r ? output_error(fault.text) || r : output_result(result);
	options_free(&options);
	return r ? 1 : 0;
}
