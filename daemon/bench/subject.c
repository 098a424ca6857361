// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/subject.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/xmcast.h"
#include "bench_reference.skel.h"

#define BROADCAST_SIZE 32
#define BATCH	       10000

static uint64_t reference_seen(const struct subject *s)
{
	struct bench_reference_bpf *skel = s->state;
	int cpus = libbpf_num_possible_cpus();
	__u64 *values = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*values)), sum = 0;

	if (values && !bpf_map_lookup_elem(bpf_map__fd(skel->maps.seen), &(__u32){0}, values))
		for (int cpu = 0; cpu < cpus; cpu++)
			sum += values[cpu];
	free(values);
	return sum;
}

static void reference_close(struct subject *s)
{
	bench_reference_bpf__destroy(s->state);
}

/* Entries that no copy matches: the price of asking is what counts, so nobody is left out. */
static int fill_excludes(struct bench_reference_bpf *skel, const struct topology *t, int count)
{
	int map = bpf_map__fd(skel->maps.excludes), r = 0;

	for (int i = 0; i < count && !r; i++) {
		struct bpf_devmap_val value = {.ifindex = (__u32)t->ingress};
		__u32 key = 1000000 + (__u32)i;

		r = bpf_map_update_elem(map, &key, &value, BPF_ANY);
	}
	return r;
}

static int fill_targets(struct bench_reference_bpf *skel, const struct topology *t,
			const struct reference_options *o)
{
	int program = o->excludes < 0 ? -1 : bpf_program__fd(skel->progs.ask_excludes), r = 0;

	if (o->kind != REFERENCE_MULTI)
		return bpf_map_update_elem(bpf_map__fd(skel->maps.target), &(__u32){0},
					   &t->egress[0], BPF_ANY);
	for (__u32 i = 0; i < o->receivers && !r; i++) {
		struct bpf_devmap_val value = {.ifindex = (__u32)t->egress[i],
					       .bpf_prog.fd = program};
		/* Key 0 is what the program redirects to; as the samples, keys are ifindexes. */
		__u32 key = (__u32)t->egress[i];

		r = bpf_map_update_elem(bpf_map__fd(skel->maps.targets), &key, &value, BPF_ANY);
	}
	return r;
}

static int fill_groups(struct bench_reference_bpf *skel, unsigned int count)
{
	struct xm_group_key *keys = calloc(BATCH, sizeof(*keys));
	__u32 *values = calloc(BATCH, sizeof(*values));
	int r = keys && values ? 0 : -ENOMEM;

	for (unsigned int first = 0; first < count && !r; first += BATCH) {
		__u32 n = count - first < BATCH ? count - first : BATCH;

		for (__u32 i = 0; i < n; i++) {
			keys[i].ingress = 1;
			keys[i].address.byte[10] = keys[i].address.byte[11] = 0xff;
			keys[i].address.word[3] = htonl(SUBJECT_GROUP + first + i);
			values[i] = first + i;
		}
		r = bpf_map_update_batch(bpf_map__fd(skel->maps.groups), keys, values, &n, NULL);
	}
	free(keys);
	free(values);
	return r;
}

static int load(struct bench_reference_bpf *skel, const struct topology *t,
		const struct reference_options *o)
{
	unsigned int size = o->map_size ? o->map_size : BROADCAST_SIZE;
	int r;

	while (size < o->receivers)
		size *= 2;
	skel->rodata->count_seen = o->count;
	bpf_program__set_autoload(skel->progs.redirect_map, o->kind == REFERENCE_MAP);
	bpf_program__set_autoload(skel->progs.redirect_map_multi, o->kind == REFERENCE_MULTI);
	bpf_program__set_autoload(skel->progs.one_lookup, o->kind == REFERENCE_LOOKUP);
	bpf_program__set_autoload(skel->progs.ask_excludes, o->excludes >= 0);
	bpf_map__set_max_entries(skel->maps.targets, size);
	if (o->excludes > 0)
		bpf_map__set_max_entries(skel->maps.excludes, (unsigned int)o->excludes);
	if (o->groups)
		bpf_map__set_max_entries(skel->maps.groups, o->groups);
	r = bench_reference_bpf__load(skel);
	if (!r)
		r = fill_targets(skel, t, o);
	if (!r && o->excludes > 0)
		r = fill_excludes(skel, t, o->excludes);
	if (!r && o->groups)
		r = fill_groups(skel, o->groups);
	return r;
}

static void name_reference(struct subject *s, const struct reference_options *o)
{
	static const char *const names[] = {[REFERENCE_MAP] = "redirect_map",
					    [REFERENCE_MULTI] = "redirect_map_multi",
					    [REFERENCE_LOOKUP] = "one_lookup"};

	if (o->excludes < 0)
		snprintf(s->name, sizeof(s->name), "%s", names[o->kind]);
	else
		snprintf(s->name, sizeof(s->name), "%s-ex%d", names[o->kind], o->excludes);
}

int subject_reference(struct subject *out, const struct topology *t,
		      const struct reference_options *o, struct fault *fault)
{
	struct bench_reference_bpf *skel = bench_reference_bpf__open();
	struct subject s = {.receivers = o->receivers,
			    .native = o->native,
			    .group = SUBJECT_GROUP,
			    .state = skel,
			    .seen = reference_seen,
			    .close = reference_close};
	int r = skel ? load(skel, t, o) : -errno;

	name_reference(&s, o);
	if (r) {
		bench_reference_bpf__destroy(skel);
		return fault_set(fault, r, "%s: the reference program cannot be loaded: %s", s.name,
				 strerror(-r));
	}
	s.program = bpf_program__fd(o->kind == REFERENCE_MAP	 ? skel->progs.redirect_map
				    : o->kind == REFERENCE_MULTI ? skel->progs.redirect_map_multi
								 : skel->progs.one_lookup);
	*out = s;
	return 0;
}

void subject_close(struct subject *s)
{
	if (s->close)
		s->close(s);
	memset(s, 0, sizeof(*s));
}

static int activate(struct subject *s, bool on)
{
	return s && s->activate ? s->activate(s, on) : 0;
}

/* On a real interface by a link, which the kernel takes off when we end, however we end. */
static int attach_link(const struct topology *t, struct subject *s, struct subject *previous)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = s && s->native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);
	int r = 0;

	if (s && previous && previous->link && previous->native == s->native) {
		r = bpf_link_update(previous->link, s->program, NULL);
		if (!r)
			s->link = previous->link;
		if (!r)
			previous->link = 0;
		return r;
	}
	if (previous && previous->link) {
		close(previous->link);
		previous->link = 0;
	}
	if (s) {
		s->link = bpf_link_create(s->program, t->ingress, BPF_XDP, &opts);
		r = s->link < 0 ? s->link : 0;
		s->link = r ? 0 : s->link;
	}
	return r;
}

int subject_attach(const struct topology *t, struct subject *s, struct subject *previous)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = previous ? previous->program : 0);
	int r = activate(previous, false);
	bool native = s ? s->native : previous && previous->native;
	__u32 flags = native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;

	if (t->real) {
		r = r ? r : activate(s, true);
		return r ? r : attach_link(t, s, previous);
	}
	if (previous)
		flags |= XDP_FLAGS_REPLACE;
	if (!s)
		return previous ? bpf_xdp_detach(t->ingress, flags, &opts) : 0;
	if (!r)
		r = activate(s, true);
	return r ? r : bpf_xdp_attach(t->ingress, s->program, flags, previous ? &opts : NULL);
}
