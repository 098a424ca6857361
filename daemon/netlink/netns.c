/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/netlink/netns.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bounds of one search: names and processes looked at, different namespaces asked for. */
#define CANDIDATES_MAX 65536
#define NAMESPACES_MAX 4096

struct search {
	struct route *route;
	int nsid;
	unsigned int candidates;
	ino_t *seen; /* namespaces asked for already */
	size_t seen_count;
	int found;	/* descriptor; -1 not yet */
	char path[512]; /* of it */
};

/* True the first time: most processes share their namespace with others. */
static bool is_new(struct search *search, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || search->seen_count == NAMESPACES_MAX)
		return false;
	for (size_t i = 0; i < search->seen_count; i++)
		if (search->seen[i] == st.st_ino)
			return false;
	search->seen[search->seen_count++] = st.st_ino;
	return true;
}

static void try_path(struct search *search, const char *path)
{
	int fd, nsid;

	search->candidates++;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* whatever stands there */
	if (fd < 0)
		return;
	if (is_new(search, fd) && !route_nsid(search->route, fd, &nsid) && nsid == search->nsid)
		snprintf(search->path, sizeof(search->path), "%s", path), search->found = fd;
	else
		close(fd);
}

/* Tries DIRECTORY/NAME/SUFFIX for every name; only numbers when `numbers`. */
static void try_directory(struct search *search, const char *directory, const char *suffix,
			  bool numbers)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	char path[512];

	while (dir && search->found < 0 && search->candidates < CANDIDATES_MAX &&
	       (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || (numbers && !isdigit(entry->d_name[0])))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", directory, entry->d_name, suffix);
		try_path(search, path);
	}
	if (dir)
		closedir(dir);
}

int netns_find_path(struct route *route, int nsid, char *path, size_t size)
{
	struct search search = {.route = route, .nsid = nsid, .found = -1};

	search.seen = malloc(NAMESPACES_MAX * sizeof(*search.seen));
	if (!search.seen)
		return -ENOMEM;
	try_directory(&search, "/run/netns", "", false);	/* iproute2, podman, CNI */
	try_directory(&search, "/run/docker/netns", "", false); /* Docker */
	try_directory(&search, "/proc", "/ns/net", true);
	free(search.seen);
	snprintf(path, size, "%s", search.path);
	return search.found >= 0 ? search.found : -EXDEV;
}

int netns_find(struct route *route, int nsid)
{
	char path[512];

	return netns_find_path(route, nsid, path, sizeof(path));
}

struct visit {
	int fd, result;
	struct ethtool *out;
};

static void *visit(void *data)
{
	struct visit *visit = data;

	if (setns(visit->fd, CLONE_NEWNET))
		visit->result = -errno;
	else
		visit->result = ethtool_open(visit->out);
	return NULL;
}

int netns_ethtool_open(int fd, struct ethtool *out)
{
	struct visit visiting = {.fd = fd, .out = out};
	pthread_t thread;
	int r;

	*out = (struct ethtool){0};
	/* setns() moves one thread only, and the sockets it makes stay in that namespace. */
	r = pthread_create(&thread, NULL, visit, &visiting);
	if (r)
		return -r;
	pthread_join(thread, NULL);
	return visiting.result;
}
