/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as result files: `bench show` in each of its forms and `bench compare` end with
 * what is printed or with one line, and nothing worse. A byte 1 parts two files.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/verb.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
FILE *fuzz_popen(const char *command, const char *mode);
int fuzz_pclose(FILE *stream);

struct file {
	int fd;
	char path[32];
};

static char *plot;
static size_t plot_size;

/* In place of gnuplot: what it would read is kept. */
FILE *fuzz_popen(const char *command, const char *mode)
{
	(void)command;
	(void)mode;
	return open_memstream(&plot, &plot_size);
}

/* gnuplot runs programs: nothing of a file may stand outside of quotes and numbers. */
int fuzz_pclose(FILE *stream)
{
	bool quoted = false;

	fclose(stream);
	if (strpbrk(plot, ";`!|&\\"))
		abort();
	for (const char *c = plot; *c; c++) {
		quoted ^= *c == '\'';
		if (*c == '\n' && quoted)
			abort();
	}
	free(plot);
	return 0;
}

int cli_fail(int code, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	for (const char *c = text; *c; c++)
		if (*c == 27) /* an escape sequence would command the terminal */
			abort();
	return code;
}

int verb_usage(const char *verb, const char *format, ...)
{
	(void)verb;
	(void)format;
	abort(); /* the command line is ours */
}

static struct file file_of(const void *bytes, size_t size)
{
	struct file file = {.fd = memfd_create("result", MFD_CLOEXEC)};

	if (file.fd < 0 || write(file.fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

static void run(int (*verb)(const struct cli *cli, int argc, const char **argv), bool json,
		const char *a, const char *b, const char *c)
{
	const char *argv[] = {"bench", a, b, c, NULL};
	const struct cli cli = {.json = json};
	int code = verb(&cli, b ? c ? 4 : 3 : 2, argv);

	if (code != CLI_DONE && code != CLI_REFUSED)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *part = memchr(bytes, 1, size);
	size_t first = part ? (size_t)(part - bytes) : size;
	struct file a = file_of(bytes, first);
	struct file b = part ? file_of(part + 1, size - first - 1) : file_of(bytes, size);

	run(bench_show, false, a.path, NULL, NULL);
	run(bench_show, true, a.path, NULL, NULL);
	run(bench_show, false, a.path, "--csv", NULL);
	run(bench_show, false, a.path, "--markdown", NULL);
	run(bench_show, false, a.path, "--plot", "/dev/null");
	run(bench_compare, false, a.path, b.path, NULL);
	run(bench_compare, true, a.path, a.path, NULL);
	close(a.fd);
	close(b.fd);
	return 0;
}
