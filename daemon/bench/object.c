// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program=FILE: another build as a subject. A build of ingress.bpf.c gets xmcast's maps; a
 * program like those of bench_reference.bpf.c has `targets` or `target` filled, and counts
 * in `seen`.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bench/xmcast.h"

static uint64_t object_seen(const struct subject *s)
{
	struct bpf_map *seen = bpf_object__find_map_by_name(s->state, "seen");
	int cpus = libbpf_num_possible_cpus();
	__u64 *values = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*values)), sum = 0;

	if (values && !bpf_map_lookup_elem(bpf_map__fd(seen), &(__u32){0}, values))
		for (int cpu = 0; cpu < cpus; cpu++)
			sum += values[cpu];
	free(values);
	return sum;
}

static void object_close(struct subject *s)
{
	bpf_object__close(s->state);
}

/* The first program of type XDP that a device can have; only that one is loaded. */
static struct bpf_program *choose(struct bpf_object *object)
{
	struct bpf_program *program, *chosen = NULL;

	bpf_object__for_each_program(program, object)
	{
		bool fits = bpf_program__type(program) == BPF_PROG_TYPE_XDP &&
			    bpf_program__expected_attach_type(program) != BPF_XDP_DEVMAP &&
			    bpf_program__expected_attach_type(program) != BPF_XDP_CPUMAP;

		bpf_program__set_autoload(program, fits && !chosen);
		if (fits && !chosen)
			chosen = program;
	}
	return chosen;
}

static int fill(struct bpf_object *object, const struct topology *t, unsigned int receivers)
{
	struct bpf_map *targets = bpf_object__find_map_by_name(object, "targets"),
		       *target = bpf_object__find_map_by_name(object, "target");
	int r = 0;

	if (!targets && (!target || receivers > 1))
		return -ENOKEY;
	if (!bpf_object__find_map_by_name(object, "seen"))
		return -ENOKEY;
	if (target)
		r = bpf_map_update_elem(bpf_map__fd(target), &(__u32){0}, &t->egress[0], BPF_ANY);
	for (unsigned int i = 0; targets && i < receivers && !r; i++) {
		struct bpf_devmap_val value = {.ifindex = (__u32)t->egress[i], .bpf_prog.fd = -1};
		__u32 key = (__u32)t->egress[i];

		r = bpf_map_update_elem(bpf_map__fd(targets), &key, &value, BPF_ANY);
	}
	return r;
}

static void name_after(struct subject *s, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strcspn(name, ".");

	snprintf(s->name, sizeof(s->name), "%.*s", len > 32 ? 32 : (int)len, name);
}

int subject_object(struct subject *out, struct xmcast *xmcast, const struct topology *topology,
		   const struct xmcast_options *options, struct fault *fault)
{
	struct bpf_object *object = bpf_object__open_file(options->object, NULL);
	struct bpf_program *program = object ? choose(object) : NULL;
	struct subject s = {.receivers = options->receivers,
			    .native = options->native,
			    .state = object,
			    .seen = object_seen,
			    .close = object_close};
	int r = object ? 0 : -errno;

	if (!r && bpf_object__find_map_by_name(object, "set_maps")) {
		bpf_object__close(object);
		r = subject_xmcast(&s, xmcast, options, fault);
		if (!r)
			name_after(&s, options->object);
		*out = s;
		return r;
	}
	if (!r)
		r = program ? bpf_object__load(object) : -ENOEXEC;
	if (!r)
		r = fill(object, topology, options->receivers);
	if (r) {
		bpf_object__close(object);
		return fault_set(
		    fault, r,
		    "program=%s cannot be measured (%s): it needs an XDP program and "
		    "the maps of ingress.bpf.c, or `seen` and `targets` (or `target` for "
		    "one receiver) as in bench_reference.bpf.c",
		    options->object, strerror(-r));
	}
	s.program = bpf_program__fd(program);
	name_after(&s, options->object);
	*out = s;
	return 0;
}
