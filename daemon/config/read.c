/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From texts to statements. All texts are gone through once per kind of statement (limits,
 * daemon, interfaces, groups, then what looks like none), each line taking part once, so the
 * order of lines and files does not matter. Errors are kept and then told in the order of lines.
 */
#include <errno.h>
#include <limits.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/private.h"

/* Longer lines are a mistake: 1023 members of 15 characters are 16 KiB. */
#define LINE_MAX_BYTES 65536

struct error {
	size_t text; /* index */
	unsigned int line;
	char *words;
};

struct reader {
	const struct text *texts;
	struct model *model;
	bool runtime;
	struct error *error;
	size_t errors, room;
	char line[LINE_MAX_BYTES + 1];
};

static int add_error(struct reader *reader, size_t text, unsigned int line, const char *words)
{
	if (reader->errors == reader->room) {
		size_t room = 2 * reader->room + 8;
		struct error *grown = reallocarray(reader->error, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		reader->error = grown;
		reader->room = room;
	}
	reader->error[reader->errors] = (struct error){text, line, strdup(words)};
	return reader->error[reader->errors].words ? (reader->errors++, 0) : -ENOMEM;
}

/* The first byte that no line may hold, or -1: control characters other than tab. */
static int find_control(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = bytes[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return c;
	}
	return -1;
}

/*
 * Cuts off a comment: a # that begins a word, outside quotes (as libpopt reads them). False
 * when a quotation mark is left open, which libpopt 1.19 lets pass.
 */
static bool cut_comment(char *line)
{
	char quote = 0, before = ' ';

	for (char *c = line; *c; before = *c++) {
		if (*c == '\\' && c[1]) {
			c++;
		} else if (quote) {
			if (*c == quote)
				quote = 0;
		} else if (*c == '"' || *c == '\'') {
			quote = *c;
		} else if (*c == '#' && (before == ' ' || before == '\t')) {
			*c = '\0';
			return true;
		}
	}
	return !quote;
}

/* Copies a line to where it can be changed. -EINVAL with fault: no statement can look so. */
static int take_line(struct reader *reader, const char *bytes, size_t size, struct fault *fault)
{
	int control;

	if (size && bytes[size - 1] == '\r')
		size--;
	if (size > LINE_MAX_BYTES)
		return fault_set(fault, -EINVAL,
				 "the line has %zu bytes, more than %d: is this a text file?", size,
				 LINE_MAX_BYTES);
	control = find_control(bytes, size);
	if (control >= 0)
		return fault_set(fault, -EINVAL,
				 "the line holds a control character (byte 0x%02x): is this a text "
				 "file?",
				 control);
	memcpy(reader->line, bytes, size);
	reader->line[size] = '\0';
	if (!cut_comment(reader->line))
		return fault_set(fault, -EINVAL,
				 "a quotation mark is not closed: statements cannot span lines");
	return 0;
}

static int tokenise(struct reader *reader, int *argc, const char ***argv, struct fault *fault)
{
	int r = poptParseArgvString(reader->line, argc, argv);

	switch (r) {
	case 0:
		return 0;
	case POPT_ERROR_NOARG: /* nothing on this line */
		*argc = 0;
		*argv = NULL;
		return 0;
	case POPT_ERROR_BADQUOTE: /* which is what libpopt 1.19 says of this */
		return fault_set(fault, -EINVAL,
				 "a \\ ends the line: statements cannot span lines");
	}
	return fault_set(fault, -ENOMEM, "the line cannot be split into words: %s",
			 poptStrerror(r));
}

/* True when the line's first word, as it stands, names this kind. */
static bool names_kind(const char *bytes, size_t size, enum statement_kind kind)
{
	const char *name = statement_kind_name(kind);
	size_t len = strlen(name), start = 0;

	while (start < size && (bytes[start] == ' ' || bytes[start] == '\t'))
		start++;
	return size - start >= len && !memcmp(bytes + start, name, len) &&
	       (size - start == len || (unsigned char)bytes[start + len] <= ' ');
}

/* Whether the line is read in the pass for `kind`; STATEMENT_KINDS: what looks like none. */
static bool is_due(const char *bytes, size_t size, unsigned int kind)
{
	if (kind < STATEMENT_KINDS)
		return names_kind(bytes, size, kind);
	for (unsigned int other = 0; other < STATEMENT_KINDS; other++)
		if (names_kind(bytes, size, other))
			return false;
	return true;
}

static int read_words(struct reader *reader, int argc, const char **argv, const char *file,
		      unsigned int line, struct fault *fault)
{
	enum statement_kind kind;

	if (!argc)
		return 0;
	if (statement_kind_parse(argv[0], &kind) < 0)
		return fault_set(fault, -EINVAL,
				 "%.64s: there is no such statement: begin the line with group, "
				 "interface, limit or daemon",
				 argv[0]);
	return statement_apply(kind, argc - 1, argv + 1, reader->model,
			       reader->runtime ? NULL : file, line, fault);
}

static int read_line(struct reader *reader, const char *bytes, size_t size, const char *file,
		     unsigned int line, struct fault *fault)
{
	const char **argv = NULL;
	int argc, r;

	r = take_line(reader, bytes, size, fault);
	if (!r)
		r = tokenise(reader, &argc, &argv, fault);
	if (!r)
		r = read_words(reader, argc, argv, file, line, fault);
	free(argv);
	return r;
}

/* All lines of one kind. 0, or -ENOMEM, which is no error of a line; those are kept. */
static int read_text(struct reader *reader, unsigned int kind, size_t index)
{
	const struct text *text = &reader->texts[index];
	const char *at = text->bytes, *end = at + text->size;
	struct fault fault;

	for (unsigned int line = 1; at < end; line++) {
		const char *newline = memchr(at, '\n', end - at);
		size_t size = (newline ? newline : end) - at;
		int r = is_due(at, size, kind)
			    ? read_line(reader, at, size, text->file, line, &fault)
			    : 0;

		if (r < 0 && r != -ENOMEM)
			r = add_error(reader, index, line, fault.text);
		if (r < 0)
			return r;
		at = newline ? newline + 1 : end;
	}
	return 0;
}

static int compare_errors(const void *a, const void *b)
{
	const struct error *x = a, *y = b;

	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

int config_read_texts(const struct text *texts, size_t count, bool runtime, struct model *model,
		      config_error report, void *data)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int r = 0;

	if (!reader)
		return -ENOMEM;
	reader->texts = texts;
	reader->model = model;
	reader->runtime = runtime;
	for (unsigned int kind = 0; !r && kind <= STATEMENT_KINDS; kind++)
		for (size_t i = 0; !r && i < count; i++)
			r = read_text(reader, kind, i);
	if (reader->errors)
		qsort(reader->error, reader->errors, sizeof(*reader->error), compare_errors);
	for (size_t i = 0; i < reader->errors; i++) {
		struct error *error = &reader->error[i];

		if (report)
			report(texts[error->text].file, error->line, error->words, data);
		free(error->words);
	}
	if (!r)
		r = reader->errors < INT_MAX ? (int)reader->errors : INT_MAX;
	free(reader->error);
	free(reader);
	model_settle(model);
	return r;
}
