// SPDX-License-Identifier: GPL-2.0-or-later
/* bench show: a result file again, as a table, CSV, Markdown, JSON or a picture. */
#include <popt.h>
#include <stdlib.h>

#include "cli/bench.h"
#include "cli/bench_result.h"
#include "cli/output.h"

static int show(const struct cli *cli, const char *path, const char *plot, enum bench_format format)
{
	char error[BENCH_ERROR_MAX];
	json_t *result = bench_load(path, error);
	int r;

	if (!result)
		return cli_fail(CLI_REFUSED, "%s: %s", path, error);
	bench_complete(result);
	if (plot)
		r = bench_plot(result, plot);
	else if (cli->json)
		r = output_json(result);
	else
		r = bench_print(result, format);
	json_decref(result);
	return r;
}

int bench_show(const struct cli *cli, int argc, const char **argv)
{
	char *plot = NULL;
	int csv = 0, markdown = 0, r;
	const struct poptOption options[] = {
	    {"plot", 0, POPT_ARG_STRING, &plot, 0, NULL, NULL},
	    {"csv", 0, POPT_ARG_NONE, &csv, 0, NULL, NULL},
	    {"markdown", 0, POPT_ARG_NONE, &markdown, 0, NULL, NULL},
	    POPT_TABLEEND};
	poptContext context = poptGetContext(NULL, argc, argv, options, 0);
	const char *path;

	r = poptGetNextOpt(context);
	path = poptGetArg(context);
	if (r < -1)
		r = verb_usage("bench", "%s: %s", poptBadOption(context, 0), poptStrerror(r));
	else if (!path || poptPeekArg(context))
		r = verb_usage("bench", "show takes one FILE");
	else
		r = show(cli, path, plot,
			 csv	    ? FORMAT_CSV
			 : markdown ? FORMAT_MARKDOWN
				    : FORMAT_TABLE);
	poptFreeContext(context);
	free(plot);
	return r;
}
