// SPDX-License-Identifier: GPL-2.0-or-later
/* What the daemon tells of groups, interfaces and sums. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/model/reasons.h"
#include "daemon/reconcile/internal.h"

/* The egresses of the group that was reported last; reused from call to call. */
static struct egress_report *report_members(struct reconcile *r, const struct actual_set *set)
{
	static struct egress_report *egress;
	static unsigned int room;

	const unsigned int count = set->member_count + set->left_out;
	if (count > room) {
		struct egress_report *grown = reallocarray(egress, count, sizeof(*grown));
		if (!grown)
			return NULL;
		egress = grown;
		room = count;
	}
	for (unsigned int i = 0; i < count; i++) {
		const struct member *m = &set->members[i];
		struct egress_report *e = &egress[i];
		*e = (struct egress_report){.ready = m->reason == XM_REASON_NONE,
					    .reason = m->reason};
		memcpy(e->interface, m->name, sizeof(e->interface));
		const struct link *link = netlink_by_index(r->netlink, m->ifindex);
		if (link && !e->ready)
			link_detail(r, link, m->reason, e->detail, sizeof(e->detail));
		if (link && m->reason == XM_REASON_NO_XDP_XMIT && m->iface->tried)
			snprintf(e->detail, sizeof(e->detail), "%s", m->iface->forced);
	}
	return egress;
}

static void detached_by(const struct interface_wish *wish, char *buf, size_t size)
{
	if (wish->file)
		snprintf(buf, size, "detached by %.64s:%u; run: xmcastctl attach %s", wish->file,
			 wish->line, wish->name);
	else
		snprintf(buf, size, "detached; run: xmcastctl attach %s", wish->name);
}

static void report_state(struct reconcile *r, const struct iface *ingress, uint32_t vlan,
			 bool ready, struct group_report *out)
{
	const struct interface_wish *wish =
	    ingress ? model_find_interface(r->model, ingress->name) : NULL;

	if (!ingress && netlink_by_name(r->netlink, out->group->key.from)) {
		out->state = "failed";
		snprintf(out->detail, sizeof(out->detail), "%s",
			 reason_text(XM_REASON_INTERFACES_LIMIT));
	} else if (!ingress || !ingress->ifindex) {
		out->state = "pending";
		snprintf(out->detail, sizeof(out->detail), "no interface %s", out->group->key.from);
	} else if (wish && wish->detached) {
		out->state = "detached";
		detached_by(wish, out->detail, sizeof(out->detail));
	} else if (!ingress->attached) {
		out->state = "failed";
		snprintf(out->detail, sizeof(out->detail), "%s", ingress->forced);
	} else {
		const struct link *link = netlink_by_index(r->netlink, ingress->ifindex);
		out->state = ready ? "active" : "no-egress";
		if (link && link_refuses_vlan(r, link, vlan, out->detail, sizeof(out->detail)))
			out->state = "failed";
		else if (link)
			link_vlan_detail(r, link, vlan, out->detail, sizeof(out->detail));
	}
}

int reconcile_group_report(struct reconcile *r, const struct group *group, struct group_report *out)
{
	const struct group *other = resolve_conflict(r, group, false);
	uint32_t vlan = group->key.vlan, entry = other ? 0 : entries_of_group(r, group);
	const struct iface *ingress = resolve_ingress(r, group->key.from, &vlan);
	const struct actual_set *set = group->set->actual;
	bool ready = false;

	*out = (struct group_report){.group = group};
	while (set && ingress && set->native != ingress->native)
		set = set->sibling;
	if (set) {
		out->egress = report_members(r, set);
		out->egress_count = set->member_count + set->left_out;
		if (!out->egress && out->egress_count)
			return -ENOMEM;
		for (size_t i = 0; i < out->egress_count; i++)
			ready |= out->egress[i].ready;
	}
	report_state(r, ingress, vlan, ready, out);
	if (other) {
		char text[GROUP_KEY_TEXT_MAX];
		out->state = "conflict";
		snprintf(out->detail, sizeof(out->detail),
			 "group %.100s means the same frames and counts: delete one",
			 group_key_format(&other->key, text));
	}
	struct xm_group_counters c = {0};
	if (entry)
		counters_group(r->dp, entry, &c);
	out->frames = c.frames;
	out->bytes = c.bytes;
	out->copies = c.copies;
	return 0;
}

