/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bpf/world.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bpf/frames.h"

static int shell(const char *command)
{
	int status = system(command);

	if (status)
		fprintf(stderr, "failed: %s\n", command);
	return status ? -EIO : 0;
}

/* The receivers' ends have GRO, so that the veths take redirected frames (no XDP program). */
static int make_links(struct world *w)
{
	char text[512], name[IF_NAMESIZE];

	if (shell("echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6 && ip link set lo up && "
		  "ip link add " FRAMES_INGRESS " mtu 2000 type veth peer name send0 mtu 2000 && "
		  "ip link set " FRAMES_INGRESS " up && ip link set send0 up"))
		return -EIO;
	for (int i = 0; i < WORLD_MEMBERS; i++) {
		snprintf(
		    text, sizeof(text),
		    "ip link add out%d type veth peer name recv%d && "
		    "ethtool -K recv%d gro on && ip link set out%d up && ip link set recv%d up",
		    i, i, i, i, i);
		if (shell(text))
			return -EIO;
		snprintf(name, sizeof(name), "out%d", i);
		w->ifindex[i] = if_nametoindex(name);
	}
	w->ingress_ifindex = if_nametoindex(FRAMES_INGRESS);
	return 0;
}

int world_set(struct world *w, uint32_t set, uint32_t next, const int *members, size_t count,
	      unsigned int ready, unsigned int mtu, int egress_program)
{
	int error = pool_want(w->dp->set_pool, count, 1);

	if (!error)
		error = pool_grow(w->dp->set_pool);
	uint32_t slot = error ? 0 : pool_take(w->dp->set_pool, count);
	if (!slot)
		return error ? error : -ENOSPC;
	for (size_t i = 0; i < count && !error; i++)
		error = pool_add(w->dp->set_pool, slot, members[i], w->ifindex[members[i]],
				 egress_program);
	for (int native = 0; native < 2 && ready == 1 && !error; native++)
		error = dataplane_unicast(w->dp, native, WORLD_OUT + members[0],
					  w->ifindex[members[0]], egress_program);
	if (!error)
		word_store(&w->dp->sets[set], ready == 1
						  ? xm_set_one(slot, WORLD_OUT + members[0], mtu)
						  : xm_set(slot, next, ready, mtu));
	return error;
}

static int make_sets(struct world *w)
{
	static const int members[] = {0, 1};
	int error = 0;

	for (unsigned int ready = 0; ready < 3 && !error; ready++) {
		w->set[ready] = ready + 1;
		error = world_set(w, ready + 1, 0, members, 2, ready, WORLD_MTU, -1);
	}
	return error;
}

int world_open(struct world *w)
{
	struct limits limits = LIMITS_DEFAULT;
	struct fault fault = {.text = ""};

	memset(w, 0, sizeof(*w));
	if (unshare(CLONE_NEWNET)) {
		perror("unshare");
		return -errno;
	}
	int error = make_links(w);
	if (!error)
		error = dataplane_open(&w->dp, NULL, &limits, &fault);
	if (!error)
		error = make_sets(w);
	if (error)
		fprintf(stderr, "no dataplane: %s %s\n", strerror(-error), fault.text);
	return error;
}

void world_close(struct world *w)
{
	while (w->programs)
		close(w->program[--w->programs]);
	dataplane_close(w->dp);
	w->dp = NULL;
}

/*
 * Attaches a program to an interface that nobody uses. BPF_PROG_TEST_RUN makes the kernel enter
 * the program into its XDP dispatcher and take it out again, each with a grace period
 * (bpf_prog_change_xdp() in net/core/dev.c and net/bpf/test_run.c), unless it is in there anyway.
 */
static int hold(unsigned int n, int program)
{
	char text[64], name[IF_NAMESIZE];

	snprintf(name, sizeof(name), "hold%u", n);
	snprintf(text, sizeof(text), "ip link add %s type veth peer name dloh%u", name, n);
	if (shell(text))
		return -EIO;
	return bpf_xdp_attach(if_nametoindex(name), program, XDP_FLAGS_SKB_MODE, NULL);
}

int world_program(struct world *w, enum world_instance instance, bool finish_checksums)
{
	struct fault fault = {.text = ""};
	struct ingress_spec spec = {.slot = WORLD_INGRESS,
				    .ifindex = w->ingress_ifindex,
				    .native = instance != WORLD_GENERIC,
				    .fold = instance == WORLD_FOLD,
				    .finish_checksums = finish_checksums,
				    .generation = WORLD_GENERATION};
	int fd = w->programs == WORLD_PROGRAMS ? fault_set(&fault, -E2BIG, "the world has too many")
					       : dataplane_load_ingress(w->dp, &spec, &fault);

	if (fd < 0) {
		fprintf(stderr, "no program: %s\n", fault.text);
		return fd;
	}
	if (hold(w->programs, fd))
		fprintf(stderr, "a program is not held: runs of it take longer\n");
	w->program[w->programs++] = fd;
	return fd;
}

