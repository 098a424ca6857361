// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be wrong where copies leave. */
#include <stdio.h>
#include <string.h>

#include "daemon/model/reasons.h"
#include "daemon/reconcile/doctor.h"

/* An ingress that copies to this one in native mode; "": none. */
static const char *native_ingress(const struct examination *e)
{
	const struct reconcile *r = e->r;

	for (size_t i = 0; i < r->iface_count; i++)
		if (r->by_name[i]->is_ingress && r->by_name[i]->native)
			return r->by_name[i]->name;
	return "";
}

/* The command that makes the native ingress generic: a statement of its own, or a changed one. */
static void wants_generic(struct examination *e, const char *text)
{
	const char *name = native_ingress(e);
	const struct interface_wish *wish = model_find_interface(e->r->model, name);

	if (!wish || !wish->file)
		finding_set(e, FINDING_PROBLEM, text,
			    "echo 'interface %s --mode generic' >>%s && xmcastctl reload", name,
			    e->wish->config_file);
	else
		finding_set(e, FINDING_PROBLEM, text,
			    "sed -i '%us/ --mode [a-z]*//; %us/$/ --mode generic/' %s && xmcastctl "
			    "reload",
			    wish->line, wish->line, wish->file);
}

void check_ready(struct examination *e)
{
	enum xm_reason reason = e->iface->reason;
	const char *name = e->iface->name;
	char text[200], command[512];

	if (reason == XM_REASON_NONE)
		return;
	snprintf(text, sizeof(text), "%s: %s: it gets no copies", reason_name(reason),
		 reason_text(reason));
	if (reason == XM_REASON_DOWN) {
		finding_set(e, FINDING_PROBLEM, text, "ip link set %s up", name);
	} else if (reason == XM_REASON_NO_CARRIER && e->link && link_is_veth(e->link)) {
		peer_command(e, command, sizeof(command), "ip link set @ up");
		finding_set(e, FINDING_PROBLEM, text, "%s", command);
	} else if (reason == XM_REASON_PEER_NO_NAPI) {
		peer_command(e, command, sizeof(command), "ethtool -K @ gro on");
		finding_set(e, FINDING_PROBLEM, text, "%s", command);
	} else if (reason == XM_REASON_NO_XDP_XMIT || reason == XM_REASON_NEEDS_GENERIC) {
		wants_generic(e, text);
	} else if (reason == XM_REASON_MEMBERS_LIMIT) {
		finding_set(e, FINDING_PROBLEM, text,
			    "echo 'limit members %u' >>%s && systemctl restart xmcastd",
			    2 * e->r->model->limits.members, e->wish->config_file);
	} else if (reason == XM_REASON_REFUSED) {
		finding_set(e, FINDING_PROBLEM, text, "ethtool -l %s", name);
	} else {
		finding_set(e, reason == XM_REASON_ABSENT ? FINDING_WARNING : FINDING_PROBLEM, text,
			    "ip link show %s", name);
	}
}

/* The largest MTU of an ingress that copies to this egress, and its name. */
static const struct link *largest_ingress(const struct examination *e)
{
	const struct reconcile *r = e->r;
	const struct link *largest = NULL;
	const struct egress_set *last = NULL;

	for (size_t i = 0; i < r->model->group_count; i++) {
		const struct group *group = r->model->groups[i];
		const struct link *from = netlink_by_name(r->netlink, group->key.from);
		if (!from || (largest && from->mtu <= largest->mtu) || group->set == last)
			continue;
		last = group->set;
		if (names_match(&group->set->to, e->iface->name) &&
		    !names_match(&group->set->exclude, e->iface->name))
			largest = from, last = NULL;
	}
	return largest;
}

void check_egress_mtu(struct examination *e)
{
	const struct link *from = largest_ingress(e);
	char text[256], peer[512] = "";

	if (!e->link || !from || link_mtu(e->link) >= from->mtu)
		return;
	snprintf(text, sizeof(text),
		 "its MTU is %u, that of ingress %s %u: larger frames are dropped here (too-big)",
		 link_mtu(e->link), from->name, from->mtu);
	if (link_is_veth(e->link) && e->link->peer_known && e->link->peer_mtu < from->mtu) {
		char command[48];
		snprintf(command, sizeof(command), "ip link set @ mtu %u", from->mtu);
		peer_command(e, peer, sizeof(peer), command);
	}
	if (peer[0] && e->link->mtu < from->mtu)
		finding_set(e, FINDING_WARNING, text, "ip link set %s mtu %u && %s", e->link->name,
			    from->mtu, peer);
	else if (peer[0])
		finding_set(e, FINDING_WARNING, text, "%s", peer);
	else
		finding_set(e, FINDING_WARNING, text, "ip link set %s mtu %u", e->link->name,
			    from->mtu);
}

static int rp_filter_of(const char *interface)
{
	char path[80];
	int value = 0;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/rp_filter", interface);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

/* Sockets of this namespace that hear the copies at the other end of a veth. */
void check_rp_filter(struct examination *e)
{
	const struct link *peer =
	    e->link && link_is_veth(e->link) && e->link->lower && e->link->lower_nsid < 0
		? netlink_by_index(e->r->netlink, e->link->lower)
		: NULL;
	char text[256];

	if (!peer || (rp_filter_of("all") != 1 && rp_filter_of(peer->name) != 1) ||
	    rp_filter_of("all") > 1 || rp_filter_of(peer->name) > 1)
		return;
	snprintf(text, sizeof(text),
		 "copies keep their sender's address, and rp_filter of %s drops those that it has "
		 "no route back to, before any socket",
		 peer->name);
	finding_set(e, FINDING_WARNING, text, "sysctl -w net.ipv4.conf.%s.rp_filter=2", peer->name);
}
