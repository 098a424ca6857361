/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of doctor for the daemon of another network namespace: they work where they are
 * typed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor.h"
#include "cli/output.h"

/* Within single quotes of a shell; the daemon's unit there is an instance. */
static void write_quoted(FILE *out, const char *command, const char *netns)
{
	static const char *const units[] = {"systemctl start xmcastd", "systemctl restart xmcastd"};

	for (const char *at = command; *at; at++) {
		if (*at == '\'')
			fprintf(out, "'\\''");
		else
			putc(*at, out);
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
			size_t len = strlen(units[i]), done = at + 1 - command;
			if (done >= len && !strncmp(at + 1 - len, units[i], len))
				fprintf(out, "@%s", netns);
		}
	}
}

void remedies_in_netns(json_t *findings, size_t first, const struct cli *cli)
{
	size_t len;

	for (size_t i = first; cli->netns && i < json_array_size(findings); i++) {
		json_t *finding = json_array_get(findings, i);
		const char *remedy = output_string(finding, "remedy");
		char *text = NULL;
		/* "(in the network namespace of id 4) ..." is for people */
		FILE *out = *remedy && *remedy != '(' ? open_memstream(&text, &len) : NULL;
		if (!out)
			continue;
		fprintf(out, "nsenter --net=/run/netns/%s env XMCAST_SOCKET=%s sh -c '", cli->netns,
			cli->socket);
		write_quoted(out, remedy, cli->netns);
		putc('\'', out);
		if (!fclose(out))
			json_object_set_new(finding, "remedy", json_string(text));
		free(text);
	}
}
