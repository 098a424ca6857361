/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/top_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

const char *const top_sort_names[TOP_SORTS] = {"frames", "copies", "bytes", "dropped", "name"};

static struct top_row *add(struct top_sample *sample)
{
	struct top_row *grown = sample->rows;

	if (!(sample->count & (sample->count - 1))) /* full at every power of two */
		grown = reallocarray(sample->rows, sample->count ? 2 * sample->count : 1,
				     sizeof(*grown));
	if (!grown)
		return NULL;
	sample->rows = grown;
	memset(&grown[sample->count], 0, sizeof(*grown));
	return &grown[sample->count++];
}

static double number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void name_group(const json_t *group, char *name, size_t size)
{
	const char *source = output_string(group, "source"), *vlan = output_string(group, "vlan");

	snprintf(name, size, "%s%s%s%s%s from %s", output_string(group, "address"),
		 *source ? " source " : "", source, *vlan ? " vlan " : "", vlan,
		 output_string(group, "from"));
}

/* A row for each of a list. */
static int add_all(struct top_sample *sample, const json_t *list,
		   void (*fill)(struct top_row *row, const json_t *one))
{
	size_t i;
	json_t *one;

	json_array_foreach((json_t *)list, i, one)
	{
		struct top_row *row = add(sample);
		if (!row)
			return -ENOMEM;
		fill(row, one);
	}
	return 0;
}

static void fill_group(struct top_row *row, const json_t *group)
{
	row->is_group = true;
	name_group(group, row->name, sizeof(row->name));
	snprintf(row->state, sizeof(row->state), "%s", output_string(group, "state"));
	row->value[TOP_FRAMES] = number(group, "frames");
	row->value[TOP_COPIES] = number(group, "copies");
	row->value[TOP_BYTES] = number(group, "bytes");
}

int top_add_groups(struct top_sample *sample, const json_t *groups)
{
	return add_all(sample, groups, fill_group);
}

static double sum(const json_t *counts)
{
	double all = 0;
	const char *key;
	json_t *count;

	json_object_foreach((json_t *)counts, key, count) all += json_integer_value(count);
	return all;
}

static void fill_interface(struct top_row *row, const json_t *interface)
{
	snprintf(row->name, sizeof(row->name), "%s", output_string(interface, "interface"));
	snprintf(row->state, sizeof(row->state), "%s",
		 json_is_true(json_object_get(interface, "ready"))
		     ? "ready"
		     : output_string_or(interface, "reason", "not ready"));
	row->value[TOP_FRAMES] = number(interface, "received");
	row->value[TOP_COPIES] = number(interface, "transmitted");
	row->value[TOP_DROPPED] = sum(json_object_get(interface, "dropped"));
}

int top_add_interfaces(struct top_sample *sample, const json_t *interfaces)
{
	return add_all(sample, interfaces, fill_interface);
}

void top_free(struct top_sample *sample)
{
	free(sample->rows);
	*sample = (struct top_sample){};
}

static int by_name(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;

	if (x->is_group != y->is_group)
		return x->is_group ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_value(const void *a, const void *b, void *which)
{
	const struct top_row *x = a, *y = b;
	double left = x->value[*(enum top_sort *)which], right = y->value[*(enum top_sort *)which];

	if (x->is_group != y->is_group || left == right)
		return by_name(a, b);
	return left > right ? -1 : 1;
}

static void rate(struct top_row *row, const struct top_row *before, double seconds)
{
	for (int i = 0; i < TOP_NAME; i++) {
		double moved = before ? row->value[i] - before->value[i] : 0;
		row->value[i] = moved > 0 && seconds > 0 ? moved / seconds : 0;
	}
}

void top_rates(const struct top_sample *before, struct top_sample *now, enum top_sort sort)
{
	if (before->count)
		qsort(before->rows, before->count, sizeof(*before->rows), by_name);
	for (size_t i = 0; i < now->count; i++)
		rate(&now->rows[i],
		     before->count ? bsearch(&now->rows[i], before->rows, before->count,
					     sizeof(*before->rows), by_name)
				   : NULL,
		     now->when - before->when);
	if (!now->count)
		return;
	if (sort == TOP_NAME)
		qsort(now->rows, now->count, sizeof(*now->rows), by_name);
	else
		qsort_r(now->rows, now->count, sizeof(*now->rows), by_value, &sort);
}
