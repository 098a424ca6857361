// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xmcast-bench: parse, measure, say the result. Exit 0 measured, 1 could not, 2 usage. With
 * --stdin alone the words come as one line on stdin, a JSON array: that is how its unit is called.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/bench/alone.h"
#include "daemon/bench/options.h"
#include "daemon/bench/output.h"

#define WORDS_MAX 66
#define LINE_MAX  65536

/* Reads the words; *line owns them. Their number, 0: that was no array of strings. */
static int read_words(json_t **line, const char *argv[static WORDS_MAX])
{
	static char text[LINE_MAX];
	size_t len = 0, i;
	json_t *word;
	int argc = 1;

	/* Byte by byte: what comes behind the line asks to stop, and must stay where it is. */
	while (len < sizeof(text) && read(STDIN_FILENO, text + len, 1) == 1 && text[len] != '\n')
		len++;
	*line = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_array(*line) || json_array_size(*line) > WORDS_MAX - 2)
		return 0;
	json_array_foreach(*line, i, word)
	{
		if (!json_is_string(word))
			return 0;
		argv[argc++] = json_string_value(word);
	}
	return argc;
}

static int run(int argc, const char **argv)
{
	struct bench_options options;
	struct fault fault = {""};
	json_t *result = NULL;
	int r;

	if (options_parse(argc, argv, &options, &fault)) {
		output_usage(fault.text);
		return 2;
	}
	r = alone_begin(&fault);
	if (!r)
		r = options.kind == BENCH_LPM
			? lpm_run(&options.lpm, &result, &fault)
			: throughput_run(&options.throughput, &result, &fault);
	r = r ? output_error(fault.text) || r : output_result(result);
	options_free(&options);
	return r ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *words[WORDS_MAX] = {argv[0]};
	bool input = argc == 2 && !strcmp(argv[1], "--stdin");
	json_t *line = NULL;
	int r;

	output_init(input);
	if (!input)
		return run(argc, (const char **)argv);
	argc = read_words(&line, words);
	if (argc) {
		r = run(argc, words);
	} else {
		output_error("--stdin: the first line is not a JSON array of strings");
		r = 2;
	}
	json_decref(line);
	return r;
}
