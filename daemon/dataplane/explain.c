// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/dataplane/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/dataplane/internal.h"

void explain_free(struct explain *explain)
{
	free(explain->copy);
	explain->copy = NULL;
	explain->copies = 0;
}

static int add(struct explain *e, int ifindex, bool too_big)
{
	struct explain_copy *grown = reallocarray(e->copy, e->copies + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	e->copy = grown;
	e->copy[e->copies++] = (struct explain_copy){.ifindex = ifindex, .too_big = too_big};
	return 0;
}

/*
 * A descriptor of the inner map that the outer map holds now. That is named by its id; the
 * pool's own descriptor is as good when it is the same map, and needs no CAP_SYS_ADMIN.
 */
static int inner_map(struct dataplane *dp, enum dataplane_map outer, struct pool *pool,
		     uint32_t slot)
{
	struct bpf_map_info info = {};
	uint32_t id, size = sizeof(info);
	int r = bpf_map_lookup_elem(dp->map_fd[outer], &slot, &id);

	if (r < 0)
		return r;
	_cleanup_close_ int known = pool_duplicate(pool, slot);
	if (known >= 0 && !bpf_obj_get_info_by_fd(known, &info, &size) && info.id == id)
		return take_fd(&known);
	r = bpf_map_get_fd_by_id(id);
	return r < 0 ? -errno : r;
}

static bool in_exclude_map(struct dataplane *dp, uint32_t slot, int ifindex, bool *complete)
{
	struct bpf_devmap_val value;

	if (!slot)
		return false;
	_cleanup_close_ int fd = inner_map(dp, MAP_EXCLUDE_MAPS, dp->exclude_pool, slot);
	if (fd < 0 && fd != -ENOENT) /* a slot without a map excludes nobody */
		*complete = false;
	return fd >= 0 && !bpf_map_lookup_elem(fd, &ifindex, &value);
}

/* As excluded() in bpf/egress.bpf.c, which every device's entries carry or none does. */
static void mark_excluded(struct dataplane *dp, struct explain *e)
{
	bool asked = xm_ingress_flags(e->ingress_word) & (XM_INGRESS_GENERIC | XM_INGRESS_LOOKUP);

	for (size_t i = 0; asked && i < e->copies; i++) {
		struct explain_copy *copy = &e->copy[i];
		copy->excluded =
		    in_exclude_map(dp, xm_entry_exclude(e->word), copy->ifindex, &e->complete) ||
		    in_exclude_map(dp, xm_ingress_exclude(e->ingress_word), copy->ifindex,
				   &e->complete);
	}
}

/* The one member's device, out of the unicast map of the mode. */
static int add_only(struct dataplane *dp, struct explain *e, uint64_t set, bool too_big)
{
	bool generic = xm_ingress_flags(e->ingress_word) & XM_INGRESS_GENERIC;
	int fd = dp->map_fd[generic ? MAP_UNICAST_GENERIC : MAP_UNICAST_NATIVE];
	uint32_t key = xm_set_only(set);
	struct bpf_devmap_val value;
	int r = bpf_map_lookup_elem(fd, &key, &value);

	if (r < 0) /* it left between two loads: the program drops the frame then */
		return r == -ENOENT ? 0 : r;
	return add(e, value.ifindex, too_big);
}

static bool has(const struct explain *e, int ifindex)
{
	for (size_t i = 0; i < e->copies; i++)
		if (e->copy[i].ifindex == ifindex)
			return true;
	return false;
}

/* In the order in which the kernel walks the buckets. What is there already is left out. */
static int add_members(struct dataplane *dp, struct explain *e, uint64_t set, bool too_big)
{
	uint32_t key, *last = NULL;
	struct bpf_devmap_val value;
	int r = 0;

	if (!xm_set_ready(set))
		return 0;
	if (xm_set_ready(set) == 1)
		return add_only(dp, e, set, too_big);
	_cleanup_close_ int fd = inner_map(dp, MAP_SET_MAPS, dp->set_pool, xm_set_slot(set));
	if (fd < 0) {
		e->complete = false;
		return 0;
	}
	for (unsigned int i = 0; !r && i <= XM_MEMBERS_MAX; i++) {
		if (bpf_map_get_next_key(fd, last, &key))
			break;
		last = &key;
		if (!bpf_map_lookup_elem(fd, &key, &value) && !has(e, value.ifindex))
			r = add(e, value.ifindex, too_big);
	}
	return r;
}

/* As fit() in ingress.bpf.c. */
static uint64_t fit(const struct dataplane *dp, uint64_t set, uint32_t needed)
{
	for (int i = 0; i < XM_MTU_LEVELS; i++) {
		uint32_t next = xm_set_next(set);
		if (needed <= xm_set_mtu(set) || !xm_set_ready(set))
			return set;
		set = next && next <= dp->sizes.sets ? dp->sets[next] : 0;
	}
	return 0;
}

int dataplane_explain_copies(struct dataplane *dp, uint64_t word, uint64_t ingress_word,
			     uint32_t needed, struct explain *out)
{
	uint32_t set = xm_entry_set(word);
	uint64_t whole = set <= dp->sizes.sets ? dp->sets[set] : 0;
	uint64_t fits = fit(dp, whole, needed);
	int r;

	out->word = word;
	out->ingress_word = ingress_word;
	out->set = set;
	out->slot = xm_set_slot(fits);
	out->due = xm_set_ready(whole);
	out->left = xm_set_ready(fits);
	out->complete = true;
	r = add_members(dp, out, fits, false);
	if (!r && out->left < out->due)
		r = add_members(dp, out, whole, true);
	if (!r)
		mark_excluded(dp, out);
	return r;
}

/* As match_entry() of bpf/match.h. */
static bool counts(const struct dataplane *dp, int64_t entry, struct explain *out)
{
	if (entry > dp->sizes.entries)
		return false;
	out->entry = entry;
	out->word = entry ? dataplane_entry(dp, entry) : 0;
	return xm_entry_group(out->word);
}

/* As match(). 1: a group, 0: none. */
static int match(struct dataplane *dp, const struct explain_frame *f, uint32_t flags,
		 struct explain *out)
{
	int64_t node = dataplane_find_group(dp, &f->key, flags & XM_INGRESS_PREFIXES);

	if (node <= 0)
		return node;
	out->node = node;
	bool found = counts(dp, node, out);
	if (f->control && !(out->word & XM_ENTRY_CONTROL))
		return 0;
	if (!(out->word & XM_ENTRY_SOURCES))
		return found;
	struct xm_source_key key = {.node = node, .address = f->source};
	int64_t of_source = dataplane_find_source(dp, &key, flags & XM_INGRESS_SOURCE_PREFIXES);
	struct explain specific = *out;
	if (of_source < 0)
		return of_source;
	if (of_source && counts(dp, of_source, &specific)) {
		*out = specific;
		return 1;
	}
	return found;
}

int dataplane_explain(struct dataplane *dp, const struct explain_frame *frame, struct explain *out)
{
	uint32_t slot = frame->key.ingress;
	int r;

	*out = (struct explain){.complete = true};
	if (!slot || slot > dp->sizes.interfaces)
		return -EINVAL;
	out->ingress_word = dataplane_ingress(dp, slot);
	if (!xm_ingress_generation(out->ingress_word))
		return 0;
	out->verdict = EXPLAIN_UNMATCHED;
	r = match(dp, frame, xm_ingress_flags(out->ingress_word), out);
	if (r <= 0)
		return r;
	out->group = xm_entry_group(out->word);
	r = dataplane_explain_copies(dp, out->word, out->ingress_word, frame->needed, out);
	out->verdict = out->due ? EXPLAIN_COPIED : EXPLAIN_NO_EGRESS;
	if (r < 0)
		explain_free(out);
	return r;
}
