// SPDX-License-Identifier: GPL-2.0-or-later
/* Interfaces that groups name or mean and that got no interface slot: `limit interfaces` is
 * reached. */
#include <stdio.h>

#include "daemon/model/reasons.h"
#include "daemon/reconcile/internal.h"

/* Calls f for each, some more than once, while it returns true. */
static void each(const struct reconcile *r, bool (*f)(const char *name, void *data), void *data)
{
	for (size_t i = 0; i < r->ingresses.count; i++) {
		uint32_t vlan = 0;
		const char *name = resolve_parent(r, r->ingresses.name[i], &vlan);
		if (!iface_find(r, name) && netlink_by_name(r->netlink, name) && !f(name, data))
			return;
	}
	for (const struct actual_set *set = r->sets; set; set = set->next)
		for (unsigned int i = 0; i < set->left_out; i++)
			if (!f(set->members[set->member_count + i].name, data))
				return;
}

static bool take_first(const char *name, void *data)
{
	*(const char **)data = name;
	return false;
}

bool left_out_words(const struct reconcile *r, char *buf, size_t size)
{
	const char *name = NULL;

	each(r, take_first, &name);
	if (name)
		snprintf(buf, size,
			 "%s, if not others too, is left out: `limit interfaces %u` is reached: "
			 "raise it and restart xmcastd",
			 name, r->model->limits.interfaces);
	return name;
}

struct telling {
	struct reconcile *r;
	struct names now;
};

static bool tell_one(const char *name, void *data)
{
	struct telling *t = data;

	if (names_have(&t->now, name) || names_add(&t->now, name))
		return true;
	if (!names_have(&t->r->left_out, name))
		tell(t->r, "not-ready", "interface", name, reason_name(XM_REASON_INTERFACES_LIMIT));
	return true;
}

void left_out_tell(struct reconcile *r)
{
	struct telling t = {.r = r};

	if (!r->no_slot && !r->left_out.count)
		return;
	each(r, tell_one, &t);
	names_free(&r->left_out);
	r->left_out = t.now;
}
