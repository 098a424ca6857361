// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/options.h"

#define CONFIG_DIR	    "/etc/xmcast"
#define CONFIG_FILE	    "/xmcastd.conf"
#define DEFAULT_RUNTIME_DIR "/run/xmcast"
#define DEFAULT_BPFFS	    "/sys/fs/bpf/xmcast"

void options_free(struct options *o)
{
	free(o->config);
	free(o->runtime_dir);
	free(o->bpffs);
	free(o->netns);
	*o = (struct options){0};
}

/* DIR[/NETNS]FILE, allocated; NULL: no memory. A namespace that is given as a path has no name. */
static char *default_path(const char *dir, const char *netns, const char *file)
{
	bool named = netns && !strchr(netns, '/');
	char *path;

	return asprintf(&path, "%s%s%s%s", dir, named ? "/" : "", named ? netns : "", file) < 0
		   ? NULL
		   : path;
}

static int fill_defaults(struct options *o)
{
	o->config_named = o->config;
	if (!o->config)
		o->config = default_path(CONFIG_DIR, o->netns, CONFIG_FILE);
	if (!o->bpffs)
		o->bpffs = strdup(DEFAULT_BPFFS);
	if (!o->runtime_dir)
		o->runtime_dir = default_path(DEFAULT_RUNTIME_DIR, o->netns, "");
	return o->config && o->bpffs && o->runtime_dir ? 0 : -ENOMEM;
}

int options_parse(int argc, const char **argv, struct options *out)
{
	struct options o = {0};
	int check = 0, purge = 0, verbose = 0, version = 0;
	const struct poptOption table[] = {
	    {"config", 'c', POPT_ARG_STRING, &o.config, 0,
	     "configuration and conf.d beside it, default " CONFIG_DIR "[/NETNS]" CONFIG_FILE,
	     "FILE"},
	    {"runtime-dir", 0, POPT_ARG_STRING, &o.runtime_dir, 0,
	     "socket, lock and state, default " DEFAULT_RUNTIME_DIR "[/NETNS]", "DIR"},
	    {"bpffs", 0, POPT_ARG_STRING, &o.bpffs, 0,
	     "where to pin, or none, default " DEFAULT_BPFFS, "DIR"},
	    {"netns", 0, POPT_ARG_STRING, &o.netns, 0, "network namespace to work in", "NAME|PATH"},
	    {"check", 0, POPT_ARG_NONE, &check, 0, "check the configuration and exit", NULL},
	    {"purge", 0, POPT_ARG_NONE, &purge, 0,
	     "detach and unpin everything, forget the runtime groups, and exit", NULL},
	    {"verbose", 'v', POPT_ARG_NONE, &verbose, 0, "log every event", NULL},
	    {"version", 0, POPT_ARG_NONE, &version, 0, "print the version", NULL},
	    POPT_AUTOHELP POPT_TABLEEND};
	poptContext context = poptGetContext("xmcastd", argc, argv, table, 0);
	int error = 0, got = poptGetNextOpt(context);

	if (got < -1) {
		fprintf(stderr, "xmcastd: %s: %s; see xmcastd --help\n",
			poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(got));
		error = -EINVAL;
	} else if (poptPeekArg(context)) {
		fprintf(stderr, "xmcastd: unexpected argument %s; see xmcastd --help\n",
			poptPeekArg(context));
		error = -EINVAL;
	}
	poptFreeContext(context);
	o.check = check, o.purge = purge, o.verbose = verbose;
	if (!error)
		error = fill_defaults(&o);
	if (!error && version) {
		puts("xmcastd " XM_VERSION);
		error = 1;
	}
	if (error)
		options_free(&o);
	else
		*out = o;
	return error;
}
