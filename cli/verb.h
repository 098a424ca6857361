/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A verb is one entry in verbs[] and one function, cmd_VERB(), in the file of its noun. */
#ifndef XM_CLI_VERB_H
#define XM_CLI_VERB_H

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>

/* What xmcastctl exits with. */
enum cli_exit {
	CLI_DONE = 0,
	CLI_REFUSED = 1,
	CLI_USAGE = 2,
	CLI_UNREACHABLE = 3,
	CLI_NOT_PERMITTED = 4,
};

/* Options that stand before or behind any verb. */
struct cli {
	const char *socket; /* path */
	const char *netns;  /* name of --netns, or NULL */
	bool json;	    /* print the reply itself */
};

struct verb {
	const char *name;
	const char *arguments; /* behind the name, for help */
	const char *summary;   /* one line */
	const char *details;   /* more lines for `VERB --help`, each ends with a newline; or NULL */
	const char *examples[2];
	/* argv[0] is the verb, argv[argc] NULL; global options are taken out. An enum cli_exit. */
	int (*run)(const struct cli *cli, int argc, const char **argv);
};

extern const struct verb verbs[]; /* ends with name NULL */

/* The verb of this name or unique prefix; NULL after telling what was meant perhaps. */
const struct verb *verb_find(const char *name);
void verb_help(const struct verb *verb);
void verb_help_all(void);
/* Prints "xmcastctl VERB: ..." and the usage line to stderr; returns CLI_USAGE. */
int verb_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Takes the options behind a verb, argv[0], and up to `count` words beside them: each of words[]
 * becomes NULL or the caller's to free. CLI_DONE, or CLI_USAGE after the error was printed.
 */
int verb_options(int argc, const char **argv, const struct poptOption *options, char **words,
		 size_t count);
/* Prints "xmcastctl: ..." to stderr; returns `code`. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

int cmd_add_group(const struct cli *cli, int argc, const char **argv); /* group.c */
int cmd_del_group(const struct cli *cli, int argc, const char **argv);
int cmd_list_groups(const struct cli *cli, int argc, const char **argv);
int cmd_add_egress(const struct cli *cli, int argc, const char **argv); /* egress.c */
int cmd_del_egress(const struct cli *cli, int argc, const char **argv);
int cmd_add_exclude(const struct cli *cli, int argc, const char **argv);
int cmd_del_exclude(const struct cli *cli, int argc, const char **argv);
int cmd_list_interfaces(const struct cli *cli, int argc, const char **argv); /* interface.c */
int cmd_attach(const struct cli *cli, int argc, const char **argv);
int cmd_detach(const struct cli *cli, int argc, const char **argv);
int cmd_reattach(const struct cli *cli, int argc, const char **argv);
int cmd_doctor(const struct cli *cli, int argc, const char **argv);  /* doctor.c */
int cmd_explain(const struct cli *cli, int argc, const char **argv); /* frame.c */
int cmd_trace(const struct cli *cli, int argc, const char **argv);
int cmd_top(const struct cli *cli, int argc, const char **argv);     /* top.c */
int cmd_metrics(const struct cli *cli, int argc, const char **argv); /* metrics.c */
int cmd_stats(const struct cli *cli, int argc, const char **argv);   /* stats.c */
int cmd_monitor(const struct cli *cli, int argc, const char **argv); /* monitor.c */
int cmd_status(const struct cli *cli, int argc, const char **argv);  /* status.c */
int cmd_reload(const struct cli *cli, int argc, const char **argv);
int cmd_apply(const struct cli *cli, int argc, const char **argv); /* apply.c */
int cmd_save(const struct cli *cli, int argc, const char **argv);  /* save.c */
int cmd_bench(const struct cli *cli, int argc, const char **argv); /* bench.c */

#endif