static void report_link(const struct link *link, struct interface_report *out)
{
	snprintf(out->driver, sizeof(out->driver), "%s", link->driver);
	snprintf(out->kind, sizeof(out->kind), "%s", link->kind);
	out->mtu = link->mtu;
	out->features_known = link->xdp_features_known;
	out->features = link->xdp_features;
	out->driver_dropped = link->tx_dropped;
}

enum xm_reason report_reason(const struct reconcile *r, const struct iface *iface)
{
	const struct link *link = netlink_by_index(r->netlink, iface->ifindex);
	enum xm_reason reason = iface->memberships ? iface->reason : link_reason(link, false);

	if (reason != XM_REASON_NONE || !iface->is_ingress || iface->attached)
		return reason;
	const struct interface_wish *wish = model_find_interface(r->model, iface->name);
	return wish && wish->detached ? XM_REASON_DETACHED : XM_REASON_NOT_ATTACHED;
}

static void add_words(char *buf, size_t size, const char *words)
{
	size_t used = strlen(buf);

	snprintf(buf + used, size - used, "%s%s", used ? "; " : "", words);
}

static void report_program(struct reconcile *r, const struct iface *iface, const struct link *link,
			   struct interface_report *out)
{
	const struct interface_wish *wish = model_find_interface(r->model, iface->name);

	out->wanted = !wish ? "auto" : wish->detached ? "detached" : mode_name(wish->mode);
	snprintf(out->forced, sizeof(out->forced), "%s", iface->forced);
	if (iface->lacks[0])
		add_words(out->forced, sizeof(out->forced), iface->lacks);
	if (wish && wish->detached)
		detached_by(wish, out->forced, sizeof(out->forced));
	else if (link && iface->is_ingress && link_mixes_vlans(link))
		add_words(out->forced, sizeof(out->forced), vlans_mixed);
	if (!iface->attached)
		return;
	out->mode = iface->native ? "native" : "generic";
	out->attach = iface->state.dispatcher ? "dispatcher" : "single";
	snprintf(out->why_single, sizeof(out->why_single), "%s", iface->state.why_single);
	out->program_id = iface->state.program_id;
}

static void report_interface(struct reconcile *r, struct iface *iface, struct interface_report *out)
{
	if (iface->ifindex)
		netlink_refresh(r->netlink, iface->ifindex); /* for tx_dropped */
	const struct link *link = netlink_by_index(r->netlink, iface->ifindex);
	struct xm_interface_counters c;
	counters_interface(r->dp, iface->slot, &c);

	*out = (struct interface_report){
	    .ifindex = iface->ifindex,
	    .is_ingress = iface->is_ingress,
	    .is_egress = iface->memberships > 0,
	    .mode = "none",
	    .wanted = "auto",
	    .attach = "none",
	    .reason = report_reason(r, iface),
	    .received = c.received,
	    .transmitted = c.transmitted,
	};
	memcpy(out->interface, iface->name, sizeof(out->interface));
	memcpy(out->dropped, c.dropped, sizeof(out->dropped));
	/* counted where the frame arrives, told where the copy is missing */
	out->dropped[XM_REASON_TOO_BIG] = r->dp->interface_records[iface->slot].too_big;
	if (link)
		report_link(link, out);
	if (iface->is_ingress || iface->attached ||
	    (iface->tried && out->reason == XM_REASON_NO_XDP_XMIT))
		report_program(r, iface, link, out);
	out->ready = out->reason == XM_REASON_NONE;
}

int reconcile_each_interface(struct reconcile *r,
			     int (*f)(const struct interface_report *report, void *token),
			     void *token)
{
	for (struct actual_set *set = r->sets; set; set = set->next)
		levels_count_too_big(r, set);
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		struct interface_report report;
		if (!r->ifaces[slot] || r->ifaces[slot]->idle)
			continue;
		report_interface(r, r->ifaces[slot], &report);
		int error = f(&report, token);
		if (error)
			return error;
	}
	return 0;
}

