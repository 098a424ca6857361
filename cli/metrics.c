/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's counters as OpenMetrics text (OpenMetrics 1.0). A family is written as a whole:
 * TYPE, HELP, then its samples; names end in their base unit, counters in _total.
 */
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/output.h"

#define REQUEST_MAX	8192 /* bytes of an HTTP request that are read */
#define REQUEST_SECONDS 5
#define TYPE		"application/openmetrics-text; version=1.0.0; charset=utf-8"

struct answers {
	json_t *stats, *status, *interfaces, *groups;
};

static void family(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# TYPE xmcast_%s %s\n# HELP xmcast_%s %s\n", name, type, name, help);
}

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* The value of a label: backslash, quote and newline are escaped. */
static void label(FILE *out, const char *before, const char *name, const char *value)
{
	fprintf(out, "%s%s=\"", before, name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		fputs(*value == '\n' ? "\\n" : (char[]){*value, 0}, out);
	}
	fputc('"', out);
}

static void single(FILE *out, const char *name, const char *type, const char *help,
		   const json_t *object, const char *key)
{
	family(out, name, type, help);
	fprintf(out, "xmcast_%s%s %lld\n", name, strcmp(type, "counter") ? "" : "_total",
		number(object, key));
}

/* One sample for each key of an object of counts. */
static void counts(FILE *out, const char *name, const char *key_label, const char *help,
		   const json_t *object)
{
	const char *key;
	json_t *count;

	family(out, name, "counter", help);
	json_object_foreach((json_t *)object, key, count)
	{
		fprintf(out, "xmcast_%s_total", name);
		label(out, "{", key_label, key);
		fprintf(out, "} %lld\n", (long long)json_integer_value(count));
	}
}

static void write_stats(FILE *out, const json_t *stats)
{
	single(out, "received_frames", "counter", "Frames that arrived on ingresses.", stats,
	       "received");
	single(out, "matched_frames", "counter",
	       "Frames that matched a group and were due to be copied.", stats, "matched");
	counts(out, "unmatched_frames", "protocol", "Frames without a group, passed to the stack.",
	       json_object_get(stats, "unmatched"));
	single(out, "due_copies", "counter", "Copies that were due: one for each ready member.",
	       stats, "copies");
	single(out, "transmitted_copies", "counter", "Copies that were handed to a driver.", stats,
	       "transmitted");
	counts(out, "dropped", "reason", "Frames and copies that were dropped.",
	       json_object_get(stats, "dropped"));
	single(out, "unexplained_copies", "gauge",
	       "Copies due that were neither transmitted nor dropped for a known reason.", stats,
	       "unexplained");
}

static void write_limits(FILE *out, const json_t *status)
{
	static const char *const names[] = {"groups", "entries", "sets", "interfaces"};

	family(out, "used", "gauge", "How many of a resource are in use.");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		fprintf(out, "xmcast_used{resource=\"%s\"} %lld\n", names[i],
			number(status, names[i]));
	family(out, "limit", "gauge", "How many of a resource there can be.");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		fprintf(out, "xmcast_limit{resource=\"%s\"} %lld\n", names[i],
			number(json_object_get(status, "limits"), names[i]));
}

static void write_status(FILE *out, const json_t *status)
{
	family(out, "build", "info", "The daemon's version.");
	fprintf(out, "xmcast_build_info");
	label(out, "{", "version", output_string(status, "version"));
	fprintf(out, "} 1\n");
	family(out, "start_time_seconds", "gauge", "When the daemon started, since the epoch.");
	fprintf(out, "xmcast_start_time_seconds %lld\n",
		(long long)time(NULL) - number(status, "uptime_seconds"));
	single(out, "kernel_memory_bytes", "gauge", "Kernel memory of all maps.", status,
	       "kernel_memory_bytes");
	family(out, "settled", "gauge", "1 when what is wanted is what the kernel does.");
	fprintf(out, "xmcast_settled %d\n", json_is_true(json_object_get(status, "settled")));
	write_limits(out, status);
}

/* A family with one sample for each interface. */
static void each_interface(FILE *out, const char *name, const char *type, const char *help,
			   const json_t *interfaces, const char *key)
{
	size_t i;
	json_t *interface;

	family(out, name, type, help);
	json_array_foreach((json_t *)interfaces, i, interface)
	{
		const json_t *value = json_object_get(interface, key);
		fprintf(out, "xmcast_%s%s", name, strcmp(type, "counter") ? "" : "_total");
		label(out, "{", "interface", output_string(interface, "interface"));
		fprintf(out, "} %lld\n",
			json_is_boolean(value) ? (long long)json_is_true(value)
					       : (long long)json_integer_value(value));
	}
}

static void write_interfaces(FILE *out, const json_t *interfaces)
{
	const char *reason;
	size_t i;
	json_t *interface, *count;

	each_interface(out, "interface_received_frames", "counter",
		       "Frames that arrived on this ingress.", interfaces, "received");
	each_interface(out, "interface_transmitted_copies", "counter",
		       "Copies handed to this egress's driver.", interfaces, "transmitted");
	each_interface(out, "interface_driver_dropped_frames", "counter",
		       "Frames that the driver itself dropped, of whatever origin.", interfaces,
		       "driver_dropped");
	each_interface(out, "interface_ready", "gauge",
		       "1 when it can receive copies, or its program is attached.", interfaces,
		       "ready");
	each_interface(out, "interface_mtu_bytes", "gauge", "Its MTU.", interfaces, "mtu");
	family(out, "interface_dropped", "counter",
	       "Frames and copies that were dropped here, by reason; only what happened.");
	json_array_foreach((json_t *)interfaces, i, interface)
	{
		json_object_foreach(json_object_get(interface, "dropped"), reason, count)
		{
			if (!json_integer_value(count))
				continue;
			fputs("xmcast_interface_dropped_total", out);
			label(out, "{", "interface", output_string(interface, "interface"));
			label(out, ",", "reason", reason);
			fprintf(out, "} %lld\n", (long long)json_integer_value(count));
		}
	}
}

