/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a group on the command line, as parameters of a call. */
#ifndef XM_CLI_WORDS_H
#define XM_CLI_WORDS_H

#include <jansson.h>

#include "daemon/config/config.h"

/*
 * {"address", "from", "to", "source", "vlan", "exclude"} of a statement, for one of its
 * ingresses or, with from NULL, for all. NULL: out of memory.
 */
json_t *words_group(const struct group *group, const struct names *from);

/*
 * The words behind verbs that name a group: ADDR [INTERFACES] [--source S] [--vlan V] [--from F]
 * [--pending]. Checked with the grammar of the configuration. CLI_DONE with *out, or an exit
 * code after the error was printed.
 */
int words_which(int argc, const char **argv, bool interfaces, json_t **out);

#endif
