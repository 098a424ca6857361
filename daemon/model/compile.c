/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theory of operation. The datapath finds the longest node (ingress, vlan, address
 * prefix) of a frame, then, if that node has sources, the longest source; it never goes
 * back to a shorter node. What a shorter prefix says for frames that no source of the longer one
 * matches is therefore copied into the longer node here: its sources, less those that lie
 * inside a source of the longer node (a longer group prefix wins over a longer source), and
 * its group for any source when the longer node has none.
 *
 * A node with a group for any source answers every frame and inherits nothing. So what a node
 * can inherit is exactly what its nearest ancestor holds after its own inheritance.
 *
 * Groups are sorted, so an ancestor comes before all inside it and the ancestors of the
 * current node form a stack. A node's sources lie together in the output, sorted, and
 * merging two sorted lists keeps them so: one pass.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/model/private.h"

/* A stack of ancestors holds one per prefix length, and the address itself. */
#define DEPTH_MAX 129

struct node {
	size_t at;   /* of its entry in the output; its sources follow */
	size_t past; /* the output's index behind them */
};

struct work {
	struct entry *entry;
	size_t count, room;
	unsigned int limit;
	struct node stack[DEPTH_MAX];
	unsigned int depth;
};

static int append(struct work *work, const struct entry *entry)
{
	if (work->count >= work->limit)
		return -E2BIG;
	if (work->count == work->room) {
		size_t room = work->room + work->room / 4 + 64;
		struct entry *grown = reallocarray(work->entry, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		work->entry = grown;
		work->room = room;
	}
	work->entry[work->count++] = *entry;
	return 0;
}

static bool same_node(const struct group_key *a, const struct group_key *b)
{
	return a->vlan == b->vlan && !prefix_compare(&a->address, &b->address) &&
	       !strncmp(a->from, b->from, IF_NAMESIZE);
}

/* True when `inner` is a node inside `outer`, and may match the same frames. */
static bool is_ancestor(const struct entry *outer, const struct entry *inner)
{
	return outer->vlan == inner->vlan && prefix_contains(&outer->address, &inner->address) &&
	       !strncmp(outer->from, inner->from, IF_NAMESIZE);
}

/* Nearest ancestor to inherit from; NULL: none. Leaves the stack of all ancestors. */
static const struct node *find_parent(struct work *work, const struct entry *node)
{
	const struct entry *top;

	while (work->depth) {
		top = &work->entry[work->stack[work->depth - 1].at];
		if (is_ancestor(top, node)) {
			/* Frames of the control range are matched by control groups only. */
			if (node->control && !top->control)
				return NULL;
			return &work->stack[work->depth - 1];
		}
		work->depth--;
	}
	return NULL;
}

static int append_own(struct work *work, const struct entry *node, const struct group *group)
{
	struct entry entry = *node;

	entry.group = group;
	entry.source = group->key.source;
	entry.is_source = true;
	entry.has_sources = entry.copied = false;
	return append(work, &entry);
}

static int append_copy(struct work *work, const struct entry *node, size_t from)
{
	struct entry entry = work->entry[from];

	entry.from = node->from;
	entry.address = node->address;
	entry.copied = true;
	return append(work, &entry);
}

/* The first index in [at, past) whose source is not inside `cover`. */
static size_t skip_covered(const struct work *work, size_t at, size_t past,
			   const struct prefix *cover)
{
	/* Sorted, and all from `at` on is behind cover's beginning: so those inside are first. */
	while (at < past) {
		size_t middle = at + (past - at) / 2;

		if (prefix_contains(cover, &work->entry[middle].source))
			at = middle + 1;
		else
			past = middle;
	}
	return at;
}

/* Merges own sources with the parent's entries [at, past), without those that are shadowed. */
static int merge_sources(struct work *work, const struct entry *node, struct group *const *own,
			 size_t own_count, size_t at, size_t past)
{
	size_t i = 0;
	int r = 0;

	while (!r && (i < own_count || at < past)) {
		const struct prefix *mine = i < own_count ? &own[i]->key.source : NULL;

		if (mine && (at == past || prefix_compare(mine, &work->entry[at].source) <= 0)) {
			r = append_own(work, node, own[i++]);
			at = skip_covered(work, at, past, mine);
			continue;
		}
		r = append_copy(work, node, at++);
	}
	return r;
}

/* One node: groups[0..count) share ingress, vlan and address; any source comes first. */
static int compile_node(struct work *work, struct group *const *groups, size_t count)
{
	const struct group *first = groups[0];
	struct entry node = {
	    .from = first->key.from, .vlan = first->key.vlan, .address = first->key.address};
	const struct node *parent;
	size_t at = work->count, from = 0, past = 0;
	int r;

	node.control = prefix_is_control(&node.address);
	parent = find_parent(work, &node);
	if (!first->key.source.len) {
		node.group = first;
		groups++;
		count--;
	} else if (parent) {
		node.group = work->entry[parent->at].group;
		node.copied = node.group;
		from = parent->at + 1;
		past = parent->past;
	}
	node.has_sources = count;
	r = append(work, &node);
	if (!r)
		r = merge_sources(work, &node, groups, count, from, past);
	work->stack[work->depth++] = (struct node){.at = at, .past = work->count};
	return r;
}

int compile_groups(struct group *const *groups, size_t group_count, unsigned int limit,
		   struct entry **out, size_t *count, struct fault *fault)
{
	struct work work = {.limit = limit};
	int r = 0;

	/* Exact when nothing is copied and no node has sources only. */
	work.room = group_count < limit ? group_count : limit;
	work.entry = calloc(work.room + 1, sizeof(*work.entry));
	if (!work.entry)
		r = -ENOMEM;
	for (size_t i = 0, n; !r && i < group_count; i += n) {
		n = 1;
		while (i + n < group_count && same_node(&groups[i]->key, &groups[i + n]->key))
			n++;
		r = compile_node(&work, groups + i, n);
	}
	if (r < 0) {
		free(work.entry);
		return r == -E2BIG ? fault_limit(fault, "entries", limit,
						 "map entries (groups, and copies of shorter "
						 "prefixes' sources)")
				   : fault_set(fault, r, "out of memory for map entries");
	}
	*out = work.entry;
	*count = work.count;
	return 0;
}

int compile_check(struct group *const *groups, size_t group_count, size_t prefixes,
		  unsigned int limit, struct fault *fault)
{
	struct entry *entries;
	size_t count;
	int r;

	/* Nothing is copied between single addresses: at most a node and a source for each. */
	if (!prefixes && group_count <= limit / 2)
		return 0;
	r = compile_groups(groups, group_count, limit, &entries, &count, fault);
	if (!r)
		free(entries);
	return r;
}

int model_compile(const struct model *model, struct entry **out, size_t *count, struct fault *fault)
{
	model_settle(model);
	return compile_groups(model->groups, model->group_count, model->limits.entries, out, count,
			      fault);
}
