// SPDX-License-Identifier: GPL-2.0-or-later
/* What stands below the table of a result: where it was measured, what was counted, what is not. */
#include <stdio.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/output.h"

static const char *on_or_off(const json_t *value)
{
	return json_is_true(value) ? "on" : json_is_false(value) ? "off" : "unknown";
}

/* In three lines. */
static void print_environment(const json_t *result)
{
	const json_t *e = json_object_get(result, "environment"),
		     *drivers = json_object_get(e, "drivers"),
		     *trie = json_object_get(e, "lpm_trie");

	printf("\n%s; %lld CPUs; kernel %s%s; JIT %s\n", output_string_or(e, "cpu", "unknown CPU"),
	       (long long)bench_number(e, "cpus"), output_string(e, "kernel"),
	       json_is_true(json_object_get(e, "hypervisor")) ? ", virtual machine" : "",
	       on_or_off(json_object_get(e, "jit")));
	printf("spectre_v2: %s; load %.2f then %.2f; steal %.2f s; scheduler: %s\n",
	       output_string_or(json_object_get(e, "mitigations"), "spectre_v2", "unknown"),
	       bench_number(e, "load"), bench_number(e, "load_after"),
	       bench_number(e, "steal_seconds"), output_string_or(e, "scheduler", "unknown"));
	if (drivers)
		printf("ingress %s, egresses %s, receivers %s; dispatcher: %s; all on CPU %lld\n",
		       output_string(drivers, "in"), output_string(drivers, "out"),
		       output_string(drivers, "receivers"),
		       json_is_true(json_object_get(e, "dispatcher")) ? "yes" : "no",
		       (long long)bench_number(e, "cpu_used"));
	if (trie)
		printf("LPM trie of this kernel: BPF_NOEXIST is %s, a full one is updated: %s\n",
		       output_string(trie, "noexist"), output_string(trie, "update_of_full_trie"));
}

/* How what is measured in another way than the rest is. */
static void print_free_method(const json_t *result)
{
	json_t *row;
	size_t i;

	json_array_foreach(bench_rows(result), i, row)
	{
		if (strcmp(output_string(row, "op"), "free"))
			continue;
		printf("free: %s\n", output_string(row, "method"));
		return;
	}
}

static bool same_reason(const json_t *a, const json_t *b)
{
	return !strcmp(output_string(a, "state"), output_string(b, "state")) &&
	       !strcmp(output_string(a, "reason"), output_string(b, "reason"));
}

/* How many rows before the i-th have its reason (`before`), or are others with it from there on. */
static size_t count_same(const json_t *rows, size_t i, bool before)
{
	size_t from = before ? 0 : i + 1, to = before ? i : json_array_size(rows), n = 0;

	for (size_t k = from; k < to; k++)
		n += same_reason(json_array_get(rows, k), json_array_get(rows, i));
	return n;
}

static void print_reasons(const json_t *result)
{
	const json_t *rows = bench_rows(result);
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
	{
		char name[BENCH_ROW_MAX], more[32] = "";
		size_t others = count_same(rows, i, false);

		if (bench_row_ok(row) || count_same(rows, i, true))
			continue;
		bench_row_name(row, name);
		if (others)
			snprintf(more, sizeof(more), " and %zu more", others);
		printf("%s: %s%s: %s\n", output_string(row, "state"), name, more,
		       output_string(row, "reason"));
	}
}

static void print_ratios(const json_t *result, const char *member, const char *words)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(result, member), i, one)
	{
		struct interval ratio;

		if (bench_interval(json_object_get(one, "ratio"), &ratio))
			printf("%s: %s %s %s %s: ratio %.3f, %.3f to %.3f\n", member,
			       output_string(one, "program"), output_string(one, "topology"),
			       output_string(one, "mode"), words, ratio.median, ratio.low,
			       ratio.high);
	}
}

/* Which counters were compared, once for each source and topology's kind. */
static void print_counted(const json_t *result)
{
	const json_t *last = NULL;
	json_t *cell, *text;
	const char *name;
	size_t i;

	json_array_foreach(bench_rows(result), i, cell)
	{
		const json_t *counted = json_object_get(cell, "counted"),
			     *received = json_object_get(counted, "received");

		if (!counted || (last && json_equal(json_object_get(last, "sent"),
						    json_object_get(counted, "sent"))))
			continue;
		last = counted;
		printf("counted (%s): sent: %s; seen: %s", output_string(cell, "source"),
		       output_string(counted, "sent"), output_string(counted, "seen"));
		json_object_foreach((json_t *)received, name, text)
		{
			printf("; received by %s%s: %s", name,
			       json_object_size(received) > 1 ? " and the others" : "",
			       json_string_value(text));
			break;
		}
		printf("\n");
	}
}

void bench_print_notes(const json_t *result, enum bench_kind kind)
{
	if (json_is_true(json_object_get(result, "partial")))
		printf("\nPARTIAL: the run was stopped before it was complete.\n");
	print_environment(result);
	if (kind == BENCH_THROUGHPUT)
		printf("Mpps of frames received, median of %lld blocks and half of its 95 %% "
		       "interval\n",
		       (long long)bench_number(json_object_get(result, "settings"), "pairs"));
	else
		printf("timed in the kernel: mean and standard deviation over intervals\n");
	print_free_method(result);
	print_counted(result);
	print_ratios(result, "noise", "against itself");
	print_ratios(result, "dispatcher", "behind libxdp's, against itself alone");
	print_reasons(result);
}
