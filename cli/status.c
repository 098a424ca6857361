/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status, reload */
#include <stdio.h>

#include "cli/client.h"
#include "cli/interface.h"
#include "cli/output.h"

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void print_use(const json_t *status, const char *what)
{
	printf("%-12s %lld of %lld\n", what, number(status, what),
	       number(json_object_get(status, "limits"), what));
}

static int print_status(const json_t *status, bool continues, void *data)
{
	(void)continues;
	(void)data;
	printf("%-12s %s, process %lld, up %lld s\n", "xmcastd", output_string(status, "version"),
	       number(status, "pid"), number(status, "uptime_seconds"));
	printf("%-12s %s%s, files of conf.d: %lld\n", "config",
	       output_string(status, "config_file"),
	       json_is_true(json_object_get(status, "config_file_exists")) ? "" : " (is not there)",
	       number(status, "conf_d_files"));
	printf("%-12s %s\n", "enforce", output_string(status, "enforce"));
	printf("%-12s %s\n", "pinned",
	       json_is_true(json_object_get(status, "pinned"))
		   ? output_string_or(status, "pin_directory", "yes")
		   : "no: a restart of xmcastd will lose frames");
	print_use(status, "groups");
	print_use(status, "entries");
	print_use(status, "sets");
	print_use(status, "interfaces");
	printf("%-12s %.1f MiB in the kernel\n", "memory",
	       number(status, "kernel_memory_bytes") / 1048576.0);
	printf("%-12s %s\n", "settled",
	       json_is_true(json_object_get(status, "settled"))
		   ? "yes"
		   : "no: what is wanted is not what the kernel does");
	if (*output_string(status, "problem"))
		printf("%-12s %s\n", "problem", output_string(status, "problem"));
	return CLI_DONE;
}

static int print_interfaces(const json_t *parameters, bool continues, void *data)
{
	if (!json_array_size(json_object_get(parameters, "interfaces")))
		return CLI_DONE;
	printf("\n");
	return interface_table(parameters, continues, data);
}

int cmd_status(const struct cli *cli, int argc, const char **argv)
{
	int r;

	if (argc > 1)
		return verb_usage(argv[0], "%s is one word too many", argv[1]);
	r = client_do(cli, "Status", json_object(), print_status, NULL);
	if (r != CLI_DONE || cli->json)
		return r;
	return client_do(cli, "ListInterfaces", json_object(), print_interfaces, NULL);
}

int cmd_reload(const struct cli *cli, int argc, const char **argv)
{
	if (argc > 1)
		return verb_usage(argv[0], "%s is one word too many", argv[1]);
	return client_do(cli, "Reload", json_object(), NULL, NULL);
}
