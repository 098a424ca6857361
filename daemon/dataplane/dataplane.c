// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening and closing the whole; the parts are in the other files. */
#include "daemon/dataplane/succession.h"
#include "daemon/dataplane/tracer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define OTHER_FILES 512 /* descriptors for everything but inner maps */

static struct dataplane *new (void)
{
	struct dataplane *dp = calloc(1, sizeof(*dp));

	if (!dp)
		return NULL;
	for (enum dataplane_map map = 0; map < MAPS; map++)
		dp->map_fd[map] = -1;
	dp->egress_native_fd = dp->egress_generic_fd = dp->pin_lock = -1;
	dp->serial = 1;
	return dp;
}

void dataplane_close(struct dataplane *dp)
{
	if (!dp)
		return;
	for (uint32_t slot = 0; dp->ingress_fd && slot <= dp->sizes.interfaces; slot++)
		closep(&dp->ingress_fd[slot]);
	free(dp->ingress_fd);
	free(dp->cpu_id);
	free(dp->behind);
	tracer_close(dp);
	trace_close(dp->trace);
	pool_free(dp->set_pool);
	pool_free(dp->exclude_pool);
	closep(&dp->egress_native_fd);
	closep(&dp->egress_generic_fd);
	maps_close(dp);
	succession_free(dp->succession);
	closep(&dp->pin_lock);
	free(dp);
}

static void closedp(struct dataplane **dp)
{
	dataplane_close(*dp);
}

/* Each inner map is a descriptor, and 1024 is the usual soft limit. */
static void allow_files(const struct dataplane_sizes *sizes)
{
	rlim_t want = (rlim_t)sizes->slots + sizes->excludes + OTHER_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= want)
		return;
	limit.rlim_cur = limit.rlim_max < want ? limit.rlim_max : want;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int allocate(struct dataplane *dp, struct fault *fault)
{
	dp->cpu_id = calloc(CPUS_MAX, sizeof(*dp->cpu_id));
	if (!dp->cpu_id)
		return fault_set(fault, -ENOMEM, "out of memory");
	dp->possible_cpus = cpus_possible(dp->cpu_id, CPUS_MAX);
	if (dp->possible_cpus < 0)
		return fault_set(fault, dp->possible_cpus, "cannot read %s: %s", CPUS_POSSIBLE,
				 strerror(-dp->possible_cpus));
	dp->cpus = dp->cpu_id[dp->possible_cpus - 1] + 1;
	dp->ingress_fd = malloc((dp->sizes.interfaces + 1) * sizeof(*dp->ingress_fd));
	dp->behind = calloc(dp->sizes.interfaces + 1, sizeof(*dp->behind));
	for (uint32_t slot = 0; dp->ingress_fd && slot <= dp->sizes.interfaces; slot++)
		dp->ingress_fd[slot] = -1;
	if (!dp->ingress_fd || !dp->behind)
		return fault_set(fault, -ENOMEM, "out of memory");
	allow_files(&dp->sizes);
	return 0;
}

static int pools_open(struct dataplane *dp, struct fault *fault)
{
	const struct dataplane_sizes *s = &dp->sizes;
	int r = pool_new(&dp->set_pool, dp->map_fd[MAP_SET_MAPS], s->slots, XM_MEMBERS_MAX);

	if (!r)
		r = pool_new(&dp->exclude_pool, dp->map_fd[MAP_EXCLUDE_MAPS], s->excludes,
			     s->exclude_members);
	return r < 0 ? fault_set(fault, r, "out of memory") : 0;
}

/* The pins are all there. Without predecessors nothing remains to be carried over. */
static int whole(struct dataplane *dp, struct fault *fault)
{
	int r = 0;

	if (!dp->pin_dir[0] || dp->adopted)
		return 0;
	if (!dp->succession->count)
		r = pin_set(dp, dp->map_fd[MAP_COUNTING], PIN_CARRIED);
	return r < 0 ? fault_set(fault, r, "cannot pin in %s: %s", dp->pin_dir, strerror(-r))
		     : fields_write(dp, fault);
}

static int build(struct dataplane *dp, struct fault *fault)
{
	int (*const parts[])(struct dataplane *, struct fault *) = {
	    maps_open, egress_open, trace_open, pools_open, ingress_open, carry, whole,
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int r = parts[i](dp, fault);
		if (r < 0)
			return r;
	}
	index_open(dp);
	carried_release(dp);
	return 0;
}

static int open_directory(struct dataplane *dp, const char *bpffs, struct fault *fault)
{
	dp->succession = calloc(1, sizeof(*dp->succession));
	if (!dp->succession)
		return fault_set(fault, -ENOMEM, "out of memory");
	int r = directories_find(dp->succession, bpffs, fault);

	return r < 0 ? r : directories_open(dp, fault);
}

int dataplane_open(struct dataplane **out, const char *bpffs, const struct limits *limits,
		   struct fault *fault)
{
	_cleanup_(closedp) struct dataplane *dp = new ();
	int r;

	if (!dp)
		return fault_set(fault, -ENOMEM, "out of memory");
	dataplane_sizes_of(limits, &dp->sizes);
	messages_start();
	r = probe_kernel(fault);
	if (!r)
		r = allocate(dp, fault);
	if (!r && bpffs)
		r = open_directory(dp, bpffs, fault);
	if (r < 0)
		return r;
	r = build(dp, fault);
	if (r < 0) {
		if (dp->pin_dir[0] && !dp->adopted)
			pins_remove(dp->pin_dir); /* what we began */
		return r;
	}
	*out = dp;
	dp = NULL;
	return 0;
}

int dataplane_unpin(struct dataplane *dp)
{
	int r = dp->pin_dir[0] ? pins_remove(dp->pin_dir) : 0;

	if (r < 0)
		return r;
	dp->pin_dir[0] = 0;
	closep(&dp->pin_lock);
	return 0;
}

static int purge_directory(const struct predecessor *p, struct fault *fault)
{
	int r = 0;

	for (unsigned int i = 0; !r && i < p->program_count; i++)
		r = ingress_detach_everywhere(p->program[i], fault);
	if (r < 0)
		return r;
	r = pins_remove(p->dir);
	return r < 0 ? fault_set(fault, r, "cannot remove the pins in %s: %s", p->dir, strerror(-r))
		     : 0;
}

int dataplane_purge(const char *bpffs, struct fault *fault)
{
	struct succession *s = calloc(1, sizeof(*s));
	int r = s ? 0 : fault_set(fault, -ENOMEM, "out of memory");

	messages_start();
	if (!r)
		r = directories_find(s, bpffs, fault);
	for (unsigned int i = 0; !r && i < s->count; i++) {
		r = predecessor_open(&s->predecessor[i]);
		r = r < 0 ? fault_set(fault, r, "cannot read the pins in %s: %s",
				      s->predecessor[i].dir, strerror(-r))
			  : purge_directory(&s->predecessor[i], fault);
	}
	succession_free(s);
	return r;
}

uint64_t dataplane_memory(const struct dataplane *dp)
{
	uint64_t sum = pool_memory(dp->set_pool) + pool_memory(dp->exclude_pool);

	for (enum dataplane_map map = 0; map < MAPS; map++)
		sum += fd_memory(dp->map_fd[map]);
	return sum;
}
