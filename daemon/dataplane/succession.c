// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From taking over until the predecessors are gone. The reconciler builds sets and keys, and
 * attaches: each program is replaced in one step, and the tracepoint programs take turns with the
 * same store (contract, 4 to 6).
 *
 * The predecessors' counters go into the row that no CPU writes: at once, and once more, to the
 * last frame, when nothing runs there any more. Storing a sum, not adding, it may be interrupted
 * and done again: the pin `carried` says that the sums are final.
 */
#include "daemon/dataplane/succession.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/dataplane/ingress.h"

static void add_counters(const struct succession *s, const struct carried *c,
			 enum dataplane_map rows, void *row)
{
	const struct predecessor *p = &s->predecessor[c->predecessor];

	for (size_t i = 0; i < fields_count(); i++) {
		const struct field *f = field_at(i);
		if (f->map == rows && f->offset) /* 0: the word */
			*(uint64_t *)((char *)row + f->offset) +=
			    predecessor_counter(p, i, c->from);
	}
}

static bool still_same(const struct dataplane *dp, const struct carried *c)
{
	struct xm_interface_record theirs = {};

	if (c->record.used)
		return !record_compare(&dp->entry_records[c->to], &c->record);
	predecessor_record(&dp->succession->predecessor[c->predecessor], MAP_INTERFACE_RECORDS,
			   c->from, &theirs);
	return !c->to || !strncmp(dp->interface_records[c->to].name, theirs.name, XM_NAME_LEN);
}

static void *row_of(struct dataplane *dp, const struct carried *c)
{
	return c->record.used ? (void *)carried_entry(dp, c->to) : carried_interface(dp, c->to);
}

static bool counts_here(const struct dataplane *dp, const struct carried *c)
{
	return c->predecessor != OURS && !dp->succession->predecessor[c->predecessor].passed_on &&
	       (c->to || !c->record.used) && still_same(dp, c);
}

void succession_count(struct dataplane *dp)
{
	const struct succession *s = dp->succession;

	for (size_t i = 0; i < s->carried_count; i++) {
		const struct carried *c = &s->carried[i];
		if (!counts_here(dp, c))
			continue;
		if (c->record.used)
			memset(row_of(dp, c), 0, sizeof(struct xm_entry_row));
		else
			memset(row_of(dp, c), 0, sizeof(struct xm_interface_row));
	}
	for (size_t i = 0; i < s->carried_count; i++) {
		const struct carried *c = &s->carried[i];
		if (counts_here(dp, c))
			add_counters(s, c, c->record.used ? MAP_ENTRIES : MAP_INTERFACES,
				     row_of(dp, c));
	}
}

bool succession_has(const struct dataplane *dp, int fd, uint32_t id)
{
	const struct succession *s = dp->succession;

	for (unsigned int i = 0; s && i < s->count; i++)
		if (predecessor_has(&s->predecessor[i], fd, id))
			return true;
	return false;
}

int succession_map(const struct dataplane *dp, const char *name, const struct bpf_map_info *shape)
{
	const struct succession *s = dp->succession;
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);

	for (unsigned int i = s ? s->count : 0; i-- > 0;) {
		_cleanup_close_ int fd = pin_get_in(s->predecessor[i].dir, name);
		int r = fd < 0 ? fd : bpf_obj_get_info_by_fd(fd, &info, &size);
		if (r == -ENOENT)
			continue;
		if (r < 0)
			return r; /* it has one: two would not do */
		if (info.type == shape->type && info.max_entries == shape->max_entries &&
		    info.value_size == shape->value_size)
			return take_fd(&fd);
	}
	return -ENOENT;
}

void succession_take_turn(struct dataplane *dp, uint32_t slot, int ifindex)
{
	const struct succession *s = dp->succession;

	word_store(&dp->counting[ifindex % XM_COUNTING], dp->serial);
	/* behind a dispatcher both still run */
	for (unsigned int i = 0; s && i < s->count; i++) {
		const struct predecessor *p = &s->predecessor[i];
		uint32_t count = predecessor_count(p, MAP_INTERFACE_RECORDS);
		for (uint32_t theirs = 1; theirs < count; theirs++)
			if (p->slot_here[theirs] == slot)
				predecessor_disarm(p, theirs);
	}
}

static bool in_use(const struct dataplane *dp, const struct predecessor *p)
{
	for (uint32_t slot = 1; slot <= dp->sizes.interfaces; slot++)
		if (dp->ingress_fd[slot] >= 0 &&
		    predecessor_has(p, dp->ingress_fd[slot], program_id(dp->ingress_fd[slot])))
			return true;
	return false;
}

/* Whose links nobody knows is looked for everywhere. */
static int retire(struct predecessor *p, struct fault *fault)
{
	int r = 0;

	for (unsigned int i = 0; !r && p->fields < 0 && i < p->program_count; i++)
		r = ingress_detach_everywhere(p->program[i], fault);
	if (r < 0)
		return r;
	r = pins_remove(p->dir);
	return r < 0 ? fault_set(fault, r, "cannot remove the older pins in %s: %s", p->dir,
				 strerror(-r))
		     : 0;
}

static int retire_all(struct dataplane *dp, struct fault *fault)
{
	struct succession *s = dp->succession;
	int r = pin_set(dp, dp->map_fd[MAP_COUNTING], PIN_CARRIED);

	if (r < 0)
		return fault_set(fault, r, "cannot pin %s/" PIN_CARRIED ": %s", dp->pin_dir,
				 strerror(-r));
	for (uint32_t i = 0; i < XM_COUNTING; i++)
		word_store(&dp->counting[i], dp->serial);
	for (unsigned int i = s->count; !r && i-- > 0;)
		r = retire(&s->predecessor[i], fault);
	return r;
}

int dataplane_settle(struct dataplane *dp, struct fault *fault)
{
	struct succession *s = dp->succession;
	bool used = false;
	int r = s && s->count ? dataplane_grace(dp) : 0;

	if (!s || !s->count)
		return 0;
	if (r < 0)
		return fault_set(fault, r, "waiting for running programs: %s", strerror(-r));
	succession_count(dp);
	for (unsigned int i = 0; i < s->count; i++)
		used |= in_use(dp, &s->predecessor[i]);
	r = used ? 0 : retire_all(dp, fault);
	succession_free(s); /* what could not go is tried again by the next daemon */
	dp->succession = NULL;
	return r;
}

void succession_free(struct succession *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->count; i++)
		predecessor_close(&s->predecessor[i]);
	free(s->predecessor);
	free(s->carried);
	free(s);
}
