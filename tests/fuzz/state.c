/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a state file: taken only with the right sum. And the same bytes as the body of a
 * file whose sum is right: taken or refused as damaged, with words.
 */
#include <nettle/sha2.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int parse(const void *bytes, size_t size)
{
	const struct text text = {
	    .file = file_intern("fuzz"), .bytes = (char *)bytes, .size = size};
	struct model *model = model_new();
	struct fault fault = {};
	int r = state_parse(&text, model, &fault);

	if (r && (r != -EBADMSG || !fault.text[0] || strchr(fault.text, '\n')))
		abort();
	model_free(model);
	return r;
}

static void write_sum(FILE *stream, const void *bytes, size_t size)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sum;

	sha256_init(&sum);
	sha256_update(&sum, size, bytes);
	sha256_digest(&sum, sizeof(digest), digest);
	fputs("# sha256 ", stream);
	for (size_t i = 0; i < sizeof(digest); i++)
		fprintf(stream, "%02x", digest[i]);
	fputc('\n', stream);
}

/* Any other byte in place of the last of a good file's sum. */
static void check_flip(char *text, size_t size)
{
	if (parse(text, size))
		return;
	text[size - 2] ^= 1;
	if (!parse(text, size))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	parse(bytes, size);
	fputs("# xmcast state 1\n", stream);
	fwrite(bytes, 1, size, stream);
	fflush(stream);
	write_sum(stream, text, length);
	fclose(stream);
	check_flip(text, length);
	free(text);
	return 0;
}
