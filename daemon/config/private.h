/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the configuration room: statements and texts. */
#ifndef XM_CONFIG_PRIVATE_H
#define XM_CONFIG_PRIVATE_H

#include "daemon/config/config.h"

/* Kinds of statements, in the order in which they take effect whatever the order of lines. */
enum statement_kind { STATEMENT_LIMIT, STATEMENT_DAEMON, STATEMENT_INTERFACE, STATEMENT_GROUP };
#define STATEMENT_KINDS 4

/* Options that were given, as bits: OPTION_TO is 1 << OPTION_TO. */
enum option {
	OPTION_FROM = 1,
	OPTION_TO,
	OPTION_SOURCE,
	OPTION_VLAN,
	OPTION_EXCLUDE,
	OPTION_PENDING,
	OPTION_MODE,
	OPTION_DETACHED,
	OPTION_ENFORCE,
};

/* The words behind a statement's name. statement_free() it. */
struct statement {
	char *argument[2];
	unsigned int arguments;
	unsigned int given; /* bits of enum option */
	struct names from, to, exclude;
	struct prefix source;
	__u32 vlan;
	enum mode mode;
	enum enforce enforce;
};

const char *statement_kind_name(enum statement_kind kind);
/* -EINVAL: no statement has this name. */
int statement_kind_parse(const char *word, enum statement_kind *out);
/* Parses argv[0..argc), the words behind the name. 0, -EINVAL with fault, -ENOMEM. */
int statement_parse(enum statement_kind kind, int argc, const char **argv, struct statement *out,
		    struct fault *fault);
void statement_free(struct statement *statement);

/* Puts a parsed line into effect. Returns as model_add_group(). */
int statement_apply(enum statement_kind kind, int argc, const char **argv, struct model *model,
		    const char *file, unsigned int line, struct fault *fault);

/* A text with statements. Not NUL-terminated. */
struct text {
	const char *file; /* interned */
	char *bytes;
	size_t size;
};
const char *file_intern(const char *file); /* NULL: out of memory */
/* Reads to the end. 0 or negative errno, then nothing to free. */
int text_read(struct text *text, FILE *stream);
/* Reads all texts as one configuration: as config_read_stream(). */
int config_read_texts(const struct text *texts, size_t count, bool runtime, struct model *model,
		      config_error report, void *data);

/*
 * The state file's content into an empty model; `bytes` is changed. 0, -EBADMSG
 * with fault, -ENOMEM.
 */
int state_parse(const struct text *text, struct model *model, struct fault *fault);

#endif
