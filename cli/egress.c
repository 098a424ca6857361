/* SPDX-License-Identifier: GPL-2.0-or-later */
/* add-egress, del-egress, add-exclude, del-exclude */
#include <stdio.h>

#include "cli/client.h"
#include "cli/output.h"
#include "cli/words.h"

static int print_result(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	(void)data;
	printf("%s\n", output_string(parameters, "result"));
	return CLI_DONE;
}

static int edit(const struct cli *cli, const char *method, int argc, const char **argv)
{
	json_t *parameters;
	int r = words_which(argc, argv, true, &parameters);

	return r == CLI_DONE ? client_do(cli, method, parameters, print_result, NULL) : r;
}

int cmd_add_egress(const struct cli *cli, int argc, const char **argv)
{
	return edit(cli, "AddEgress", argc, argv);
}

int cmd_del_egress(const struct cli *cli, int argc, const char **argv)
{
	return edit(cli, "DelEgress", argc, argv);
}

int cmd_add_exclude(const struct cli *cli, int argc, const char **argv)
{
	return edit(cli, "AddExclude", argc, argv);
}

int cmd_del_exclude(const struct cli *cli, int argc, const char **argv)
{
	return edit(cli, "DelExclude", argc, argv);
}
