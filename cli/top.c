/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A live view: in place on a terminal (curses), as plain text elsewhere. */
#include <curses.h>
#include <popt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/output.h"
#include "cli/top_rows.h"

#define INTERVAL 2.0 /* s */
#define KEYS	 "q quit  f frames  c copies  b bytes  d dropped  n name"

struct top {
	const struct cli *cli;
	enum top_sort sort;
	double interval;
	int count; /* views; 0: until interrupted */
	struct top_sample before, now;
};

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static int take_groups(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	return top_add_groups(data, json_object_get(parameters, "groups")) ? CLI_REFUSED : CLI_DONE;
}

static int take_interfaces(const json_t *parameters, bool continues, void *data)
{
	(void)continues;
	return top_add_interfaces(data, json_object_get(parameters, "interfaces")) ? CLI_REFUSED
										   : CLI_DONE;
}

static int read_sample(struct client *client, struct top_sample *sample)
{
	int r;

	*sample = (struct top_sample){.when = now_seconds()};
	r = client_call(client, "ListGroups", json_object(), true, take_groups, sample);
	if (r == CLI_DONE)
		r = client_call(client, "ListInterfaces", json_object(), false, take_interfaces,
				sample);
	return r;
}

/* "1234", "56.7k", "8.90M": five characters at most. */
static const char *rate_text(double rate, char text[static 16])
{
	static const char *const units[] = {"", "k", "M", "G", "T"};
	size_t unit = 0;

	while (rate >= 9999.5 && unit < 4) {
		rate /= 1000;
		unit++;
	}
	snprintf(text, 16, "%.*f%s",
		 unit == 0    ? 0
		 : rate < 10  ? 2
		 : rate < 100 ? 1
			      : 0,
		 rate, units[unit]);
	return text;
}

/* 80 columns: 35 for the name, 16 for "interfaces-limit". */
static void format(const struct top_row *row, char line[static 128])
{
	char frames[16], copies[16], last[16];

	snprintf(
	    line, 128, "%-35.35s %-16.16s %8s %8s %8s", row->name, row->state,
	    rate_text(row->value[TOP_FRAMES], frames), rate_text(row->value[TOP_COPIES], copies),
	    rate_text(row->is_group ? row->value[TOP_BYTES] * 8 : row->value[TOP_DROPPED], last));
}

static void heading(bool groups, char line[static 128])
{
	snprintf(line, 128, "%-35s %-16s %8s %8s %8s", groups ? "GROUP" : "INTERFACE", "STATE",
		 groups ? "FRAMES/s" : "RX/s", groups ? "COPIES/s" : "TX/s",
		 groups ? "BIT/s" : "DROP/s");
}

typedef void (*print_line)(const char *line, bool bold);

static void print_plain(const char *line, bool bold)
{
	(void)bold;
	printf("%s\n", line);
}

static void print_curses(const char *line, bool bold)
{
	if (bold)
		attron(A_BOLD);
	addnstr(line, COLS - 1);
	addch('\n');
	if (bold)
		attroff(A_BOLD);
}

/* Groups, then interfaces; each with a heading. `lines`: at most so many, half of them groups. */
static void show(const struct top *top, print_line print, size_t lines)
{
	size_t groups = 0, shown = 0;
	char line[128];

	while (groups < top->now.count && top->now.rows[groups].is_group)
		groups++;
	size_t interfaces = top->now.count - groups, room = lines > 3 ? lines - 3 : 0;
	size_t of_groups = groups;
	if (groups + interfaces > room)
		of_groups = interfaces < room / 2 ? room - interfaces
			    : groups < room / 2	  ? groups
						  : room / 2;
	heading(true, line);
	print(line, true);
	for (size_t i = 0; i < of_groups && i < groups; i++, shown++) {
		format(&top->now.rows[i], line);
		print(line, false);
	}
	print("", false);
	heading(false, line);
	print(line, true);
	for (size_t i = groups; i < top->now.count && shown < room; i++, shown++) {
		format(&top->now.rows[i], line);
		print(line, false);
	}
}

static bool take_key(struct top *top, int key)
{
	static const char keys[] = "fcbdn"; /* by enum top_sort */
	const char *found = key > 0 && key < 128 ? strchr(keys, key) : NULL;

	if (found && *found)
		top->sort = found - keys;
	return key == 'q';
}

