// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All subjects share one dataplane and one ingress slot; what differs between them is in
 * their group, its set and the ingress word, which is written when a subject is activated.
 */
#include "daemon/bench/xmcast.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/dataplane/dataplane.h"

#define INGRESS	    1 /* its interface slot; egresses follow */
#define MTU	    1500
#define STRANGER    1000000 /* first key of an exclude map's entries, which no copy matches */
#define SETS	    256
#define IPV4_PREFIX 0xffff /* ::ffff:0:0/96, RFC 4291 */

struct xmcast {
	const struct topology *topology;
	struct dataplane *dp;
	uint32_t entries, sets; /* in use */
	uint32_t generation;
};

/* Of one subject. */
struct instance {
	struct xmcast *xmcast;
	uint64_t ingress; /* word while it is active */
	int egress;	  /* program of its copies, -1: none */
	int program;
};

int xmcast_open(struct xmcast **out, const struct topology *topology, unsigned int groups,
		struct fault *fault)
{
	struct limits limits = LIMITS_DEFAULT;
	struct xmcast *x = calloc(1, sizeof(*x));
	int r;

	if (!x)
		return fault_set(fault, -ENOMEM, "no memory");
	limits.groups = limits.entries = groups + 1;
	limits.sets = SETS;
	limits.members = XM_MEMBERS_MAX;
	x->topology = topology;
	r = dataplane_open(&x->dp, NULL, &limits, fault);
	if (!r)
		r = dataplane_map_interface(x->dp, topology->ingress, INGRESS);
	for (unsigned int i = 0; i < topology->receivers && !r; i++)
		r = dataplane_map_interface(x->dp, topology->egress[i], INGRESS + 1 + i);
	if (!r)
		r = dataplane_trace(x->dp, false, fault);
	if (r) {
		xmcast_close(x);
		return fault && fault->text[0]
			   ? r
			   : fault_set(fault, r, "the datapath cannot be set up: %s", strerror(-r));
	}
	*out = x;
	return 0;
}

void xmcast_close(struct xmcast *x)
{
	if (!x)
		return;
	dataplane_close(x->dp);
	free(x);
}

int xmcast_trace(struct xmcast *x, bool on)
{
	return dataplane_trace(x->dp, on, NULL);
}

static uint64_t instance_seen(const struct subject *s)
{
	const struct instance *instance = s->state;
	struct xm_interface_counters c = {0};

	counters_interface(instance->xmcast->dp, INGRESS, &c);
	return c.received;
}

static int instance_activate(struct subject *s, bool on)
{
	struct instance *instance = s->state;
	struct dataplane *dp = instance->xmcast->dp;
	int r = 0;

	/* Subjects share this map, by interface, but not the program in it. */
	if (on && s->receivers == 1)
		r = dataplane_unicast(dp, s->native, INGRESS + 1,
				      instance->xmcast->topology->egress[0], instance->egress);
	if (r)
		return r;
	dataplane_store_ingress(dp, INGRESS, on ? instance->ingress : 0);
	return dataplane_trace(dp, on, NULL);
}

static void instance_close(struct subject *s)
{
	struct instance *instance = s->state;

	close(instance->program);
	free(instance);
}

/* A slot of a pool for `members`, made now. 0 or a negative errno. */
static int take(struct pool *pool, unsigned int members, uint32_t *slot)
{
	int r = pool_want(pool, members, 1);

	if (!r)
		r = pool_grow(pool);
	if (!r) {
		*slot = pool_take(pool, members);
		r = *slot ? 0 : -ENOSPC;
	}
	return r;
}

/* The egress program of a subject's copies, -1: none. */
static int egress_program(const struct xmcast *x, const struct xmcast_options *o)
{
	if (!o->native)
		return x->dp->egress_generic_fd;
	return o->excludes >= 0 ? x->dp->egress_native_fd : -1;
}

