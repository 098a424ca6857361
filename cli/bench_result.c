// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/bench_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

/* Every row must be one that the rest can rely on. 0, or -1 with `error`. */
static int check_rows(const json_t *rows, bool lpm, char error[static BENCH_ERROR_MAX])
{
	static const char *const states[] = {"ok", "invalid", "empty"};
	json_t *row, *sample;
	size_t i, k;

	json_array_foreach((json_t *)rows, i, row)
	{
		const char *state = output_string(row, "state");
		bool good = *output_string(row, lpm ? "op" : "program") &&
			    json_is_array(json_object_get(row, "samples"));

		for (k = 0; k < 3 && strcmp(state, states[k]); k++) {
		}
		good = good && k < 3;
		json_array_foreach(json_object_get(row, "samples"), k, sample) good =
		    good && (json_number_value(sample) > 0 || json_is_null(sample));
		if (!good) {
			snprintf(error, BENCH_ERROR_MAX, "it is damaged: row %zu is not one",
				 i + 1);
			return -1;
		}
	}
	return 0;
}

int bench_check(const json_t *result, enum bench_kind *kind, char error[static BENCH_ERROR_MAX])
{
	const char *name = output_string(result, "kind");
	json_int_t version = json_integer_value(json_object_get(result, "version"));
	bool lpm = !strcmp(name, "lpm-trie");
	const json_t *rows = json_object_get(result, lpm ? "results" : "cells");

	if (!*name || !version) {
		snprintf(error, BENCH_ERROR_MAX, "this is not a result of xmcastctl bench");
		return -1;
	}
	if (version != BENCH_VERSION) {
		snprintf(error, BENCH_ERROR_MAX,
			 "its version is %lld, this xmcastctl reads %d: use the one that wrote it",
			 (long long)version, BENCH_VERSION);
		return -1;
	}
	if (!lpm && strcmp(name, "throughput")) {
		snprintf(error, BENCH_ERROR_MAX, "it is damaged: no result is of kind '%.40s'",
			 name);
		return -1;
	}
	if (!json_is_array(rows)) {
		snprintf(error, BENCH_ERROR_MAX, "it is damaged: it has no %s",
			 lpm ? "results" : "cells");
		return -1;
	}
	*kind = lpm ? BENCH_LPM : BENCH_THROUGHPUT;
	return check_rows(rows, lpm, error);
}

/* Control characters would command a terminal; a line's end may stand in a reason. */
static bool is_printable(const json_t *value)
{
	const char *key, *text = json_string_value(value);
	json_t *inner;
	size_t i;

	for (; text && *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\n' && *text != '\t') || *text == 127)
			return false;
	if (json_is_array(value))
		json_array_foreach((json_t *)value, i,
				   inner) if (!is_printable(inner)) return false;
	if (json_is_object(value))
		json_object_foreach((json_t *)value, key,
				    inner) if (!is_printable(inner)) return false;
	return true;
}

/* The names of a row become words of gnuplot's language and cells of CSV. */
static bool is_plain(const json_t *row)
{
	static const char *const keys[] = {"program", "topology", "mode", "op", "source", "state"};
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    " +-./:<>@_";

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *text = output_string(row, keys[i]);

		if (text[strspn(text, plain)])
			return false;
	}
	return true;
}

/* 0, or -1 with one line in `error`: nobody knows who wrote a file. */
static int check_texts(const json_t *result, char error[static BENCH_ERROR_MAX])
{
	json_t *row;
	size_t i;

	if (!is_printable(result)) {
		snprintf(error, BENCH_ERROR_MAX, "it holds control characters: it is damaged");
		return -1;
	}
	json_array_foreach(bench_rows(result), i, row)
	{
		if (is_plain(row))
			continue;
		snprintf(error, BENCH_ERROR_MAX,
			 "a name in row %zu holds more than letters, digits and +-./:<>@_: it is "
			 "damaged",
			 i + 1);
		return -1;
	}
	return 0;
}

