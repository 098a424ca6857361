// SPDX-License-Identifier: GPL-2.0-or-later
/* Native or generic: what an ingress that is not attached yet, or once more, is to be. */
#include <stdio.h>

#include "daemon/model/reasons.h"
#include "daemon/reconcile/internal.h"

/* Of those that need a program of their own, some were found to refuse it. */
static bool can_receive(const struct reconcile *r, const struct link *link)
{
	const struct iface *iface = iface_find(r, link->name);

	return link_can_receive(link) && !(link_needs_program(link) && iface && iface->tried);
}

bool mode_each_blocker(struct reconcile *r, const struct iface *iface,
		       bool (*f)(const struct link *link, void *data), void *data)
{
	const struct egress_set *last = NULL;

	for (size_t i = 0; i < r->model->group_count; i++) {
		const struct group *group = r->model->groups[i];
		uint32_t vlan = 0;
		if (group->set == last || resolve_ingress(r, group->key.from, &vlan) != iface)
			continue;
		last = group->set;
		for (size_t j = 0; j < last->to.count; j++) {
			const struct link *link = netlink_by_name(r->netlink, last->to.name[j]);
			if (link && !names_match(&last->exclude, link->name) &&
			    !can_receive(r, link) && !f(link, data))
				return false;
		}
	}
	return true;
}

static bool blame(const struct link *link, void *data)
{
	struct iface *iface = data;

	snprintf(iface->forced, sizeof(iface->forced),
		 "egress %s cannot receive redirected frames (%s)", link->name,
		 reason_name(link_reason(link, true)));
	return false;
}

void mode_decide(struct reconcile *r, struct iface *iface, const struct link *link)
{
	const struct interface_wish *wish = model_find_interface(r->model, iface->name);
	enum mode mode = wish ? wish->mode : MODE_AUTO;

	iface->forced[0] = 0;
	bool native =
	    mode == MODE_NATIVE ||
	    (mode == MODE_AUTO && link_can_native(link, iface->forced, sizeof(iface->forced)) &&
	     mode_each_blocker(r, iface, blame, iface));
	if (iface->attached && native != iface->native) {
		iface->has_former = iface->receives; /* gone back to when attaching fails */
		attach_drop(r, iface);		     /* the kernel holds one mode at a time */
	}
	iface->native = native;
	iface->decided = true;
	r->entries_dirty = true;
}

void mode_check_wish(struct reconcile *r, struct iface *iface)
{
	const struct interface_wish *wish = model_find_interface(r->model, iface->name);
	enum mode mode = wish ? wish->mode : MODE_AUTO;

	if (mode != iface->refused_mode)
		iface->refused_mode = MODE_AUTO;
	if (mode == MODE_AUTO || mode == iface->refused_mode || !iface->decided)
		return;
	if (iface->native != (mode == MODE_NATIVE))
		iface->decided = iface->tried = false;
}
