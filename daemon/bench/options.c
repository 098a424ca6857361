// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/options.h"

#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* As libpopt wants them: plain targets, turned into the options afterwards. */
struct raw {
	int prefix_len, producers, random, tracepoints, allow_long_free, seed;
	int native, generic, quick, frame_size, pairs, batch, pps;
	double warmup, duration; /* below 0: the benchmark's own default */
	char *sizes, *programs, *receivers, *topology, *source, *label, *in, *out, *sender;
};

static unsigned int positive(int n)
{
	return n > 0 ? (unsigned int)n : 0; /* which the checks refuse */
}

/* "1,100,10000" into out[]; returns how many, or -EINVAL with fault that names the option. */
static int parse_numbers(const char *option, const char *text, const char *prefix, uint32_t *out,
			 unsigned int max, struct fault *fault)
{
	const char *p = text;
	unsigned int count = 0;

	while (*p) {
		size_t skip = !strncmp(p, prefix, strlen(prefix)) ? strlen(prefix) : 0;
		unsigned long n;
		char *end;

		p += skip;
		n = strtoul(p, &end, 10);
		if (*p < '0' || *p > '9' || (*end && *end != ',') || n > UINT32_MAX - 1 || !n)
			return fault_set(fault, -EINVAL, "%s %s: not a list of numbers", option,
					 text);
		if (count == max)
			return fault_set(fault, -EINVAL, "%s: at most %u of them", option, max);
		out[count++] = (uint32_t)n;
		p = *end ? end + 1 : end;
	}
	return count ? (int)count : fault_set(fault, -EINVAL, "%s: no number", option);
}

static int parse_subject(const char *word, struct bench_options *out, struct fault *fault)
{
	enum bench_lpm_op op;

	if (!strcmp(word, "throughput"))
		return 0;
	if (!strncmp(word, "program=", 8) && !out->owned.object) {
		out->throughput.object = out->owned.object = strdup(word + 8);
		return out->owned.object ? 0 : fault_set(fault, -ENOMEM, "no memory");
	}
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
			 "%s: no such benchmark; there are throughput (the default), lpm-trie and "
			 "lpm-trie-{noop,baseline,lookup,insert,update,delete,free}",
			 word);
}

static int lpm_from_raw(const struct raw *raw, struct lpm_options *o, struct fault *fault)
{
	int n = parse_numbers("--nr-entries", raw->sizes ? raw->sizes : "10000", "", o->sizes,
			      LPM_SIZES_MAX, fault);

	if (n < 0)
		return n;
	o->size_count = (unsigned int)n;
	o->prefix_len = positive(raw->prefix_len);
	o->producers = positive(raw->producers);
	o->random = raw->random;
	o->tracepoints = raw->tracepoints;
	o->allow_long_free = raw->allow_long_free;
	o->seed = (uint32_t)raw->seed;
	o->warmup = raw->warmup < 0 ? 0.5 : raw->warmup;
	o->duration = raw->duration < 0 ? 3 : raw->duration;
	return lpm_check(o, fault);
}

static int source_from_raw(const char *source, enum source_wish *out, struct fault *fault)
{
	*out = WISH_BEST;
	if (!source)
		return 0;
	if (!strcmp(source, "live"))
		*out = WISH_LIVE;
	else if (!strcmp(source, "packet"))
		*out = WISH_PACKET;
	else if (!strcmp(source, "pktgen"))
		*out = WISH_PKTGEN;
	else if (!strcmp(source, "external"))
		*out = WISH_EXTERNAL;
	else
		return fault_set(fault, -EINVAL,
				 "--source %s: there are live (native), packet (AF_PACKET), pktgen "
				 "and external (somebody else sends to --in)",
				 source);
	return 0;
}

static int throughput_from_raw(const struct raw *raw, struct throughput_options *o,
			       struct fault *fault)
{
	const char *columns = raw->topology ? raw->topology : raw->receivers;
	int n = 0;

	if (!columns && !raw->in) /* with real interfaces only those, unless others are asked for */
		columns = "1,2,4,8";
	if (columns)
		n = parse_numbers(raw->topology ? "--topology" : "--receivers", columns,
				  raw->topology ? "x" : "", o->receivers, THROUGHPUT_COLUMNS,
				  fault);
	if (n < 0)
		return n;
	o->receiver_count = (unsigned int)n;
	o->native = raw->native || !raw->generic;
	o->generic = raw->generic || !raw->native;
	o->programs = raw->programs;
	o->label = raw->label ? raw->label : "xmcast " XM_VERSION;
	o->frame_size = positive(raw->frame_size);
	o->batch = positive(raw->batch);
	o->pps = positive(raw->pps);
	o->quick = raw->quick;
	o->pairs = raw->pairs ? positive(raw->pairs) : raw->quick ? 10 : 40;
	o->duration = raw->duration < 0 ? (raw->quick ? 0.2 : 1) : raw->duration;
	o->seed = (uint32_t)raw->seed;
	o->in = raw->in;
	o->out = raw->out;
	o->sender = raw->sender;
	n = source_from_raw(raw->source, &o->source, fault);
	return n ? n : throughput_check(o, fault);
}

