/* SPDX-License-Identifier: GPL-2.0-or-later */
/* save: the runtime groups and wishes as a file of the configuration; whole or not at all. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/output.h"
#include "cli/words.h"

struct saving {
	FILE *out;
	size_t groups;
};

static int take_names(const json_t *array, struct names *names)
{
	size_t i;
	json_t *item;
	int r = 0;

	json_array_foreach((json_t *)array, i, item)
	{
		if (r == 0)
			r = names_add(names, json_string_value(item));
	}
	return r;
}

static int to_group(const json_t *object, struct group *group)
{
	const char *source = json_string_value(json_object_get(object, "source"));
	const char *vlan = json_string_value(json_object_get(object, "vlan"));
	const char *why;
	int r = prefix_parse(output_string(object, "address"), &group->key.address, &why);

	if (r == 0 && source)
		r = prefix_parse(source, &group->key.source, &why);
	if (r == 0 && vlan)
		r = vlan_parse(vlan, &group->key.vlan, &why);
	if (r == 0)
		r = take_names(json_object_get(object, "to"), &group->to);
	if (r == 0)
		r = take_names(json_object_get(object, "exclude"), &group->exclude);
	snprintf(group->key.from, sizeof(group->key.from), "%s", output_string(object, "from"));
	return r;
}

static int write_groups(const json_t *parameters, bool continues, void *data)
{
	struct saving *saving = data;
	size_t i;
	json_t *object;

	(void)continues;
	json_array_foreach(json_object_get(parameters, "groups"), i, object)
	{
		struct group group = {};
		int r = to_group(object, &group);

		if (r == 0)
			r = config_write_group(saving->out, &group);
		names_free(&group.to);
		names_free(&group.exclude);
		if (r < 0)
			return cli_fail(CLI_REFUSED, "cannot write group %s: %s",
					output_string(object, "address"), strerror(-r));
		saving->groups++;
	}
	return CLI_DONE;
}

static int to_wish(const json_t *object, struct interface_wish *wish)
{
	int r = mode_parse(output_string(object, "mode"), &wish->mode);

	if (r == 0)
		r = take_names(json_object_get(object, "exclude"), &wish->exclude);
	wish->detached = json_is_true(json_object_get(object, "detached"));
	snprintf(wish->name, sizeof(wish->name), "%s", output_string(object, "interface"));
	return r;
}

static int write_wishes(const json_t *parameters, bool continues, void *data)
{
	struct saving *saving = data;
	size_t i;
	json_t *object;

	(void)continues;
	json_array_foreach(json_object_get(parameters, "interfaces"), i, object)
	{
		struct interface_wish wish = {};
		int r = to_wish(object, &wish);

		if (r == 0)
			r = config_write_interface(saving->out, &wish);
		names_free(&wish.exclude);
		if (r < 0)
			return cli_fail(CLI_REFUSED, "cannot write interface %s: %s",
					output_string(object, "interface"), strerror(-r));
	}
	return CLI_DONE;
}

static int write_all(const struct cli *cli, struct saving *saving)
{
	struct client client;
	int r = client_open(&client, cli);

	if (r != CLI_DONE)
		return r;
	fprintf(saving->out, "# Written by xmcastctl save.\n");
	r = client_call(&client, "ListWishes", json_object(), false, write_wishes, saving);
	if (r == CLI_DONE)
		r = client_call(&client, "ListGroups", json_pack("{s:s}", "origin", "runtime"),
				true, write_groups, saving);
	client_close(&client);
	return r;
}

/* Makes what was renamed in `directory` last. */
static int sync_directory(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 || fsync(fd) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return r;
}

static int cannot(const char *what, const char *path)
{
	bool denied = errno == EACCES;

	return cli_fail(denied ? CLI_NOT_PERMITTED : CLI_REFUSED, "cannot %s %s: %s%s", what, path,
			strerror(errno),
			denied ? ": run it with sudo, or give another place with --dir" : "");
}

