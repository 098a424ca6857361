// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPUs there may be. A program finds its row of counters by the CPU's id, not by its rank. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/dataplane/internal.h"

/* "3" or "3-5", adding what is new to ids; how many characters, 0: it is neither. */
static int read_range(const char *text, int *ids, int *count, int room)
{
	int low, high, used = 0;

	if (!isdigit(*text) || sscanf(text, "%5d%n", &low, &used) != 1)
		return 0;
	high = low;
	if (text[used] == '-') {
		int more = 0;
		if (!isdigit(text[used + 1]) || sscanf(text + used + 1, "%5d%n", &high, &more) != 1)
			return 0;
		used += 1 + more;
	}
	if (high < low)
		return 0;
	for (; low <= high && *count < room; low++)
		ids[(*count)++] = low;
	return low > high ? used : 0;
}

int cpus_parse(const char *mask, int *ids, int room)
{
	int count = 0;

	for (;;) {
		int used = read_range(mask, ids, &count, room);
		if (!used)
			return -EINVAL;
		mask += used;
		if (*mask != ',')
			break;
		mask++;
	}
	return !*mask || *mask == '\n' ? count : -EINVAL;
}

int cpus_possible(int *ids, int room)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	FILE *file = fopen(CPUS_POSSIBLE, "re");

	if (!file)
		return -errno;
	bool read = getline(&line, &size, file) > 0;
	fclose(file);
	return read ? cpus_parse(line, ids, room) : -EIO;
}