static void group_family(FILE *out, const char *name, const char *help, const json_t *groups,
			 const char *key)
{
	static const char *const labels[] = {"address", "source", "vlan", "from"};
	size_t i;
	json_t *group;

	family(out, name, "counter", help);
	json_array_foreach((json_t *)groups, i, group)
	{
		fprintf(out, "xmcast_%s_total", name);
		for (size_t l = 0; l < sizeof(labels) / sizeof(*labels); l++)
			label(out, l ? "," : "{", labels[l], output_string(group, labels[l]));
		fprintf(out, "} %lld\n", number(group, key));
	}
}

static void write_all(FILE *out, const struct answers *a)
{
	family(out, "up", "gauge", "1 when the daemon answers.");
	fprintf(out, "xmcast_up %d\n", a->status != NULL);
	if (a->status) {
		write_status(out, a->status);
		write_stats(out, a->stats);
		write_interfaces(out, json_object_get(a->interfaces, "interfaces"));
	}
	if (a->groups && json_array_size(a->groups)) {
		group_family(out, "group_frames", "Frames that matched this group.", a->groups,
			     "frames");
		group_family(out, "group_bytes", "Bytes of these frames, without FCS.", a->groups,
			     "bytes");
		group_family(out, "group_due_copies", "Copies that were due for this group.",
			     a->groups, "copies");
	}
	fputs("# EOF\n", out);
}

static int keep(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	*(json_t **)data = json_incref((json_t *)parameters);
	return CLI_DONE;
}

static int keep_groups(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	json_array_extend(data, json_object_get(parameters, "groups"));
	return CLI_DONE;
}

/* A daemon that does not answer is an answer, too: xmcast_up 0. */
static int ask(const struct cli *cli, bool groups, struct answers *a)
{
	struct client client;
	int r = client_open(&client, cli);

	if (r != CLI_DONE)
		return r;
	r = client_call(&client, "Stats", json_object(), false, keep, &a->stats);
	if (r == CLI_DONE)
		r = client_call(&client, "ListInterfaces", json_object(), false, keep,
				&a->interfaces);
	if (r == CLI_DONE && groups)
		r = client_call(&client, "ListGroups", json_object(), true, keep_groups,
				a->groups = json_array());
	if (r == CLI_DONE)
		r = client_call(&client, "Status", json_object(), false, keep, &a->status);
	client_close(&client);
	return r;
}

static int respond(const char *status, const char *type, const char *body, size_t len)
{
	printf(
	    "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
	    status, type, len);
	fwrite(body, 1, len, stdout);
	return fflush(stdout) == 0 ? CLI_DONE : CLI_REFUSED;
}

/* The request line of standard input; the headers behind it are read and mean nothing. */
static int read_request(char line[static REQUEST_MAX])
{
	size_t used = 0;
	ssize_t n;

	alarm(REQUEST_SECONDS); /* who sends no request ends us */
	do {
		n = read(STDIN_FILENO, line + used, REQUEST_MAX - 1 - used);
		used += n > 0 ? n : 0;
		line[used] = 0;
	} while (n > 0 && used < REQUEST_MAX - 1 && !strstr(line, "\r\n\r\n") &&
		 !strstr(line, "\n\n"));
	alarm(0);
	line[strcspn(line, "\r\n")] = 0;
	return used ? 0 : -1;
}

static int serve(const char *body, size_t len)
{
	static const char wrong[] = "only GET /metrics\n";
	char line[REQUEST_MAX], method[16] = "", path[256] = "";

	if (read_request(line) < 0)
		return CLI_REFUSED;
	sscanf(line, "%15s %255s", method, path);
	path[strcspn(path, "?")] = 0;
	if (strcmp(method, "GET"))
		return respond("405 Method Not Allowed", "text/plain", wrong, strlen(wrong));
	if (strcmp(path, "/metrics"))
		return respond("404 Not Found", "text/plain", wrong, strlen(wrong));
	return respond("200 OK", TYPE, body, len);
}

static int run(const struct cli *cli, bool groups, bool http)
{
	struct answers a = {};
	size_t len = 0;
	char *body = NULL;
	FILE *out = open_memstream(&body, &len);
	int r = ask(cli, groups, &a);

	if (out) {
		write_all(out, &a);
		fclose(out);
	}
	json_decref(a.stats);
	json_decref(a.status);
	json_decref(a.interfaces);
	json_decref(a.groups);
	if (http)
		r = body ? serve(body, len) : CLI_REFUSED;
	else if (body)
		fwrite(body, 1, len, stdout);
	free(body);
	return r;
}

int cmd_metrics(const struct cli *cli, int argc, const char **argv)
{
	int groups = 0, http = 0;
	const struct poptOption options[] = {
	    {"groups", 0, POPT_ARG_NONE, &groups, 0, NULL, NULL},
	    {"http", 0, POPT_ARG_NONE, &http, 0, NULL, NULL},
	    POPT_TABLEEND,
	};
	int r = verb_options(argc, argv, options, NULL, 0);

	if (r == CLI_DONE && cli->json)
		r = cli_fail(CLI_USAGE, "metrics has no --json: see xmcastctl --json stats");
	return r == CLI_DONE ? run(cli, groups, http) : r;
}
