/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain, trace */
#include "cli/frame.h"

#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/client.h"
#include "cli/output.h"

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void print_group(const json_t *frame)
{
	const json_t *group = json_object_get(frame, "group");

	if (!json_is_object(group))
		return;
	printf("  match    %s", output_string(group, "address"));
	if (*output_string(group, "source"))
		printf(" source %s", output_string(group, "source"));
	if (*output_string(group, "vlan"))
		printf(" vlan %s", output_string(group, "vlan"));
	printf(" from %s (entry %lld)\n", output_string(group, "from"), number(frame, "entry"));
	printf("  set      %lld, copies due: %lld\n", number(frame, "set"), number(frame, "due"));
}

static void print_copy(const json_t *copy)
{
	const char *reason = output_string(copy, "reason"), *detail = output_string(copy, "detail");

	printf("  %-8s %s", output_string(copy, "interface"), output_string(copy, "outcome"));
	if (*reason)
		printf(": %s (%s)", reason, output_reason_text(reason));
	printf("%s%s\n", *detail ? "; " : "", detail);
}

static void print_verdict(const json_t *frame)
{
	const char *verdict = output_string(frame, "verdict");
	const char *reason = output_string(frame, "reason"),
		   *protocol = output_string(frame, "protocol");

	if (*reason)
		printf("%s: %s (%s)", verdict, reason, output_reason_text(reason));
	else if (*protocol)
		printf("passed to the stack, counted as %s", protocol);
	else
		printf("%s", verdict);
	if (*output_string(frame, "detail"))
		printf(": %s", output_string(frame, "detail"));
	printf("\n");
}

/* What nobody knows of a frame that has not come. */
static void print_unforeseen(const json_t *reasons)
{
	size_t i;
	json_t *reason;

	json_array_foreach(reasons, i, reason) printf(
	    "%s%s", i ? ", " : "  what only its coming can tell: ", json_string_value(reason));
	if (json_array_size(reasons))
		printf("\n");
}

void frame_print(const json_t *frame)
{
	size_t i;
	json_t *copy;

	if (number(frame, "number"))
		printf("#%lld ", number(frame, "number"));
	printf("%s", output_string(frame, "address"));
	if (*output_string(frame, "source"))
		printf(" source %s", output_string(frame, "source"));
	if (*output_string(frame, "vlan"))
		printf(" vlan %s", output_string(frame, "vlan"));
	printf(" (%lld bytes): ", number(frame, "size"));
	print_verdict(frame);
	printf("  ingress  %s, %s\n", output_string(frame, "from"),
	       number(frame, "entry") || json_is_string(json_object_get(frame, "protocol"))
		   ? output_string(frame, "mode")
		   : "no program");
	print_group(frame);
	json_array_foreach(json_object_get(frame, "egress"), i, copy) print_copy(copy);
	print_unforeseen(json_object_get(frame, "unforeseen"));
}

static int print_reply(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	(void)data;
	frame_print(json_object_get(parameters, "frame"));
	return CLI_DONE;
}

#define NOT_GIVEN INT_MIN /* an option with a number */

struct explain {
	char *group, *from, *source, *vlan;
	int size;
};

static int build(const char *verb, const char *group, const struct explain *e, json_t **out)
{
	if (!group || !e->from)
		return verb_usage(verb, "%s is missing", e->from ? "the group" : "--from");
	*out = json_pack("{s:s, s:s, s:s*, s:s*}", "address", group, "from", e->from, "source",
			 e->source, "vlan", e->vlan);
	if (*out && e->size != NOT_GIVEN)
		json_object_set_new(*out, "size", json_integer(e->size));
	return CLI_DONE;
}