/* The groups as a model, which compiles them; our index of a group travels in `line`. */
static struct model *make_model(const struct group_key *keys, size_t count)
{
	struct model *model = model_new();
	struct fault fault;

	for (size_t i = 0; model && i < count; i++) {
		struct group group = {.key = keys[i], .line = i};
		int error = names_add(&group.to, "out*");
		if (!error)
			error = model_add_group(model, &group, &fault);
		names_free(&group.to);
		if (error) {
			fprintf(stderr, "group %zu: %s\n", i,
				error == 1 ? "is there twice" : fault.text);
			model_free(model);
			model = NULL;
		}
	}
	return model;
}

static size_t index_of(const struct group_key *keys, size_t count, const struct group *group)
{
	for (size_t i = 0; i < count; i++)
		if (group_key_compare(&keys[i], &group->key) == 0)
			return i;
	abort();
}

static uint64_t word_of(const struct world *w, const struct entry *e, size_t group,
			const int *members, bool mark)
{
	uint64_t flags =
	    (e->has_sources ? XM_ENTRY_SOURCES : 0) | (e->control ? XM_ENTRY_CONTROL : 0);

	if (!e->group)
		return xm_entry(0, 0, 0, flags);
	return xm_entry(group + 1, w->set[members[group]], mark ? group + 1 : 0, flags);
}

static uint32_t flags_of(const struct entry *e)
{
	if (e->is_source)
		return e->source.len < 128 ? XM_INGRESS_SOURCE_PREFIXES : 0;
	return e->address.len < 128 ? XM_INGRESS_PREFIXES : 0;
}

static int insert(struct world *w, const struct entry *e, uint32_t node)
{
	struct xm_entry_record record = {
	    .used = e->is_source ? 2 : 1,
	    .node = e->is_source ? node : 0,
	    .key = {WORLD_INGRESS, e->vlan, e->address.address},
	    .len = e->address.len,
	};

	if (e->is_source) {
		record.source = e->source.address;
		record.source_len = e->source.len;
	}
	return dataplane_insert(w->dp, w->entries, &record);
}

int world_fill(struct world *w, const struct group_key *keys, size_t count, const int *members,
	       bool mark)
{
	struct model *model = make_model(keys, count);
	struct entry *entries = NULL;
	size_t entry_count = 0;
	struct fault fault;
	uint32_t node = 0, flags = mark ? XM_INGRESS_LOOKUP : 0;

	if (!model)
		return -EINVAL;
	int error = model_compile(model, &entries, &entry_count, &fault);
	for (size_t i = 0; !error && i < entry_count; i++) {
		const struct entry *e = &entries[i];
		size_t group = e->group ? index_of(keys, count, e->group) : 0;

		dataplane_store_entry(w->dp, ++w->entries, word_of(w, e, group, members, mark));
		if (!e->is_source)
			node = w->entries;
		error = insert(w, e, node);
		flags |= flags_of(e);
	}
	if (!error)
		dataplane_store_ingress(w->dp, WORLD_INGRESS,
					xm_ingress(WORLD_GENERATION, 0, flags));
	free(entries);
	model_free(model);
	return error;
}

int world_empty(struct world *w)
{
	int error = 0;

	dataplane_store_ingress(w->dp, WORLD_INGRESS, xm_ingress(WORLD_GENERATION, 0, 0));
	for (uint32_t entry = w->entries; entry && !error; entry--)
		error = dataplane_delete(w->dp, entry);
	if (!error)
		error = dataplane_grace(w->dp);
	for (uint32_t entry = w->entries; entry && !error; entry--) {
		dataplane_forget(w->dp, entry);
		dataplane_store_entry(w->dp, entry, 0);
	}
	w->entries = 0;
	return error;
}

int world_run(int program, const uint8_t *frame, size_t len, struct world_result *out)
{
	uint8_t data[sizeof(out->data)];
	struct xdp_md in = {.data_end = len}, ctx = {0};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .data_out = data, .data_size_out = sizeof(data), .ctx_in = &in,
		    .ctx_size_in = sizeof(in), .ctx_out = &ctx, .ctx_size_out = sizeof(ctx),
		    .repeat = 1);

	if (bpf_prog_test_run_opts(program, &opts))
		return -errno;
	size_t meta = ctx.data - ctx.data_meta;
	out->verdict = opts.retval;
	out->handed_over = meta == sizeof(out->meta);
	if (out->handed_over)
		memcpy(&out->meta, data, meta);
	out->len = opts.data_size_out - meta;
	memcpy(out->data, data + meta, out->len);
	return 0;
}

int world_moved(struct world *w, struct xm_interface_counters *before,
		struct xm_interface_counters *moved)
{
	struct xm_interface_counters now;
	int error = counters_interface(w->dp, WORLD_INGRESS, &now);
	const uint64_t *n = (const uint64_t *)&now, *b = (const uint64_t *)before;
	uint64_t *m = (uint64_t *)moved;

	for (size_t i = 0; !error && i < sizeof(now) / sizeof(*n); i++)
		m[i] = n[i] - b[i];
	if (!error)
		*before = now;
	return error;
}
