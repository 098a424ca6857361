/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a configuration: no crash, every error is one line with words, and what was taken
 * is the same after it was written and read again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_error(const char *file, unsigned int line, const char *text, void *data)
{
	unsigned int *last = data;

	if (!line || line < *last || strcmp(file, "fuzz") || !*text || strchr(text, '\n'))
		abort();
	*last = line;
}

static int read_into(struct model *model, const void *bytes, size_t size, bool runtime)
{
	const struct text text = {
	    .file = file_intern("fuzz"), .bytes = (char *)bytes, .size = size};
	unsigned int last = 1;

	return config_read_texts(&text, 1, runtime, model, check_error, &last);
}

static char *write_text(const struct model *model, size_t *size)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, size);

	if (!stream || config_write_runtime(stream, model) < 0 || fclose(stream))
		abort();
	return text;
}

/* Written, read and written again: the same text. */
static void check_round_trip(const struct model *model)
{
	struct model *again = model_new();
	size_t size, size_again;
	char *text = write_text(model, &size), *text_again;

	again->limits = model->limits;
	if (read_into(again, text, size, true))
		abort();
	text_again = write_text(again, &size_again);
	if (size != size_again || memcmp(text, text_again, size))
		abort();
	free(text);
	free(text_again);
	model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	for (unsigned int runtime = 0; runtime < 2; runtime++) {
		struct model *model = model_new();
		struct entry *entries;
		size_t count;

		read_into(model, bytes, size, runtime);
		if (runtime)
			check_round_trip(model);
		if (!model_compile(model, &entries, &count, NULL))
			free(entries);
		model_free(model);
	}
	return 0;
}
