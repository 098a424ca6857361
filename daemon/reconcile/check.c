// SPDX-License-Identifier: GPL-2.0-or-later
/* Is a group possible with the interfaces there are? */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "daemon/model/reasons.h"
#include "daemon/reconcile/internal.h"

static void add_name(char *list, size_t size, const char *name)
{
	size_t used = strlen(list);
	snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

/* Adds every literal name of `names` that no interface has and `known` does not hold. */
static void find_missing(struct reconcile *r, const struct names *names, const struct names *known,
			 char *list, size_t size)
{
	for (size_t i = 0; i < names->count; i++)
		if (!name_is_pattern(names->name[i]) && !names_have(known, names->name[i]) &&
		    !netlink_by_name(r->netlink, names->name[i]))
			add_name(list, size, names->name[i]);
}

static int check_loop(struct reconcile *r, const struct group *group, const struct link *from,
		      struct fault *fault)
{
	const struct link *peer = NULL;

	if (!strcmp(from->kind, "veth") && from->lower_nsid < 0 && from->lower)
		peer = netlink_by_index(r->netlink, from->lower);
	if (peer && names_have(&group->to, peer->name))
		return fault_set(
		    fault, -EINVAL,
		    "%s and %s are the two ends of one veth pair: every copy would come "
		    "back; name another egress",
		    from->name, peer->name);
	const struct link *over = link_over_ports(r, from);
	if (over && names_have(&group->to, over->name) && !names_match(&group->exclude, over->name))
		return fault_set(fault, -EINVAL,
				 "%s is a port of %s: copies would leave by it again, to where the "
				 "frames came from; name another egress",
				 from->name, over->name);
	const struct link *parent =
	    strcmp(from->kind, "vlan") ? NULL : netlink_by_index(r->netlink, from->lower);
	if (parent && names_have(&group->to, parent->name))
		return fault_set(fault, -EINVAL,
				 "%s is the VLAN's parent: frames of %s arrive there and would go "
				 "back; name another egress",
				 parent->name, from->name);
	return 0;
}

static int count_match(const struct link *link, void *data)
{
	return !fnmatch(data, link->name, 0);
}

static bool gets_copies(const struct group *group, const char *name)
{
	return strcmp(name, group->key.from) && !names_match(&group->exclude, name);
}

/* A pattern of the group that means what its ingress is a port of. */
static void warn_of_port(struct reconcile *r, const struct group *group, const struct link *from,
			 void (*warn)(const char *text, void *token), void *token)
{
	const struct link *over = link_over_ports(r, from);
	char text[160];

	if (!over || !names_match(&group->to, over->name) ||
	    names_match(&group->exclude, over->name))
		return;
	snprintf(text, sizeof(text),
		 "%s is a port of %s: copies leave by it again, to where the frames came from; use "
		 "--exclude %s",
		 from->name, over->name, over->name);
	warn(text, token);
}

/* Of those who get copies of `group` and did not get any of `known`, the group as it is (or NULL).
 */
static void warn_members(struct reconcile *r, const struct group *group, const struct group *known,
			 void (*warn)(const char *text, void *token), void *token)
{
	const struct iface *iface = iface_find(r, group->key.from);
	const struct interface_wish *wish = model_find_interface(r->model, group->key.from);
	/* undecided `auto` takes the egresses named here into account: generic reaches all */
	bool native = iface && iface->decided ? iface->native : wish && wish->mode == MODE_NATIVE;

	for (size_t i = 0; i < group->to.count; i++) {
		char text[320], detail[128] = "", *name = group->to.name[i];
		if (known && names_have(&known->to, name) && gets_copies(known, name))
			continue;
		if (name_is_pattern(name)) {
			if (netlink_each(r->netlink, count_match, name))
				continue;
			snprintf(text, sizeof(text), "no interface matches %s yet", name);
			warn(text, token);
			continue;
		}
		if (!gets_copies(group, name))
			continue;
		const struct link *link = netlink_by_name(r->netlink, name);
		enum xm_reason reason = link_reason(link, native);
		const struct iface *egress = iface_find(r, name);
		bool refuses = egress && egress->tried;
		if (reason == XM_REASON_NONE ||
		    (reason == XM_REASON_NO_XDP_XMIT && link_needs_program(link) && !refuses))
			continue;
		if (link)
			link_detail(r, link, reason, detail, sizeof(detail));
		snprintf(text, sizeof(text), "egress %s is not ready: %s (%s)%s%s", name,
			 reason_name(reason), reason_text(reason), detail[0] ? "; " : "", detail);
		warn(text, token);
	}
}

int reconcile_check_group(struct reconcile *r, const struct group *group, enum group_check how,
			  void (*warn)(const char *text, void *token), void *token,
			  struct fault *fault)
{
	static const struct names none = {0};
	char missing[256] = "";
	const struct link *from = netlink_by_name(r->netlink, group->key.from);
	const struct group *known = model_find_group(r->model, &group->key);

	if (!from && !known)
		add_name(missing, sizeof(missing), group->key.from);
	find_missing(r, &group->to, known ? &known->to : &none, missing, sizeof(missing));
	find_missing(r, &group->exclude, known ? &known->exclude : &none, missing, sizeof(missing));
	if (missing[0] && how == CHECK_PRESENT)
		return fault_set(fault, -ENODEV,
				 "no such interface: %s; use --pending for one that will come",
				 missing);
	if (from && (!from->ethernet || from->loopback))
		return fault_set(fault, -EINVAL,
				 "%s cannot be an ingress: it carries no Ethernet frames",
				 from->name);
	int error = from ? check_loop(r, group, from, fault) : 0;
	if (!error && from && link_refuses_vlan(r, from, group->key.vlan, missing, sizeof(missing)))
		return fault_set(fault, -EINVAL, "%s", missing);
	const struct group *other = interfaces_conflict(r, group, true);
	if (!error && other && how != CHECK_APPLIED) { /* else list-groups shows what stays */
		char text[GROUP_KEY_TEXT_MAX];
		return fault_set(fault, -EEXIST,
				 "%s means the same frames as group %s: change that one, or delete "
				 "it first",
				 group->key.from, group_key_format(&other->key, text));
	}
	if (error)
		return error;
	warn_members(r, group, known, warn, token);
	if (from)
		warn_of_port(r, group, from, warn, token);
	if (from && !known && !group->key.vlan && link_mixes_vlans(from)) {
		snprintf(missing, sizeof(missing), "%s: %s", from->name, vlans_mixed);
		warn(missing, token);
	}
	if (from)
		link_vlan_detail(r, from, group->key.vlan, missing, sizeof(missing));
	if (from && missing[0])
		warn(missing, token);
	return 0;
}
