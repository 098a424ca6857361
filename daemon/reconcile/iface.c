// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and their interface slots. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

/* Where the name is, or would go, in the sorted array. */
static size_t name_place(const struct reconcile *r, const char *name)
{
	size_t low = 0, high = r->iface_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(r->by_name[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct iface *iface_find(const struct reconcile *r, const char *name)
{
	size_t place = name_place(r, name);

	if (place == r->iface_count || strcmp(r->by_name[place]->name, name))
		return NULL;
	return r->by_name[place];
}

struct iface *iface_at(struct reconcile *r, const char *name, uint32_t slot)
{
	struct iface *iface = calloc(1, sizeof(*iface));
	if (!iface)
		return NULL;
	snprintf(iface->name, sizeof(iface->name), "%s", name);
	iface->slot = slot;
	iface->reason = XM_REASON_ABSENT;
	size_t place = name_place(r, name);
	memmove(r->by_name + place + 1, r->by_name + place,
		(r->iface_count - place) * sizeof(*r->by_name));
	r->by_name[place] = iface;
	r->iface_count++;
	r->ifaces[slot] = iface;
	return iface;
}

static void iface_remove(struct reconcile *r, struct iface *iface)
{
	size_t place = name_place(r, iface->name);

	r->iface_count--;
	memmove(r->by_name + place, r->by_name + place + 1,
		(r->iface_count - place) * sizeof(*r->by_name));
	r->ifaces[iface->slot] = NULL;
	free(iface);
}

/* The slot of the name that nobody has used for the longest time; 0: none can be had. */
static uint32_t take_idle_slot(struct reconcile *r)
{
	struct iface *oldest = NULL;

	for (size_t i = 0; i < r->iface_count; i++) {
		struct iface *iface = r->by_name[i];
		if (iface->idle && !iface->quarantined && !iface->stuck &&
		    (!oldest || iface->idle_since < oldest->idle_since))
			oldest = iface;
	}
	if (!oldest)
		return 0;
	uint32_t slot = oldest->slot;
	counters_move_interface(r->dp, slot, 0); /* element 0 keeps what the gone ones counted */
	iface_remove(r, oldest);
	return slot;
}

struct iface *iface_get(struct reconcile *r, const char *name)
{
	struct iface *iface = iface_find(r, name);
	if (iface && iface->idle) {
		iface->idle = false;
		interfaces_bind(r, iface);
	}
	if (iface)
		return iface;
	uint32_t slot = numbers_pop(&r->free_ifaces);
	if (!slot && !r->no_slot)
		slot = take_idle_slot(r);
	if (!slot) {
		r->no_slot = true;
		return NULL;
	}
	iface = iface_at(r, name, slot);
	if (!iface) {
		numbers_push(&r->free_ifaces, slot);
		return NULL;
	}
	struct xm_interface_record *record = &r->dp->interface_records[slot];
	*record = (struct xm_interface_record){0};
	memcpy(record->name, iface->name, sizeof(record->name));
	interfaces_bind(r, iface);
	return iface;
}

void ifaces_slots_free(struct reconcile *r)
{
	if (!r->no_slot)
		return;
	r->no_slot = false;
	r->links_dirty = true; /* for ingresses */
	sets_mark_left_out(r, 0);
}

unsigned int ifaces_used(const struct reconcile *r)
{
	unsigned int used = 0;

	for (size_t i = 0; i < r->iface_count; i++)
		used += !r->by_name[i]->idle;
	return used;
}

void ifaces_free(struct reconcile *r)
{
	for (size_t i = 0; i < r->iface_count; i++)
		free(r->by_name[i]);
	free(r->by_name);
	free(r->ifaces);
	names_free(&r->aliases);
	names_free(&r->ingresses);
	names_free(&r->left_out);
}