int cmd_explain(const struct cli *cli, int argc, const char **argv)
{
	struct explain e = {.size = NOT_GIVEN};
	const struct poptOption options[] = {
	    {"group", 0, POPT_ARG_STRING, &e.group, 0, NULL, NULL},
	    {"from", 0, POPT_ARG_STRING, &e.from, 0, NULL, NULL},
	    {"source", 0, POPT_ARG_STRING, &e.source, 0, NULL, NULL},
	    {"vlan", 0, POPT_ARG_STRING, &e.vlan, 0, NULL, NULL},
	    {"size", 0, POPT_ARG_INT, &e.size, 0, NULL, NULL},
	    POPT_TABLEEND,
	};
	json_t *parameters = NULL;
	char *address;
	int r = verb_options(argc, argv, options, &address, 1);

	if (r == CLI_DONE && address && e.group)
		r = verb_usage(argv[0], "%s is one word too many", address);
	if (r == CLI_DONE)
		r = build(argv[0], address ? address : e.group, &e, &parameters);
	free(address);
	free(e.group);
	free(e.from);
	free(e.source);
	free(e.vlan);
	return r == CLI_DONE ? client_do(cli, "Explain", parameters, print_reply, NULL) : r;
}

struct trace {
	char *from;
	int unmatched, count, seconds;
};

struct tracing {
	const struct cli *cli;
	const char *from; /* NULL: all */
};

/* Frames as they come; the first reply says that it has begun, the last one that it is over. */
static int take_frame(const json_t *parameters, bool continues, void *data)
{
	const json_t *frame = json_object_get(parameters, "frame");
	const struct tracing *tracing = data;

	if (continues && !json_is_object(frame)) /* no frame from here on is missed */
		fprintf(tracing->cli->json ? stderr : stdout, "tracing on %s\n",
			tracing->from ? tracing->from : "all ingresses");
	else if (tracing->cli->json)
		output_json(parameters);
	else if (json_is_object(frame))
		frame_print(frame);
	else if (!continues)
		printf("frames traced: %lld (%s)\n", number(parameters, "frames"),
		       output_string(parameters, "ended"));
	return fflush(stdout) == 0 ? CLI_DONE : CLI_REFUSED;
}

static json_t *build_trace(const struct trace *t, const char *group)
{
	json_t *parameters = json_pack("{s:s*, s:s*, s:b}", "address", group, "from", t->from,
				       "unmatched", t->unmatched);

	if (parameters && t->count != NOT_GIVEN)
		json_object_set_new(parameters, "count", json_integer(t->count));
	if (parameters && t->seconds != NOT_GIVEN)
		json_object_set_new(parameters, "seconds", json_integer(t->seconds));
	return parameters;
}

static int run_trace(const struct cli *cli, const char *from, json_t *parameters)
{
	struct tracing tracing = {cli, from};
	struct client client;
	int r = client_open(&client, cli);

	if (r != CLI_DONE) {
		json_decref(parameters);
		return r;
	}
	r = client_call(&client, "Trace", parameters, true, take_frame, &tracing);
	client_close(&client);
	return r;
}

int cmd_trace(const struct cli *cli, int argc, const char **argv)
{
	struct trace t = {.count = NOT_GIVEN, .seconds = NOT_GIVEN};
	const struct poptOption options[] = {
	    {"from", 0, POPT_ARG_STRING, &t.from, 0, NULL, NULL},
	    {"unmatched", 0, POPT_ARG_NONE, &t.unmatched, 0, NULL, NULL},
	    {"count", 0, POPT_ARG_INT, &t.count, 0, NULL, NULL},
	    {"seconds", 0, POPT_ARG_INT, &t.seconds, 0, NULL, NULL},
	    POPT_TABLEEND,
	};
	char *group;
	int r = verb_options(argc, argv, options, &group, 1);

	if (r == CLI_DONE && !group && !t.unmatched)
		r = verb_usage(argv[0], "which frames? Name a group, or --unmatched");
	if (r == CLI_DONE)
		r = run_trace(cli, t.from, build_trace(&t, group));
	free(group);
	free(t.from);
	return r;
}
