// SPDX-License-Identifier: GPL-2.0-or-later
/* What the name that a group has for its ingress means: a VLAN interface its parent and a tag. */
#include <string.h>

#include "daemon/reconcile/internal.h"

const char *resolve_parent(const struct reconcile *r, const char *from, uint32_t *vlan)
{
	const struct link *link = netlink_by_name(r->netlink, from);

	/*
	 * A VLAN netdev means its parent and that tag; the outer tag is the parent's. But itself
	 * where the parent is out of reach, or has no tags to tell VLANs by.
	 */
	while (link && !strcmp(link->kind, "vlan") && *vlan <= 0xfff) {
		const struct link *parent =
		    link->lower_nsid < 0 ? netlink_by_index(r->netlink, link->lower) : NULL;
		if (!parent || link_hides_vlans(parent))
			break;
		*vlan = (uint32_t)link->vlan_id << (*vlan ? 16 : 0) | *vlan;
		from = parent->name;
		link = parent;
	}
	return from;
}

struct iface *resolve_ingress(struct reconcile *r, const char *from, uint32_t *vlan)
{
	return iface_get(r, resolve_parent(r, from, vlan));
}

bool resolve_key(struct group_key *key, void *data)
{
	const char *name = resolve_parent(data, key->from, &key->vlan);

	if (!strcmp(name, key->from))
		return false;
	memset(key->from, 0, sizeof(key->from));
	strncpy(key->from, name, sizeof(key->from) - 1);
	return true;
}

/* The model's group of that ingress name, if it means `key`: with no tag of its own, or the inner.
 */
static const struct group *find_by_alias(struct reconcile *r, const char *from,
					 const struct group_key *key)
{
	const uint32_t tags[] = {0, key->vlan & 0xffff};

	for (int i = 0; i < 2; i++) {
		struct group_key own = *key, resolved;
		memset(own.from, 0, sizeof(own.from));
		strncpy(own.from, from, sizeof(own.from) - 1);
		own.vlan = tags[i];
		resolved = own;
		resolve_key(&resolved, r);
		if (!group_key_compare(&resolved, key) && model_find_group(r->model, &own))
			return model_find_group(r->model, &own);
	}
	return NULL;
}

const struct group *resolve_conflict(struct reconcile *r, const struct group *group, bool all)
{
	struct group_key key = group->key;
	bool is_alias = resolve_key(&key, r);
	const struct group *found = is_alias ? model_find_group(r->model, &key) : NULL;

	for (size_t i = 0; !found && (is_alias || all) && i < r->aliases.count; i++) {
		if (strcmp(r->aliases.name[i], group->key.from))
			found = find_by_alias(r, r->aliases.name[i], &key);
		else if (!all)
			break;
	}
	return found;
}