/* Waits for the interval or a key; true: it is over. */
static bool pause_curses(struct top *top)
{
	double until = now_seconds() + top->interval;

	for (double left = top->interval; left > 0; left = until - now_seconds()) {
		timeout((int)(left * 1000) + 1);
		int key = getch();
		if (key == ERR)
			return false;
		if (take_key(top, key))
			return true;
		if (key != KEY_RESIZE)
			return false; /* sorted anew at once */
	}
	return false;
}

static bool pause_plain(struct top *top)
{
	struct timespec time = {.tv_sec = (time_t)top->interval,
				.tv_nsec = (top->interval - (time_t)top->interval) * 1e9};

	return nanosleep(&time, NULL) != 0;
}

static void view(struct top *top, bool terminal)
{
	char title[128];

	top_rates(&top->before, &top->now, top->sort);
	if (!terminal) {
		show(top, print_plain, SIZE_MAX);
		return;
	}
	erase();
	snprintf(title, sizeof(title), "xmcast, rates of %.1f s, by %s    " KEYS,
		 top->now.when - top->before.when, top_sort_names[top->sort]);
	print_curses(title, false);
	show(top, print_curses, LINES - 1);
	refresh();
}

static int loop(struct top *top, struct client *client, bool terminal)
{
	int r = read_sample(client, &top->before);

	for (int views = 0; r == CLI_DONE && (!top->count || views < top->count); views++) {
		struct top_sample raw = {};
		if (terminal ? pause_curses(top) : pause_plain(top))
			break;
		r = read_sample(client, &raw);
		if (r != CLI_DONE)
			break;
		top->now = (struct top_sample){.when = raw.when, .count = raw.count};
		top->now.rows = malloc(raw.count * sizeof(*raw.rows) + 1);
		if (!top->now.rows)
			return CLI_REFUSED;
		if (raw.count)
			memcpy(top->now.rows, raw.rows, raw.count * sizeof(*raw.rows));
		view(top, terminal);
		top_free(&top->before);
		top_free(&top->now);
		top->before = raw;
	}
	top_free(&top->before);
	return r;
}

static int run(struct top *top)
{
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && getenv("TERM");
	struct client client;
	int r = client_open(&client, top->cli);

	if (r != CLI_DONE)
		return r;
	if (!terminal && !top->count)
		top->count = 1;
	if (terminal) {
		initscr();
		cbreak();
		noecho();
		curs_set(0);
		keypad(stdscr, TRUE);
	}
	r = loop(top, &client, terminal);
	if (terminal)
		endwin();
	client_close(&client);
	return r;
}

/* NULL leaves it as it is. */
static int set_sort(const char *name, enum top_sort *out)
{
	for (int i = 0; name && i < TOP_SORTS; i++) {
		if (strcmp(name, top_sort_names[i]))
			continue;
		*out = i;
		return 0;
	}
	return name ? -1 : 0;
}

int cmd_top(const struct cli *cli, int argc, const char **argv)
{
	struct top top = {.cli = cli, .sort = TOP_FRAMES, .interval = INTERVAL};
	char *sort = NULL;
	const struct poptOption options[] = {
	    {"sort", 0, POPT_ARG_STRING, &sort, 0, NULL, NULL},
	    {"interval", 0, POPT_ARG_DOUBLE, &top.interval, 0, NULL, NULL},
	    {"count", 0, POPT_ARG_INT, &top.count, 0, NULL, NULL},
	    POPT_TABLEEND,
	};
	int r = verb_options(argc, argv, options, NULL, 0);

	if (r == CLI_DONE && cli->json)
		r = cli_fail(CLI_USAGE, "top has no --json: see xmcastctl --json list-groups and "
					"list-interfaces");
	else if (r == CLI_DONE && set_sort(sort, &top.sort) < 0)
		r = verb_usage(argv[0], "--sort takes frames, copies, bytes, dropped or name");
	else if (r == CLI_DONE && !(top.interval >= 0.1 && top.interval <= 3600 && top.count >= 0))
		r = verb_usage(argv[0], "--interval takes 0.1 to 3600 seconds, --count 0 or more");
	if (r == CLI_DONE)
		r = run(&top);
	free(sort);
	return r;
}