static int parse(poptContext context, const struct raw *raw, struct bench_options *out,
		 struct fault *fault)
{
	const char *word;
	int c = poptGetNextOpt(context), r;

	if (c < -1)
		return fault_set(fault, -EINVAL, "%s: %s", poptBadOption(context, 0),
				 poptStrerror(c));
	while ((word = poptGetArg(context))) {
		r = parse_subject(word, out, fault);
		if (r)
			return r;
	}
	return out->kind == BENCH_LPM ? lpm_from_raw(raw, &out->lpm, fault)
				      : throughput_from_raw(raw, &out->throughput, fault);
}

/* What the options do not point to goes, the rest is theirs. */
static void own_or_free(const struct raw *raw, struct bench_options *out)
{
	free(raw->sizes);
	free(raw->topology);
	free(raw->receivers);
	free(raw->source);
	out->owned.programs = raw->programs;
	out->owned.label = raw->label;
	out->owned.in = raw->in;
	out->owned.out = raw->out;
	out->owned.sender = raw->sender;
}

int options_parse(int argc, const char **argv, struct bench_options *out, struct fault *fault)
{
	struct raw raw = {.prefix_len = 32,
			  .producers = 1,
			  .warmup = -1,
			  .duration = -1,
			  .frame_size = FRAME_SIZE_LEAST};
	const struct poptOption table[] = {
	    {"warmup", 0, POPT_ARG_DOUBLE, &raw.warmup, 0, NULL, NULL},
	    {"duration", 0, POPT_ARG_DOUBLE, &raw.duration, 0, NULL, NULL},
	    {"seed", 0, POPT_ARG_INT, &raw.seed, 0, NULL, NULL},
	    /* lpm-trie */
	    {"prefix-len", 0, POPT_ARG_INT, &raw.prefix_len, 0, NULL, NULL},
	    {"nr-entries", 0, POPT_ARG_STRING, &raw.sizes, 0, NULL, NULL},
	    {"producers", 0, POPT_ARG_INT, &raw.producers, 0, NULL, NULL},
	    {"random", 0, POPT_ARG_NONE, &raw.random, 0, NULL, NULL},
	    {"tracepoints", 0, POPT_ARG_NONE, &raw.tracepoints, 0, NULL, NULL}, /* for tests */
	    {"allow-long-free", 0, POPT_ARG_NONE, &raw.allow_long_free, 0, NULL, NULL},
	    /* throughput */
	    {"native", 0, POPT_ARG_NONE, &raw.native, 0, NULL, NULL},
	    {"generic", 0, POPT_ARG_NONE, &raw.generic, 0, NULL, NULL},
	    {"programs", 0, POPT_ARG_STRING, &raw.programs, 0, NULL, NULL},
	    {"topology", 0, POPT_ARG_STRING, &raw.topology, 0, NULL, NULL},
	    {"receivers", 0, POPT_ARG_STRING, &raw.receivers, 0, NULL, NULL},
	    {"source", 0, POPT_ARG_STRING, &raw.source, 0, NULL, NULL},
	    {"frame-size", 0, POPT_ARG_INT, &raw.frame_size, 0, NULL, NULL},
	    {"pairs", 0, POPT_ARG_INT, &raw.pairs, 0, NULL, NULL},
	    {"batch", 0, POPT_ARG_INT, &raw.batch, 0, NULL, NULL},
	    {"pps", 0, POPT_ARG_INT, &raw.pps, 0, NULL, NULL},
	    {"label", 0, POPT_ARG_STRING, &raw.label, 0, NULL, NULL},
	    {"in", 0, POPT_ARG_STRING, &raw.in, 0, NULL, NULL},
	    {"out", 0, POPT_ARG_STRING, &raw.out, 0, NULL, NULL},
	    {"pktgen-dev", 0, POPT_ARG_STRING, &raw.sender, 0, NULL, NULL},
	    {"quick", 0, POPT_ARG_NONE, &raw.quick, 0, NULL, NULL},
	    POPT_TABLEEND};
	poptContext context = poptGetContext(NULL, argc, argv, table, 0);
	int r;

	memset(out, 0, sizeof(*out));
	if (getrandom(&raw.seed, sizeof(raw.seed), 0) < 0)
		raw.seed = 1;
	raw.seed &= 0x7fffffff;
	r = parse(context, &raw, out, fault);
	poptFreeContext(context);
	own_or_free(&raw, out);
	if (r)
		options_free(out);
	return r;
}

void options_free(struct bench_options *options)
{
	free(options->owned.programs);
	free(options->owned.label);
	free(options->owned.object);
	free(options->owned.in);
	free(options->owned.out);
	free(options->owned.sender);
	memset(&options->owned, 0, sizeof(options->owned));
}
