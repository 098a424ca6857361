/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one grammar: configuration files, `apply`, `save` and the state file are the same
 * statements as the CLI's options, one a line, `#` comments, tokenised by libpopt.
 *
 *   group ADDR[/LEN] --from IF[,IF] --to IF[,IF] [--source ADDR[/LEN]] [--vlan V] [--exclude
 * IF[,IF]] interface IF [--mode auto|native|generic] [--exclude IF[,IF]] [--detached] limit NAME N
 *   daemon [--enforce fold|lookup]
 *
 * Shared with the CLI. Knows the model, nothing else.
 */
#ifndef XM_CONFIG_CONFIG_H
#define XM_CONFIG_CONFIG_H

#include <stdio.h>

#include "daemon/model/model.h"

/* One `group` statement: as many groups as it names ingresses. group_statement_free() it. */
struct group_statement {
	struct prefix address, source;
	__u32 vlan;
	struct names from, to, exclude;
	bool pending; /* --pending: of the CLI only; allows names that do not exist yet */
};
/*
 * Parses the words behind `group`. `needs_to`: --to and --from are required (add-group and files);
 * otherwise optional (del-group). 0, -EINVAL with fault, -ENOMEM.
 */
int group_statement_parse(int argc, const char **argv, bool needs_to, struct group_statement *out,
			  struct fault *fault);
void group_statement_free(struct group_statement *statement);
/* Adds one group per ingress, all or none. Returns as model_add_group(). */
int group_statement_add(const struct group_statement *statement, struct model *model,
			const char *file, unsigned int line, struct fault *fault);

/*
 * Called for each error, in order of lines. `text` says what, why and what to do, without the
 * place; `line` is 0 when it is the whole file.
 */
typedef void (*config_error)(const char *file, unsigned int line, const char *text, void *data);

/*
 * Opens a file to be read to its end, and waits for nobody: a regular file of at most 1 GiB, or
 * /dev/null; with `pipes` also one of those, which waits for its writer. `flags`: more of open(2).
 * NULL with errno: EISDIR, ENOTSUP (something else), EFBIG, or as of open(2).
 */
FILE *config_open(const char *path, int flags, bool pipes);
/* Words for a negative errno of opening or reading. */
const char *config_unreadable(int error);

/*
 * Reads statements into the model: limits first, then daemon, interfaces and groups,
 * wherever they stand. All errors are reported, not only the first; the return
 * is the number of errors, or negative errno (unreadable file: reported too; memory). What stood in
 * lines without error is in the model then: throw it away. `file` is the name for
 * messages and origins (interned, lives as long as the process). `runtime`: origin runtime, `limit`
 * and `daemon` are refused.
 */
int config_read_stream(FILE *stream, const char *file, bool runtime, struct model *model,
		       config_error report, void *data);
/*
 * FILE, then FILE's directory's conf.d/ *.conf in strverscmp order. A missing conf.d is no error, a
 * missing FILE is one unless it is `optional`. `found` (may be NULL) tells what was there.
 */
struct config_found {
	bool file;
	unsigned int more; /* files of conf.d */
};
int config_read(const char *file, bool optional, struct config_found *found, struct model *model,
		config_error report, void *data);

/* One statement per group (and ingress), canonical, ends with a newline. 0 or -errno. */
int config_write_group(FILE *stream, const struct group *group);
int config_write_interface(FILE *stream, const struct interface_wish *wish);
/* Everything of runtime origin, in order. */
int config_write_runtime(FILE *stream, const struct model *model);

/*
 * The state file: "# xmcast state 1" , the runtime statements, "# sha256 HEX" over what
 * stands before. Written to a temporary file beside it, fsync, rename,
 * fsync of the directory. state_read() adds to the model: 0; -ENOENT none there; -EBADMSG
 * damaged (fault says how; the file was renamed to PATH.damaged and nothing was taken from
 * it). Groups that config defines by now are left to it. What the model refuses (a limit that was
 * lowered) is left out: then the return is 0 and the fault's text is not empty: a warning.
 */
int state_write(const char *path, const struct model *model, struct fault *fault);
int state_read(const char *path, struct model *model, struct fault *fault);
/* Removes it, and what a writer that was killed left beside. None there is no error. */
int state_remove(const char *path, struct fault *fault);

#endif