/* Writes to a temporary file beside `path`, then renames it. */
static int save_to(const struct cli *cli, const char *directory, const char *path,
		   struct saving *saving)
{
	char temporary[PATH_MAX];
	int fd, r;

	if (snprintf(temporary, sizeof(temporary), "%s/.save.XXXXXX", directory) >= PATH_MAX)
		return cli_fail(CLI_USAGE, "the path %s is too long", directory);
	fd = mkostemp(temporary, O_CLOEXEC);
	saving->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!saving->out)
		return cannot("write in", directory);
	r = write_all(cli, saving);
	if (r == CLI_DONE && (fchmod(fd, 0644) < 0 || fflush(saving->out) != 0 || fsync(fd) < 0))
		r = cli_fail(CLI_REFUSED, "cannot write %s: %s", temporary, strerror(errno));
	fclose(saving->out);
	if (r == CLI_DONE && (rename(temporary, path) < 0 || sync_directory(directory) < 0))
		r = cli_fail(CLI_REFUSED, "cannot write %s: %s", path, strerror(errno));
	if (r != CLI_DONE)
		unlink(temporary);
	return r;
}

static bool is_file_name(const char *name)
{
	for (const char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			return false;
	}
	return *name && *name != '.' && strlen(name) < 128;
}

static int save(const struct cli *cli, const char *name, const char *directory)
{
	struct saving saving = {};
	char path[PATH_MAX];
	int r;

	if (!is_file_name(name))
		return verb_usage("save", "NAME may have letters, digits, '.', '_' and '-' only");
	if (snprintf(path, sizeof(path), "%s/%s.conf", directory, name) >= PATH_MAX)
		return cli_fail(CLI_USAGE, "the path %s is too long", directory);
	r = save_to(cli, directory, path, &saving);
	if (r != CLI_DONE)
		return r;
	if (cli->json)
		printf("{\"file\":\"%s\",\"groups\":%zu}\n", path, saving.groups);
	else
		printf("%zu %s in %s\n", saving.groups, saving.groups == 1 ? "group" : "groups",
		       path);
	return CLI_DONE;
}

static int make_directory(const char *path)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return cannot("make", path);
	return CLI_DONE;
}

/* conf.d beside the daemon's configuration file, which is what it will read. Both directories may
 * not have been needed before. */
static int take_directory(const json_t *status, bool continues, void *data)
{
	const char *file = output_string(status, "config_file");
	const char *slash = strrchr(file, '/');
	char **directory = data;
	int r = CLI_DONE;

	(void)continues;
	*directory = slash && slash > file ? strndup(file, slash - file) : strdup(".");
	if (*directory)
		r = make_directory(*directory);
	free(*directory);
	if (asprintf(directory, "%.*sconf.d", slash ? (int)(slash - file + 1) : 0, file) < 0) {
		*directory = NULL;
		return cli_fail(CLI_REFUSED, "out of memory");
	}
	return r == CLI_DONE ? make_directory(*directory) : r;
}

/* `directory`: allocated. */
static int default_directory(const struct cli *cli, char **directory)
{
	struct client client;
	int r = client_open(&client, cli);

	if (r != CLI_DONE)
		return r;
	r = client_call(&client, "Status", json_object(), false, take_directory, directory);
	client_close(&client);
	return r;
}

int cmd_save(const struct cli *cli, int argc, const char **argv)
{
	char *directory = NULL;
	const struct poptOption options[] = {
	    {"dir", 0, POPT_ARG_STRING, &directory, 0, NULL, NULL},
	    POPT_TABLEEND,
	};
	char *name;
	int r = verb_options(argc, argv, options, &name, 1);

	if (r == CLI_DONE && !directory)
		r = default_directory(cli, &directory);
	if (r == CLI_DONE)
		r = save(cli, name ? name : "saved", directory);
	free(name);
	free(directory);
	return r;
}