static int make_set(struct xmcast *x, const struct xmcast_options *o)
{
	int program = egress_program(x, o);
	uint32_t slot = 0;
	int r = take(x->dp->set_pool, o->receivers, &slot);

	for (unsigned int i = 0; i < o->receivers && !r; i++)
		r = pool_add(x->dp->set_pool, slot, INGRESS + 1 + i, x->topology->egress[i],
			     program);
	if (!r)
		word_store(&x->dp->sets[++x->sets], o->receivers == 1
							? xm_set_one(slot, INGRESS + 1, MTU)
							: xm_set(slot, 0, o->receivers, MTU));
	return r;
}

static int make_exclude(struct xmcast *x, int entries, uint32_t *slot)
{
	int r = take(x->dp->exclude_pool, entries ? (unsigned int)entries : 1, slot);

	for (int i = 0; i < entries && !r; i++)
		r = pool_add(x->dp->exclude_pool, *slot, STRANGER + (uint32_t)i,
			     x->topology->ingress, -1);
	return r;
}

static int add_groups(struct xmcast *x, const struct xmcast_options *o, uint32_t group,
		      uint32_t exclude)
{
	int r = 0;

	for (unsigned int i = 0; i < o->groups && !r; i++) {
		uint32_t entry = ++x->entries;
		struct xm_entry_record record = {
		    .used = 1, .key.ingress = INGRESS, .len = 8 * XM_ADDRESS_LEN};

		record.key.address.word[2] = htonl(IPV4_PREFIX);
		record.key.address.word[3] = htonl(group + i);
		dataplane_store_entry(x->dp, entry, xm_entry(entry, x->sets, exclude, 0));
		r = dataplane_insert(x->dp, entry, &record);
	}
	return r;
}

static int fill(struct xmcast *x, const struct xmcast_options *o, struct subject *s)
{
	uint32_t exclude = 0;
	int r = x->sets + 1 >= SETS ? -ENOSPC : make_set(x, o);

	if (!r && o->excludes >= 0)
		r = make_exclude(x, o->excludes, &exclude);
	s->group = SUBJECT_GROUP + x->entries;
	if (!r)
		r = add_groups(x, o, s->group, exclude);
	return r;
}

int subject_xmcast(struct subject *out, struct xmcast *x, const struct xmcast_options *options,
		   struct fault *fault)
{
	struct xmcast_options o = *options;
	struct instance *instance = calloc(1, sizeof(*instance));
	struct ingress_spec spec = {.slot = INGRESS,
				    .ifindex = x->topology->ingress,
				    .native = o.native,
				    .finish_checksums = o.native, /* as on every veth */
				    .generation = ++x->generation};
	struct subject s = {.receivers = o.receivers,
			    .native = o.native,
			    .state = instance,
			    .activate = instance_activate,
			    .seen = instance_seen,
			    .close = instance_close};
	uint32_t flags =
	    (o.native ? 0 : XM_INGRESS_GENERIC) | (o.excludes >= 0 ? XM_INGRESS_LOOKUP : 0);
	int r = instance ? 0 : -ENOMEM;

	o.groups = o.groups ? o.groups : 1;
	if (!r)
		r = fill(x, &o, &s);
	if (r) {
		free(instance);
		return fault_set(fault, r, "xmcast's maps cannot be filled: %s", strerror(-r));
	}
	instance->xmcast = x;
	instance->egress = egress_program(x, &o);
	instance->ingress = xm_ingress(spec.generation, 0, flags);
	instance->program = o.object ? dataplane_load_object(x->dp, &spec, o.object, fault)
				     : dataplane_load_ingress(x->dp, &spec, fault);
	if (instance->program < 0) {
		r = instance->program;
		free(instance);
		return r;
	}
	s.program = instance->program;
	if (o.excludes < 0)
		snprintf(s.name, sizeof(s.name), "xmcast-fold");
	else
		snprintf(s.name, sizeof(s.name), "xmcast-lookup-ex%d", o.excludes);
	*out = s;
	return 0;
}
