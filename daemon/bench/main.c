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

	output_init();
	if (options_parse(argc, (const char **)argv, &options, &fault)) {
		output_error(fault.text);
		return 2;
	}
	if (lpm_run(&options.lpm, &result, &fault)) {
		output_error(fault.text);
		return 1;
	}
	return output_result(result) ? 1 : 0;
}
