// SPDX-License-Identifier: GPL-2.0-or-later
/* bench show --plot: a picture by gnuplot, which reads commands and data from a pipe. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/bench_result.h"
#include "cli/output.h"

#define NAMES_MAX 64

/* Different texts in the order of their first appearance; borrowed. */
struct names {
	const char *name[NAMES_MAX];
	size_t count;
};

static void names_add(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->name[i], name))
			return;
	if (names->count < NAMES_MAX)
		names->name[names->count++] = name;
}

static bool is_drawn(const json_t *row)
{
	const char *program = output_string(row, "program");

	return bench_row_ok(row) && !strstr(program, "-again");
}

static void draw_cell(FILE *plot, const json_t *cells, const char *program, const char *topology,
		      const char *mode)
{
	struct interval i;
	json_t *cell;
	size_t n;

	json_array_foreach((json_t *)cells, n, cell)
	{
		if (is_drawn(cell) && !strcmp(output_string(cell, "program"), program) &&
		    !strcmp(output_string(cell, "topology"), topology) &&
		    !strcmp(output_string(cell, "mode"), mode) &&
		    bench_interval(json_object_get(cell, "mpps"), &i)) {
			fprintf(plot, " %.6g %.6g %.6g", i.median, i.low, i.high);
			return;
		}
	}
	fprintf(plot, " NaN NaN NaN");
}

/* One line for each topology; three numbers for each program. */
static void draw_mode(FILE *plot, const json_t *cells, const char *mode)
{
	struct names programs = {0}, topologies = {0};
	json_t *cell;
	size_t i;

	json_array_foreach((json_t *)cells, i, cell)
	{
		if (!is_drawn(cell) || strcmp(output_string(cell, "mode"), mode))
			continue;
		names_add(&programs, output_string(cell, "program"));
		names_add(&topologies, output_string(cell, "topology"));
	}
	if (!programs.count)
		return;
	fprintf(plot, "$%s << END\n", mode);
	for (size_t t = 0; t < topologies.count; t++) {
		fprintf(plot, "\"%s\"", topologies.name[t]);
		for (size_t p = 0; p < programs.count; p++)
			draw_cell(plot, cells, programs.name[p], topologies.name[t], mode);
		fprintf(plot, "\n");
	}
	fprintf(plot, "END\nset title '%s'\nplot", mode);
	for (size_t p = 0; p < programs.count; p++)
		fprintf(plot, "%s $%s using %zu:%zu:%zu:xtic(1) title '%s' noenhanced",
			p ? "," : "", mode, 3 * p + 2, 3 * p + 3, 3 * p + 4, programs.name[p]);
	fprintf(plot, "\n");
}

static void draw_throughput(FILE *plot, const json_t *cells)
{
	bool modes[2] = {false, false};
	json_t *cell;
	size_t i;

	json_array_foreach((json_t *)cells, i, cell) if (is_drawn(cell))
	    modes[!strcmp(output_string(cell, "mode"), "generic")] = true;
	fprintf(plot, "set style data histograms\n"
		      "set style histogram errorbars gap 2 lw 1\n"
		      "set style fill solid 0.7\nset yrange [0:*]\nset grid ytics\n"
		      "set ylabel 'Mpps of frames received'\nset key outside right top\n");
	if (modes[0] && modes[1])
		fprintf(plot, "set multiplot layout 2,1\n");
	draw_mode(plot, cells, "native");
	draw_mode(plot, cells, "generic");
}

static void draw_lpm(FILE *plot, const json_t *rows)
{
	struct names ops = {0};
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row) if (bench_row_ok(row))
	    names_add(&ops, output_string(row, "op"));
	for (size_t o = 0; o < ops.count; o++) {
		fprintf(plot, "$%s << END\n", ops.name[o]);
		json_array_foreach((json_t *)rows, i, row)
		{
			const json_t *ns = json_object_get(row, "latency_ns");

			if (bench_row_ok(row) && !strcmp(output_string(row, "op"), ops.name[o]))
				fprintf(plot, "%lld %.6g %.6g\n",
					(long long)json_integer_value(
					    json_object_get(row, "nr_entries")),
					json_number_value(json_object_get(ns, "mean")),
					json_number_value(json_object_get(ns, "sd")));
		}
		fprintf(plot, "END\n");
	}
	fprintf(plot, "set logscale xy\nset xlabel 'entries'\nset ylabel 'ns per operation'\n"
		      "set title 'LPM trie'\nset key outside right top\nset grid\n"
		      "set offsets graph 0.05, graph 0.05, 0, 0\nplot");
	for (size_t o = 0; o < ops.count; o++)
		fprintf(plot, "%s $%s using 1:2 with linespoints title '%s'", o ? "," : "",
			ops.name[o], ops.name[o]);
	fprintf(plot, "\n");
}

static const char *terminal(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".png"))
		return "png size 1000,700";
	if (dot && !strcmp(dot, ".pdf"))
		return "pdf size 10,7";
	return "svg size 1000,700 background 'white'";
}

int bench_plot(const json_t *result, const char *path)
{
	char error[BENCH_ERROR_MAX];
	enum bench_kind kind;
	FILE *plot;
	int status;

	if (bench_check(result, &kind, error))
		return cli_fail(CLI_REFUSED, "%s", error);
	if (strpbrk(path, "'\n\\"))
		return cli_fail(CLI_USAGE, "--plot: the file's name holds a quote or a backslash");
	signal(SIGPIPE, SIG_IGN);
	plot = popen("gnuplot", "we");
	if (!plot)
		return cli_fail(CLI_REFUSED, "gnuplot cannot be started: %s", strerror(errno));
	fprintf(plot, "set terminal %s\nset output '%s'\n", terminal(path), path);
	if (kind == BENCH_LPM)
		draw_lpm(plot, bench_rows(result));
	else
		draw_throughput(plot, bench_rows(result));
	status = pclose(plot);
	if (status)
		return cli_fail(CLI_REFUSED,
				"gnuplot did not draw %s: is it installed (apt install "
				"gnuplot-nox), and can the file be written?",
				path);
	return CLI_DONE;
}
