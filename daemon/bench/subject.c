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
#include "daemon/bench/traffic.h"
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
			keys[i].address.word[3] = htonl(TRAFFIC_GROUP + first + i);
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

static __u32 flags_of(const struct subject *s)
{
	return s->native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
}

static int take_off(const struct topology *t, struct subject *s)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = s->program);

	if (s->attach)
		return s->attach(s, false);
	if (!t->real)
		return bpf_xdp_detach(t->ingress, flags_of(s) | XDP_FLAGS_REPLACE, &opts);
	if (s->link)
		close(s->link);
	s->link = 0;
	return 0;
}

/* On a real interface by a link, which the kernel takes off when we end, however we end. */
static int put_on(const struct topology *t, struct subject *s)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags_of(s));
	int fd;

	if (s->attach)
		return s->attach(s, true);
	if (!t->real)
		return bpf_xdp_attach(t->ingress, s->program, flags_of(s), NULL);
	fd = bpf_link_create(s->program, t->ingress, BPF_XDP, &opts);
	s->link = fd < 0 ? 0 : fd;
	return fd < 0 ? fd : 0;
}

/* One for another of the same mode, without a moment without one. */
static int exchange(const struct topology *t, struct subject *s, struct subject *previous)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = previous->program);
	int r = t->real ? bpf_link_update(previous->link, s->program, NULL)
			: bpf_xdp_attach(t->ingress, s->program, flags_of(s) | XDP_FLAGS_REPLACE,
					 &opts);

	if (r) {
		take_off(t, previous);
		return r;
	}
	s->link = previous->link;
	previous->link = 0;
	return 0;
}

int subject_attach(const struct topology *t, struct subject *s, struct subject *previous)
{
	int r = activate(previous, false);

	if (!r && s && previous && s->native == previous->native && !s->attach &&
	    !previous->attach) {
		r = activate(s, true);
		return r ? r : exchange(t, s, previous);
	}
	if (!r && previous)
		r = take_off(t, previous);
	if (!r && s)
		r = activate(s, true);
	return r || !s ? r : put_on(t, s);
}
