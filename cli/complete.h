/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XM_CLI_COMPLETE_H
#define XM_CLI_COMPLETE_H

#include "cli/verb.h"

/* Offers what the last of these words of a command line may become; the first is the verb:
 * global options were taken out. */
int complete(const struct cli *cli, int count, const char **words);

#endif
