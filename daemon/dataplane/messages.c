// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libbpf and libxdp print their reasons and return an errno. Here their words are kept, per
 * thread, so that a fault can relay what the kernel or the verifier said. Nothing is printed.
 */
#include "daemon/dataplane/internal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xdp/libxdp.h>

#define WORDS_MAX 400

static __thread char kernel_words[WORDS_MAX], libbpf_words[WORDS_MAX], libxdp_words[WORDS_MAX];

static char *trim(char *line)
{
	while (isspace((unsigned char)*line))
		line++;
	if (!strncmp(line, "libbpf: ", 8) || !strncmp(line, "libxdp: ", 8))
		line += 8;
	size_t n = strlen(line);
	while (n && isspace((unsigned char)line[n - 1]))
		line[--n] = 0;
	return line;
}

static void append(char *to, const char *line)
{
	size_t used = strlen(to);

	snprintf(to + used, WORDS_MAX - used, "%s%s", used ? "; " : "", line);
}

/* The verifier ends with statistics; the line before them is its reason. */
static bool is_statistics(const char *line)
{
	static const char *const heads[] = {"processed ", "verification time", "stack depth", "--"};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strncmp(line, heads[i], strlen(heads[i])))
			return true;
	return !*line;
}

static void keep_verifier(char *text)
{
	char *save = NULL;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		l = trim(l);
		if (!is_statistics(l) && !strstr(l, "BEGIN PROG LOAD LOG"))
			snprintf(kernel_words, sizeof(kernel_words), "%s", l);
	}
}

static void keep(char *text, char *words_of_library)
{
	static const char extack[] = "Kernel error message: ";
	char *save = NULL, *words;

	if (strstr(text, "BEGIN PROG LOAD LOG")) {
		keep_verifier(text);
		return;
	}
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		l = trim(l);
		words = strstr(l, extack);
		if (words)
			snprintf(kernel_words, sizeof(kernel_words), "%s",
				 words + sizeof(extack) - 1);
		else if (*l && !strstr(l, "ulimit")) /* no hint: 5.11 did away with that limit */
			append(words_of_library, l);
	}
}

__attribute__((format(printf, 1, 0))) static int format_and_keep(const char *format, va_list args,
								 char *to)
{
	_cleanup_free_ char *text = NULL;

	if (vasprintf(&text, format, args) < 0) {
		text = NULL;
		return 0;
	}
	keep(text, to);
	return 0;
}

__attribute__((format(printf, 2, 0))) static int from_libbpf(enum libbpf_print_level level,
							     const char *format, va_list args)
{
	return level == LIBBPF_WARN ? format_and_keep(format, args, libbpf_words) : 0;
}

__attribute__((format(printf, 2, 0))) static int from_libxdp(enum libxdp_print_level level,
							     const char *format, va_list args)
{
	return level <= LIBXDP_INFO ? format_and_keep(format, args, libxdp_words) : 0;
}

void messages_start(void)
{
	libbpf_set_print(from_libbpf);
	libxdp_set_print(from_libxdp);
	kernel_words[0] = libbpf_words[0] = libxdp_words[0] = 0;
}

const char *messages_words(void)
{
	return kernel_words[0] ? kernel_words : libbpf_words[0] ? libbpf_words : libxdp_words;
}

const char *messages_of_libxdp(void)
{
	return libxdp_words;
}
