// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench: asks the daemon to measure, shows on a terminal what runs, and prints the result.
 * Ctrl-C asks it to stop: then comes what is known by then, marked partial.
 */
#include "cli/bench.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench_result.h"
#include "cli/client.h"
#include "cli/output.h"
#include "cli/statistics.h"

#define SO_FAR_MAX 64 /* samples that the interval on the terminal is of */

struct run {
	const struct cli *cli;
	const char *output; /* file for the result; NULL: none */
	bool terminal;	    /* show progress on stderr */
	char what[128];	    /* that runs now */
	double so_far[SO_FAR_MAX];
	size_t count;	/* of its samples; the ring holds the last */
	json_t *result; /* owned */
};

/* Of the program that its first sample was of. */
static const json_t *first_of(const json_t *samples)
{
	const json_t *first = json_array_get(samples, 0), *sample;
	const char *program = output_string(first, "program");
	size_t i;

	json_array_foreach((json_t *)samples, i, sample)
	{
		if (strcmp(output_string(sample, "program"), program) < 0) {
			first = sample;
			program = output_string(sample, "program");
		}
	}
	return first;
}

/* Freeing a trie is one operation, so it is told in thousands. */
static bool is_free(const json_t *sample)
{
	return !strcmp(output_string(sample, "op"), "free");
}

/* Takes a sample of what runs now in; the interval of those so far, in their unit. */
static bool add_sample(struct run *run, const char *what, const json_t *sample,
		       struct interval *interval)
{
	const json_t *mpps = json_object_get(sample, "mpps"), *ops = json_object_get(sample, "ops");

	if (strcmp(run->what, what))
		run->count = 0;
	snprintf(run->what, sizeof(run->what), "%s", what);
	if (json_is_number(mpps))
		run->so_far[run->count++ % SO_FAR_MAX] = json_number_value(mpps);
	else if (json_is_number(ops))
		run->so_far[run->count++ % SO_FAR_MAX] =
		    json_number_value(ops) / (is_free(sample) ? 1e3 : 1e6);
	return !statistics_median(run->so_far, run->count < SO_FAR_MAX ? run->count : SO_FAR_MAX,
				  interval);
}

static void show_progress(struct run *run, const json_t *progress)
{
	const json_t *sample = first_of(json_object_get(progress, "samples"));
	const char *program = output_string(sample, "program"),
		   *reason = output_string(sample, "reason");
	double left = json_number_value(json_object_get(progress, "seconds_left"));
	struct interval i;
	bool known = add_sample(run, output_string(progress, "what"), sample, &i);

	fprintf(stderr, "\r\033[K%s  %lld/%lld, about %.0f s left", run->what,
		(long long)json_integer_value(json_object_get(progress, "step")),
		(long long)json_integer_value(json_object_get(progress, "steps")),
		left > 0 ? left : 0);
	if (*reason)
		fprintf(stderr, "  %s invalid: %.100s", program, reason);
	else if (known)
		fprintf(stderr, "  %s%s%.3f +- %.3f %s", program, *program ? " " : "", i.median,
			(i.high - i.low) / 2,
			*program	  ? "Mpps"
			: is_free(sample) ? "K ops/s"
					  : "M ops/s");
	fflush(stderr);
}

static int on_reply(const json_t *parameters, bool continues, void *data)
{
	struct run *run = data;
	json_t *progress = json_object_get(parameters, "progress"),
	       *result = json_object_get(parameters, "result");

	(void)continues;
	if (json_is_object(progress) && run->terminal)
		show_progress(run, progress);
	if (json_is_object(result))
		run->result = json_incref(result);
	return CLI_DONE;
}

static int save(const json_t *result, const char *path)
{
	if (json_dump_file(result, path, JSON_INDENT(1)) < 0)
		return cli_fail(CLI_REFUSED, "%s cannot be written: %m", path);
	return CLI_DONE;
}

/* Waits for Ctrl-C, then asks over a connection of its own; the next Ctrl-C ends the program. */
static void *stop_on_interrupt(void *data)
{
	const struct cli *cli = data;
	struct client client;
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	if (sigwait(&set, &number))
		return NULL;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	if (client_open(&client, cli) == CLI_DONE) {
		client_call(&client, "BenchStop", json_object(), false, NULL, NULL);
		client_close(&client);
	}
	return NULL;
}

static void watch_interrupt(const struct cli *cli)
{
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&thread, NULL, stop_on_interrupt, (void *)cli))
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	else
		pthread_detach(thread);
}

/* The daemon works elsewhere: a file's path must not depend on where. */
static json_t *argument(const char *word)
{
	static const char program[] = "program=";
	json_t *absolute = NULL;
	char *path;

	if (strncmp(word, program, strlen(program)))
		return json_text(word);
	path = realpath(word + strlen(program), NULL);
	if (path)
		absolute = json_sprintf("%s%s", program, path);
	free(path);
	return absolute ? absolute : json_text(word);
}

/* What was printed is no success when a counter disagreed, or when there is no figure in it. */
static int judge(const json_t *result)
{
	size_t i, good = 0, bad = 0;
	json_t *row;

	json_array_foreach(bench_rows(result), i, row)
	{
		good += bench_row_ok(row);
		bad += !strcmp(output_string(row, "state"), "invalid");
	}
	if (bad)
		return cli_fail(CLI_REFUSED, "%zu of %zu that ran are invalid: see their reasons",
				bad, bad + good);
	if (!good)
		return cli_fail(CLI_REFUSED, "nothing was measured: see the reasons");
	return CLI_DONE;
}

static int finish(const struct run *run)
{
	int r = CLI_DONE;

	if (!run->result)
		return cli_fail(CLI_REFUSED, "the benchmark ended without a result");
	bench_complete(run->result);
	if (run->output)
		r = save(run->result, run->output);
	if (r == CLI_DONE)
		r = run->cli->json ? output_json(run->result)
				   : bench_print(run->result, FORMAT_TABLE);
	fflush(stdout);
	return r == CLI_DONE ? judge(run->result) : r;
}

static int measure(struct run *run, json_t *arguments)
{
	struct client client;
	int r = client_open(&client, run->cli);

	if (r != CLI_DONE) {
		json_decref(arguments);
		return r;
	}
	watch_interrupt(run->cli);
	r = client_call(&client, "Bench", json_pack("{s:o}", "arguments", arguments), true,
			on_reply, run);
	client_close(&client);
	if (run->terminal)
		fprintf(stderr, "\r\033[K");
	if (r == CLI_DONE)
		r = finish(run);
	json_decref(run->result);
	return r;
}

int cmd_bench(const struct cli *cli, int argc, const char **argv)
{
	struct run run = {.cli = cli, .terminal = isatty(STDERR_FILENO)};

	if (argc > 1 && !strcmp(argv[1], "show"))
		return bench_show(cli, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "compare"))
		return bench_compare(cli, argc - 1, argv + 1);
	json_t *arguments = json_array();
	/* All other words are xmcast-bench's, but for where the result goes. */
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--output=", 9))
			run.output = argv[i] + 9;
		else if (!strcmp(argv[i], "--output") && argv[i + 1])
			run.output = argv[++i];
		else
			json_array_append_new(arguments, argument(argv[i]));
	}
	return measure(&run, arguments);
}
