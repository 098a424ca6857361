// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/options.h"

#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* As libpopt wants them: plain targets, turned into the options afterwards. */
struct raw {
	int prefix_len, producers, random, allow_long_free, seed;
	double warmup, duration;
	char *sizes;
};

/* "1,100,10000" */
static int parse_sizes(const char *text, struct lpm_options *out, struct fault *fault)
{
	const char *p = text;

	out->size_count = 0;
	while (*p) {
		char *end;
		unsigned long n = strtoul(p, &end, 10);

		if (*p < '0' || *p > '9' || (*end && *end != ',') || n > UINT32_MAX - 1 || !n)
			return fault_set(fault, -EINVAL,
					 "--nr-entries %s: not a list of numbers of entries", text);
		if (out->size_count == LPM_SIZES_MAX)
			return fault_set(fault, -EINVAL, "--nr-entries: at most %d sizes",
					 LPM_SIZES_MAX);
		out->sizes[out->size_count++] = (uint32_t)n;
		p = *end ? end + 1 : end;
	}
	return out->size_count ? 0 : fault_set(fault, -EINVAL, "--nr-entries: no number");
}

static int parse_subject(const char *word, struct bench_options *out, struct fault *fault)
{
	enum bench_lpm_op op;

	if (!strncmp(word, "lpm-trie", 8)) {
		out->kind = BENCH_LPM;
		if (!word[8]) {
			out->lpm.ops = (1u << BENCH_LPM_OPS) - 1;
			return 0;
		}
		op = word[8] == '-' ? lpm_op_parse(word + 9) : BENCH_LPM_OPS;
		if (op < BENCH_LPM_OPS) {
			out->lpm.ops |= 1u << op;
			return 0;
		}
	}
	return fault_set(fault, -EINVAL,
			 "%s: no such benchmark; there are lpm-trie and "
			 "lpm-trie-{noop,baseline,lookup,insert,update,delete,free}",
			 word);
}

static int from_raw(const struct raw *raw, struct bench_options *out, struct fault *fault)
{
	if (raw->prefix_len < 0 || raw->producers < 0)
		return fault_set(fault, -EINVAL, "--prefix-len and --producers are positive");
	out->lpm.prefix_len = (unsigned int)raw->prefix_len;
	out->lpm.producers = (unsigned int)raw->producers;
	out->lpm.random = raw->random;
	out->lpm.allow_long_free = raw->allow_long_free;
	out->lpm.seed = (uint32_t)raw->seed;
	out->lpm.warmup = raw->warmup;
	out->lpm.duration = raw->duration;
	return parse_sizes(raw->sizes ? raw->sizes : "10000", &out->lpm, fault);
}

int options_parse(int argc, const char **argv, struct bench_options *out, struct fault *fault)
{
	struct raw raw = {.prefix_len = 32, .producers = 1, .warmup = 0.5, .duration = 3};
	const struct poptOption table[] = {
	    {"prefix-len", 0, POPT_ARG_INT, &raw.prefix_len, 0, NULL, NULL},
	    {"nr-entries", 0, POPT_ARG_STRING, &raw.sizes, 0, NULL, NULL},
	    {"producers", 0, POPT_ARG_INT, &raw.producers, 0, NULL, NULL},
	    {"random", 0, POPT_ARG_NONE, &raw.random, 0, NULL, NULL},
	    {"allow-long-free", 0, POPT_ARG_NONE, &raw.allow_long_free, 0, NULL, NULL},
	    {"seed", 0, POPT_ARG_INT, &raw.seed, 0, NULL, NULL},
	    {"warmup", 0, POPT_ARG_DOUBLE, &raw.warmup, 0, NULL, NULL},
	    {"duration", 0, POPT_ARG_DOUBLE, &raw.duration, 0, NULL, NULL},
	    POPT_TABLEEND};
	poptContext context = poptGetContext(NULL, argc, argv, table, 0);
	const char *word;
	int r = 0, c;

	memset(out, 0, sizeof(*out));
	if (getrandom(&raw.seed, sizeof(raw.seed), 0) < 0)
		raw.seed = 1;
	raw.seed &= 0x7fffffff;
	c = poptGetNextOpt(context);
	if (c < -1)
		r = fault_set(fault, -EINVAL, "%s: %s", poptBadOption(context, 0), poptStrerror(c));
	while (!r && (word = poptGetArg(context)))
		r = parse_subject(word, out, fault);
	if (!r)
		r = from_raw(&raw, out, fault);
	if (!r && out->kind == BENCH_LPM)
		r = lpm_check(&out->lpm, fault);
	poptFreeContext(context);
	free(raw.sizes);
	return r;
}
