/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/doctor.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/output.h"

static const char *const level_names[] = {"ok", "warning", "problem"};

void finding_add(struct patient *patient, const char *check, const char *subject, enum level level,
		 const char *text, const char *remedy)
{
	json_array_append_new(patient->findings,
			      json_pack("{s:s, s:s?, s:s, s:s?, s:s?}", "check", check, "subject",
					subject, "level", level_names[level], "text", text,
					"remedy", remedy));
}

bool patient_wants(const struct patient *patient, const char *interface)
{
	for (const char **name = patient->only; *name; name++)
		if (strcmp(*name, interface) == 0)
			return true;
	return !*patient->only;
}

long long number_in(const char *path)
{
	FILE *file = fopen(path, "re");
	long long number = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%lld", &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

/* --- asking the daemon --- */

struct answers {
	json_t *status, *interfaces, *groups, *findings;
};

static int keep_object(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	*(json_t **)data = json_incref((json_t *)parameters);
	return CLI_DONE;
}

/* What the checks here need of a group, out of many replies. */
static int keep_groups(const json_t *parameters, bool continues, void *data)
{
	json_t *groups = data, *group;
	size_t i;

	(void)continues;
	json_array_foreach(json_object_get(parameters, "groups"), i, group)
	{
		json_object_del(group, "to");
		json_object_del(group, "exclude");
		json_object_del(group, "egress");
		json_array_append(groups, group);
	}
	return CLI_DONE;
}

static int keep_findings(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	json_array_extend(data, json_object_get(parameters, "findings"));
	return CLI_DONE;
}

static int ask(const struct cli *cli, int argc, const char **argv, struct answers *a)
{
	json_t *names = json_array(), *parameters = json_pack("{s:o}", "interfaces", names);
	struct client client;
	int r = client_open(&client, cli);

	for (int i = 1; i < argc; i++)
		json_array_append_new(names, json_string(argv[i]));
	if (r != CLI_DONE) {
		json_decref(parameters);
		return r;
	}
	r = client_call(&client, "Doctor", parameters, false, keep_findings, a->findings);
	if (r == CLI_DONE)
		r = client_call(&client, "Status", json_object(), false, keep_object, &a->status);
	if (r == CLI_DONE)
		r = client_call(&client, "ListInterfaces", json_object(), false, keep_object,
				&a->interfaces);
	if (r == CLI_DONE)
		r = client_call(&client, "ListGroups", json_object(), true, keep_groups, a->groups);
	client_close(&client);
	return r;
}

/* --- telling --- */

static int level_of(const json_t *finding)
{
	const char *name = output_string(finding, "level");
	int level = LEVEL_OK;

	while (level < LEVEL_PROBLEM && strcmp(name, level_names[level]))
		level++;
	return level;
}

static void print_finding(const json_t *finding, bool colours)
{
	static const char *const colour[] = {"\033[32m", "\033[33m", "\033[31m"};
	int level = level_of(finding);
	const char *subject = output_string(finding, "subject");
	const char *remedy = output_string(finding, "remedy");

	printf("%s%-8s%s %s%s%s", colours ? colour[level] : "", level_names[level],
	       colours ? "\033[0m" : "", output_string(finding, "check"), *subject ? " " : "",
	       subject);
	if (*output_string(finding, "text"))
		printf(": %s", output_string(finding, "text"));
	printf("%s%s\n", *remedy ? "; run: " : "", remedy);
}

static int tell(const struct cli *cli, json_t *findings)
{
	bool colours = output_colours();
	int worst = LEVEL_OK;
	size_t i;
	json_t *finding;

	json_array_foreach(findings, i, finding)
	{
		int level = level_of(finding);
		if (level > worst)
			worst = level;
		if (!cli->json)
			print_finding(finding, colours);
	}
	if (cli->json) {
		json_t *object = json_pack("{s:O}", "findings", findings);
		output_json(object);
		json_decref(object);
	}
	return worst;
}

/* The files of /proc are those of the namespace that we are in. */
static bool enter(const char *netns)
{
	char path[512];
	int fd;
	bool done;

	if (!netns)
		return true;
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	done = fd >= 0 && setns(fd, CLONE_NEWNET) == 0;
	if (fd >= 0)
		close(fd);
	return done;
}

int cmd_doctor(const struct cli *cli, int argc, const char **argv)
{
	struct answers a = {.findings = json_array(), .groups = json_array()};
	struct patient patient = {.findings = json_array(), .groups = a.groups, .only = argv + 1};
	int r = ask(cli, argc, argv, &a), worst;
	char start[320];

	patient.status = a.status;
	patient.interfaces = json_object_get(a.interfaces, "interfaces");
	doctor_host(&patient);
	size_t of_host = json_array_size(patient.findings);
	if (r == CLI_UNREACHABLE)
		finding_add(&patient, "daemon", NULL, LEVEL_PROBLEM, "xmcastd does not answer",
			    client_start(cli, start, sizeof(start)));
	if (r == CLI_DONE && !enter(cli->netns))
		finding_add(&patient, "namespace", cli->netns, LEVEL_WARNING,
			    "not allowed to enter the network namespace: its sockets and settings "
			    "were not looked at",
			    "sudo xmcastctl doctor");
	else if (r == CLI_DONE)
		doctor_local(&patient);
	json_array_extend(patient.findings, a.findings);
	if (r == CLI_DONE)
		remedies_in_netns(patient.findings, of_host, cli);
	worst = tell(cli, patient.findings);
	json_decref(patient.findings);
	json_decref(a.findings);
	json_decref(a.groups);
	json_decref(a.interfaces);
	json_decref(a.status);
	return r == CLI_DONE || r == CLI_UNREACHABLE ? worst : r;
}