/* Each interface once: by its own reason, or by that of a set which has no room for it. */
static int count_not_ready(const struct reconcile *r, struct stats_report *out)
{
	unsigned char *reason = malloc(r->dp->sizes.interfaces + 1);

	if (!reason)
		return -ENOMEM;
	for (uint32_t slot = 0; slot <= r->dp->sizes.interfaces; slot++) {
		const struct iface *iface = r->ifaces[slot];
		reason[slot] = iface && !iface->idle ? report_reason(r, iface) : XM_REASON_NONE;
	}
	for (const struct actual_set *set = r->sets; set; set = set->next)
		for (unsigned int i = 0; i < set->member_count; i++)
			if (reason[set->members[i].iface->slot] == XM_REASON_NONE)
				reason[set->members[i].iface->slot] = set->members[i].reason;
	for (uint32_t slot = 0; slot <= r->dp->sizes.interfaces; slot++)
		if (reason[slot] >= XM_REASONS_COUNTED && reason[slot] < XM_REASONS)
			out->not_ready[reason[slot] - XM_REASONS_COUNTED]++;
	/* these have no slot to be seen by */
	out->not_ready[XM_REASON_INTERFACES_LIMIT - XM_REASONS_COUNTED] += r->left_out.count;
	free(reason);
	return 0;
}

int reconcile_stats(struct reconcile *r, struct stats_report *out)
{
	uint64_t copies_dropped = 0;

	*out = (struct stats_report){0};
	for (uint32_t slot = 0; slot <= r->dp->sizes.interfaces; slot++) {
		struct xm_interface_counters c;
		if (slot && !r->dp->interface_records[slot].name[0])
			continue;
		counters_interface(r->dp, slot, &c); /* 0: those of the gone ones */
		out->received += c.received;
		out->matched += c.matched;
		out->copies += c.copies;
		out->transmitted += c.transmitted;
		for (int i = 0; i < XM_PROTOCOLS; i++)
			out->unmatched[i] += c.unmatched[i];
		for (int i = 0; i < XM_REASONS_COUNTED; i++)
			out->dropped[i] += c.dropped[i];
	}
	for (int i = 0; i < XM_REASONS_COUNTED; i++)
		if (reason_level(i) == REASON_COPY)
			copies_dropped += out->dropped[i];
	out->unexplained = out->copies - out->transmitted - copies_dropped;
	return count_not_ready(r, out);
}

/* An ingress without a program, or with another than is wanted. */
static bool interface_failed(const struct reconcile *r, const struct iface *iface)
{
	const struct interface_wish *wish = model_find_interface(r->model, iface->name);

	if (!iface->is_ingress || !iface->ifindex || (wish && wish->detached))
		return false;
	return iface->attached ? iface->outdated || iface->refused_mode != MODE_AUTO : iface->tried;
}

/* The first of what could not be done and still is not. */
static void report_problem(const struct reconcile *r, char *buf, size_t size)
{
	snprintf(buf, size, "%s", r->problem.text);
	for (uint32_t slot = 1; !*buf && slot <= r->dp->sizes.interfaces; slot++) {
		const struct iface *iface = r->ifaces[slot];
		if (iface && interface_failed(r, iface))
			snprintf(buf, size, "%s: %s", iface->name,
				 iface->attached && iface->outdated ? iface->lacks : iface->forced);
	}
	if (!*buf)
		left_out_words(r, buf, size);
}

void reconcile_status(struct reconcile *r, struct status_report *out)
{
	const struct dataplane *dp = r->dp;

	if (!worker_growing(r->worker)) /* else the pools are its own */
		r->kernel_memory = dataplane_memory(dp);
	*out = (struct status_report){
	    .version = XM_VERSION,
	    .pid = getpid(),
	    .enforce = enforce_name(r->model->enforce),
	    .pinned = dp->pin_dir[0],
	    .groups = r->model->group_count,
	    .entries = r->entry_count,
	    .limits = r->model->limits,
	    .kernel_memory_bytes = r->kernel_memory,
	};
	snprintf(out->pin_dir, sizeof(out->pin_dir), "%s", dp->pin_dir);
	for (const struct actual_set *set = r->sets; set; set = set->next)
		out->sets++;
	out->interfaces = ifaces_used(r);
	report_problem(r, out->problem, sizeof(out->problem));
	out->settled = r->settled && !out->problem[0];
}

void reconcile_summarize(const struct reconcile *r, struct reconcile_summary *out)
{
	*out = (struct reconcile_summary){0};
	for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++) {
		const struct iface *iface = r->ifaces[slot];
		if (!iface)
			continue;
		out->ingresses += iface->is_ingress;
		out->attached += iface->is_ingress && iface->attached;
		out->egresses += iface->memberships > 0;
		out->ready += iface->memberships > 0 && iface->reason == XM_REASON_NONE;
	}
}

int reconcile_probe(struct reconcile *r)
{
	const int loopback = 1; /* of every network namespace (LOOPBACK_IFINDEX) */
	int error = netlink_refresh(r->netlink, loopback);

	return error == -ENODEV ? 0 : error; /* that is an answer, too */
}
