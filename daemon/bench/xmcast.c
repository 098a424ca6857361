// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All subjects share one dataplane, one ingress slot and the groups; what differs between them
 * is which set the groups have, and the ingress word: both are written when one is activated.
 */
#include "daemon/bench/xmcast.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "daemon/bench/traffic.h"
#include "daemon/dataplane/dataplane.h"

#define INGRESS	    1 /* its interface slot; egresses follow */
#define MTU	    1500
#define STRANGER    1000000 /* first key of an exclude map's entries, which no copy matches */
#define SETS	    32
#define IPV4_PREFIX 0xffff /* ::ffff:0:0/96, RFC 4291 */

struct xmcast {
	const struct topology *topology;
	struct dataplane *dp;
	unsigned int groups; /* entries 1..groups */
	uint32_t sets;	     /* in use */
	uint32_t generation;
	const struct instance *in_force; /* whose set the groups have */
};

/* Of one subject. */
struct instance {
	struct xmcast *xmcast;
	struct ingress_spec spec;
	uint64_t ingress;      /* word while it is active */
	uint32_t set, exclude; /* of the groups while it is active */
	int egress;	       /* program of its copies, -1: none */
	int program;
};

/* The groups, consecutive addresses, which lead nowhere until a subject is active. */
static int add_groups(struct xmcast *x)
{
	int r = 0;

	for (unsigned int i = 0; i < x->groups && !r; i++) {
		struct xm_entry_record record = {
		    .used = 1, .key.ingress = INGRESS, .len = 8 * XM_ADDRESS_LEN};

		record.key.address.word[2] = htonl(IPV4_PREFIX);
		record.key.address.word[3] = htonl(TRAFFIC_GROUP + i);
		r = dataplane_insert(x->dp, i + 1, &record);
	}
	return r;
}

int xmcast_open(struct xmcast **out, const struct topology *topology, unsigned int groups,
		struct fault *fault)
{
	struct limits limits = LIMITS_DEFAULT;
	struct xmcast *x = calloc(1, sizeof(*x));
	int r;

	if (!x)
		return fault_set(fault, -ENOMEM, "no memory");
	x->groups = groups;
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
		r = add_groups(x);
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
	struct xm_group_counters c = {0};

	counters_group(instance->xmcast->dp, 1, &c);
	return c.frames;
}

/* Not again when it is: that would bring every entry into the cache. */
static void put_in_force(const struct instance *instance)
{
	struct xmcast *x = instance->xmcast;

	if (x->in_force == instance)
		return;
	for (uint32_t entry = 1; entry <= x->groups; entry++)
		dataplane_store_entry(x->dp, entry,
				      xm_entry(entry, instance->set, instance->exclude, 0));
	x->in_force = instance;
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
	if (on)
		put_in_force(instance);
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

static int fill(struct xmcast *x, const struct xmcast_options *o, struct instance *instance)
{
	int r = x->sets + 1 >= SETS ? -ENOSPC : make_set(x, o);

	instance->set = x->sets;
	if (!r && o->excludes >= 0)
		r = make_exclude(x, o->excludes, &instance->exclude);
	return r;
}

int subject_xmcast(struct subject *out, struct xmcast *x, const struct xmcast_options *o,
		   struct fault *fault)
{
	struct instance *instance = calloc(1, sizeof(*instance));
	struct subject s = {.receivers = o->receivers,
			    .native = o->native,
			    .state = instance,
			    .activate = instance_activate,
			    .seen = instance_seen,
			    .close = instance_close};
	uint32_t flags =
	    (o->native ? 0 : XM_INGRESS_GENERIC) | (o->excludes >= 0 ? XM_INGRESS_LOOKUP : 0);
	int r;

	if (!instance)
		return fault_set(fault, -ENOMEM, "no memory");
	instance->xmcast = x;
	instance->spec = (struct ingress_spec){.slot = INGRESS,
					       .ifindex = x->topology->ingress,
					       .native = o->native,
					       .finish_checksums = o->native, /* as on every veth */
					       .generation = ++x->generation};
	instance->egress = egress_program(x, o);
	instance->ingress = xm_ingress(x->generation, 0, flags);
	r = fill(x, o, instance);
	if (r)
		fault_set(fault, r, "xmcast's maps cannot be filled: %s", strerror(-r));
	else
		r = s.program = instance->program =
		    o->object ? dataplane_load_object(x->dp, &instance->spec, o->object, fault)
			      : dataplane_load_ingress(x->dp, &instance->spec, fault);
	if (r < 0) {
		free(instance);
		return r;
	}
	if (o->excludes < 0)
		snprintf(s.name, sizeof(s.name), "xmcast-fold");
	else
		snprintf(s.name, sizeof(s.name), "xmcast-lookup-ex%d", o->excludes);
	*out = s;
	return 0;
}

/* As the daemon attaches; `why` gets what libxdp said when it did without its dispatcher. */
static int attach_behind(struct instance *instance, bool on, char *why, size_t size)
{
	struct dataplane *dp = instance->xmcast->dp;
	struct ingress_state state;
	struct fault fault = {""};
	int r;

	if (!on)
		return dataplane_detach(dp, INGRESS, instance->spec.ifindex, NULL);
	r = dataplane_attach(dp, &instance->spec, &state, &fault);
	if (!r && !state.dispatcher) {
		dataplane_detach(dp, INGRESS, instance->spec.ifindex, NULL);
		r = -EOPNOTSUPP;
	}
	snprintf(why, size, "%s", r == -EOPNOTSUPP ? state.why_single : fault.text);
	return r;
}

static int attach_behind_dispatcher(struct subject *s, bool on)
{
	char why[sizeof(struct fault)];

	return attach_behind(s->state, on, why, sizeof(why));
}

/* libxdp pins what it loads: where nobody else sees it, and where it ends with us. */
static int own_bpffs(void)
{
	static bool done;

	if (done)
		return 0;
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("bpf", "/sys/fs/bpf", "bpf", 0, "mode=0700"))
		return -errno;
	done = true;
	return 0;
}

int subject_dispatcher(struct subject *out, struct xmcast *x, const struct xmcast_options *o,
		       struct fault *fault)
{
	static struct fault needs; /* libxdp only says it the first time */
	char why[sizeof(struct fault)] = "";
	struct subject s;
	int r = own_bpffs();

	if (r)
		fault_set(&needs, r, "needs a bpffs for libxdp: %s", strerror(-r));
	if (needs.text[0])
		return fault_set(fault, -EOPNOTSUPP, "%s", needs.text);
	r = subject_xmcast(&s, x, o, fault);
	if (r)
		return r;
	r = attach_behind(s.state, true, why, sizeof(why));
	if (r) {
		subject_close(&s);
		fault_set(&needs, r, "needs libxdp's dispatcher: %s", *why ? why : strerror(-r));
		return fault_set(fault, -EOPNOTSUPP, "%s", needs.text);
	}
	attach_behind(s.state, false, why, sizeof(why));
	s.attach = attach_behind_dispatcher;
	strncat(s.name, "-dispatcher", sizeof(s.name) - strlen(s.name) - 1);
	*out = s;
	return 0;
}