json_t *bench_load(const char *path, char error[static BENCH_ERROR_MAX])
{
	enum bench_kind kind;
	json_error_t where;
	json_t *result = json_load_file(path, JSON_REJECT_DUPLICATES, &where);

	if (!result && where.line < 0) {
		snprintf(error, BENCH_ERROR_MAX, "%.200s", where.text);
		return NULL;
	}
	if (!result) {
		snprintf(error, BENCH_ERROR_MAX,
			 "this is not a result of xmcastctl bench, or damaged: line %d: %.150s",
			 where.line, where.text);
		for (char *c = error; *c; c++) /* it quotes the file */
			if ((unsigned char)*c < ' ' || *c == 127)
				*c = '?';
		return NULL;
	}
	if (bench_check(result, &kind, error) || check_texts(result, error)) {
		json_decref(result);
		return NULL;
	}
	return result;
}

json_t *bench_rows(const json_t *result)
{
	json_t *rows = json_object_get(result, "cells");

	return rows ? rows : json_object_get(result, "results");
}

void bench_row_name(const json_t *row, char name[static BENCH_ROW_MAX])
{
	if (json_object_get(row, "program"))
		snprintf(name, BENCH_ROW_MAX, "%s/%s/%s", output_string(row, "program"),
			 output_string(row, "topology"), output_string(row, "mode"));
	else
		snprintf(name, BENCH_ROW_MAX, "lpm-trie-%s/%lld/%lld/%lld",
			 output_string(row, "op"),
			 (long long)json_integer_value(json_object_get(row, "nr_entries")),
			 (long long)json_integer_value(json_object_get(row, "prefix_len")),
			 (long long)json_integer_value(json_object_get(row, "producers")));
}

json_t *bench_row(const json_t *result, const char *name, char error[static BENCH_ERROR_MAX])
{
	size_t i, len = strlen(name), count = 0;
	char candidate[BENCH_ROW_MAX], list[160] = "";
	json_t *row, *found = NULL;

	json_array_foreach(bench_rows(result), i, row)
	{
		bench_row_name(row, candidate);
		if (!strcmp(candidate, name))
			return row;
		if (strncmp(candidate, name, len) || candidate[len] != '/')
			continue;
		found = row;
		if (count++ < 3 && strlen(list) + strlen(candidate) + 2 < sizeof(list))
			strcat(strcat(list, " "), candidate);
	}
	if (count == 1)
		return found;
	if (count)
		snprintf(error, BENCH_ERROR_MAX, "row %.60s can be%s%s", name, list,
			 count > 3 ? ", ..: write more of it" : ": write more of it");
	else
		snprintf(error, BENCH_ERROR_MAX,
			 "there is no row %.100s: rows are PROGRAM/TOPOLOGY/MODE, as bench show "
			 "prints them",
			 name);
	return NULL;
}

bool bench_row_ok(const json_t *row)
{
	return !strcmp(output_string(row, "state"), "ok");
}

size_t bench_samples(const json_t *row, double **samples, size_t **blocks)
{
	json_t *array = json_object_get(row, "samples"), *value;
	size_t n = json_array_size(array), count = 0, i;

	*samples = calloc(n ? n : 1, sizeof(**samples));
	if (blocks)
		*blocks = calloc(n ? n : 1, sizeof(**blocks));
	if (!*samples || (blocks && !*blocks))
		return 0;
	json_array_foreach(array, i, value)
	{
		if (!json_is_number(value))
			continue;
		if (blocks)
			(*blocks)[count] = i;
		(*samples)[count++] = json_number_value(value);
	}
	return count;
}

double bench_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

json_t *bench_interval_json(const struct interval *interval)
{
	return json_pack("{s:f,s:f,s:f}", "median", interval->median, "low", interval->low, "high",
			 interval->high);
}

bool bench_interval(const json_t *object, struct interval *out)
{
	json_t *median = json_object_get(object, "median");

	out->median = json_number_value(median);
	out->low = json_number_value(json_object_get(object, "low"));
	out->high = json_number_value(json_object_get(object, "high"));
	return json_is_number(median);
}
