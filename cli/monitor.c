/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <time.h>

#include "cli/client.h"
#include "cli/output.h"

static int print_event(const json_t *event, bool continues, void *data)
{
	const struct cli *cli = data;
	time_t now = time(NULL);
	char clock[16] = "";
	struct tm tm;
	const char *why = output_string_or(event, "reason", output_string(event, "detail"));

	(void)continues;
	if (cli->json) {
		output_json(event);
	} else {
		if (localtime_r(&now, &tm))
			strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
		printf("%s %s", clock, output_string(event, "event"));
		if (*output_string(event, "group"))
			printf(" group %s", output_string(event, "group"));
		if (*output_string(event, "interface"))
			printf(" %s", output_string(event, "interface"));
		if (*why)
			printf(": %s", why);
		printf("\n");
	}
	/* a reader behind a pipe wants each event now; when it has gone we are done */
	return fflush(stdout) == 0 ? CLI_DONE : CLI_REFUSED;
}

int cmd_monitor(const struct cli *cli, int argc, const char **argv)
{
	struct client client;
	int r;

	if (argc > 1)
		return verb_usage(argv[0], "%s is one word too many", argv[1]);
	r = client_open(&client, cli);
	if (r != CLI_DONE)
		return r;
	r = client_call(&client, "Monitor", json_object(), true, print_event, (void *)cli);
	client_close(&client);
	return r;
}
