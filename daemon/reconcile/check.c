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

/* `over`: what the ingress is a port of, or NULL. */
static int check_loop(struct reconcile *r, const struct group *group, const struct link *from,
		      const struct link *over, struct fault *fault)
{
	const struct link *peer = NULL;

	if (link_is_veth(from) && from->lower_nsid < 0 && from->lower)
		peer = netlink_by_index(r->netlink, from->lower);
	if (peer && names_have(&group->to, peer->name))
		return fault_set(
		    fault, -EINVAL,
		    "%s and %s are the two ends of one veth pair: every copy would come "
		    "back; name another egress",
		    from->name, peer->name);
	if (over && names_have(&group->to, over->name) && !names_match(&group->exclude, over->name))
		return fault_set(fault, -EINVAL,
				 "%s is a port of %s: copies would leave by it again, to where the "
				 "frames came from; name another egress",
				 from->name, over->name);
	const struct link *parent = strcmp(from->kind, "vlan") || from->lower_nsid >= 0
					? NULL
					: netlink_by_index(r->netlink, from->lower);
	if (parent && names_have(&group->to, parent->name))
		return fault_set(fault, -EINVAL,
				 "%s is below the VLAN interface %s: copies would leave by it to "
				 "where the frames came from, %s; name another egress",
				 parent->name, from->name,
				 link_hides_vlans(parent) ? "without their tag" : "tag and all");
	return 0;
}

static bool gets_copies(const struct group *group, const char *name)
{
	return strcmp(name, group->key.from) && !names_match(&group->exclude, name);
}

/* A pattern of the group that means what its ingress is a port of. */
static void warn_of_port(const struct group *group, const struct link *from,
			 const struct link *over, void (*warn)(const char *text, void *token),
			 void *token)
{
	char text[160];

	if (!names_match(&group->to, over->name) || names_match(&group->exclude, over->name))
		return;
	snprintf(text, sizeof(text),
		 "%s is a port of %s: copies leave by it again, to where the frames came from; use "
		 "--exclude %s",
		 from->name, over->name, over->name);
	warn(text, token);
}

/* Why `name` gets no copies; XM_REASON_NONE: it gets them, perhaps with a program of its own. */
static enum xm_reason reason_of(const struct reconcile *r, const struct link *link,
				const char *name, bool native)
{
	const struct iface *egress = iface_find(r, name);
	enum xm_reason reason = link_reason(link, native);
	bool refuses = egress && egress->tried;

	return reason == XM_REASON_NO_XDP_XMIT && link_needs_program(link) && !refuses
		   ? XM_REASON_NONE
		   : reason;
}

/* Those that a pattern means. */
struct matching {
	const struct reconcile *r;
	const struct group *group;
	const char *pattern;
	bool native;
	unsigned int count;
	const struct link *last; /* that is not ready */
	enum xm_reason reason;
};

static int add_match(const struct link *link, void *data)
{
	struct matching *m = data;

	if (fnmatch(m->pattern, link->name, 0) || !gets_copies(m->group, link->name))
		return 0;
	enum xm_reason reason = reason_of(m->r, link, link->name, m->native);
	m->count++;
	if (reason == XM_REASON_NONE)
		return 1; /* one is enough */
	m->last = link;
	m->reason = reason;
	return 0;
}

/* One that is not ready among many is no news; when all are not, it is. "": nothing to say. */
static void check_pattern(struct matching *m, char *text, size_t size)
{
	text[0] = 0;
	if (netlink_each(m->r->netlink, add_match, m))
		return;
	if (!m->count)
		snprintf(text, size, "no interface matches %s yet", m->pattern);
	else
		snprintf(text, size, "no interface that matches %s is ready: %s: %s (%s)",
			 m->pattern, m->last->name, reason_name(m->reason), reason_text(m->reason));
}

/* "": it is ready. */
static void check_name(const struct reconcile *r, const char *name, bool native, char *text,
		       size_t size)
{
	const struct link *link = netlink_by_name(r->netlink, name);
	enum xm_reason reason = reason_of(r, link, name, native);
	char detail[128] = "";

	text[0] = 0;
	if (reason == XM_REASON_NONE)
		return;
	if (link)
		link_detail(r, link, reason, detail, sizeof(detail));
	snprintf(text, size, "egress %s is not ready: %s (%s)%s%s", name, reason_name(reason),
		 reason_text(reason), detail[0] ? "; " : "", detail);
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
		char text[320] = "", *name = group->to.name[i];
		if (known && names_have(&known->to, name) && gets_copies(known, name))
			continue;
		if (name_is_pattern(name))
			check_pattern(
			    &(struct matching){
				.r = r, .group = group, .pattern = name, .native = native},
			    text, sizeof(text));
		else if (gets_copies(group, name))
			check_name(r, name, native, text, sizeof(text));
		if (text[0])
			warn(text, token);
	}
}

/* What refuses the group, as it is or beside the others. */
static int check_possible(struct reconcile *r, const struct group *group, const struct link *from,
			  const struct link *over, enum group_check how, struct fault *fault)
{
	char text[256];

	if (from && (!from->ethernet || from->loopback))
		return fault_set(fault, -EINVAL,
				 "%s cannot be an ingress: it carries no Ethernet frames",
				 from->name);
	int error = from ? check_loop(r, group, from, over, fault) : 0;
	if (error)
		return error;
	if (from && link_refuses_vlan(r, from, group->key.vlan, text, sizeof(text)))
		return fault_set(fault, -EINVAL, "%s", text);
	const struct group *other = how == CHECK_APPLIED ? NULL : resolve_conflict(r, group, true);
	if (other) { /* of an applied one list-groups shows what stays */
		char key[GROUP_KEY_TEXT_MAX];
		return fault_set(fault, -EEXIST,
				 "%s means the same frames as group %s: change that one, or delete "
				 "it first",
				 group->key.from, group_key_format(&other->key, key));
	}
	return 0;
}

/* What is there, and will not do all that the group is for. */
static void warn_of_ingress(struct reconcile *r, const struct group *group, bool known,
			    const struct link *from, const struct link *over,
			    void (*warn)(const char *text, void *token), void *token)
{
	char text[256];

	if (over)
		warn_of_port(group, from, over, warn, token);
	if (!known && !group->key.vlan && link_mixes_vlans(from)) {
		snprintf(text, sizeof(text), "%s: %s", from->name, vlans_mixed);
		warn(text, token);
	}
	link_vlan_detail(r, from, group->key.vlan, text, sizeof(text));
	if (text[0])
		warn(text, token);
}

int reconcile_check_group(struct reconcile *r, const struct group *group, enum group_check how,
			  void (*warn)(const char *text, void *token), void *token,
			  struct fault *fault)
{
	static const struct names none = {0};
	char text[256] = "";
	const struct link *from = netlink_by_name(r->netlink, group->key.from);
	const struct link *over = from ? link_over_ports(r, from) : NULL;
	const struct group *known = model_find_group(r->model, &group->key);

	if (!from && !known)
		add_name(text, sizeof(text), group->key.from);
	find_missing(r, &group->to, known ? &known->to : &none, text, sizeof(text));
	find_missing(r, &group->exclude, known ? &known->exclude : &none, text, sizeof(text));
	if (text[0] && how == CHECK_PRESENT)
		return fault_set(fault, -ENODEV,
				 "no such interface: %s; use --pending for one that will come",
				 text);
	int error = check_possible(r, group, from, over, how, fault);
	if (error)
		return error;
	if (!from && !known) {
		snprintf(text, sizeof(text),
			 "ingress %s does not exist yet: nothing is copied until it does",
			 group->key.from);
		warn(text, token);
	}
	warn_members(r, group, known, warn, token);
	if (from)
		warn_of_ingress(r, group, known, from, over, warn, token);
	return 0;
}
