// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything that is known to go wrong, looked at one by one. */
#include "daemon/reconcile/doctor.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum scope { SCOPE_DAEMON, SCOPE_INGRESS, SCOPE_EGRESS };

static void check_capabilities(struct examination *e);
static void check_pins(struct examination *e);
static void check_settled(struct examination *e);
static void check_interfaces(struct examination *e);

static const struct check {
	const char *name;
	enum scope scope;
	void (*function)(struct examination *e);
} checks[] = {
    {"capabilities", SCOPE_DAEMON, check_capabilities},
    {"pins", SCOPE_DAEMON, check_pins},
    {"settled", SCOPE_DAEMON, check_settled},
    {"interfaces", SCOPE_DAEMON, check_interfaces},
    {"link", SCOPE_INGRESS, check_ingress_link},
    {"program", SCOPE_INGRESS, check_program},
    {"mode", SCOPE_INGRESS, check_mode},
    {"native-mtu", SCOPE_INGRESS, check_ingress_mtu},
    {"allmulticast", SCOPE_INGRESS, check_allmulti},
    {"vlan-offload", SCOPE_INGRESS, check_vlan_offload},
    {"tunnels", SCOPE_INGRESS, check_tunnels},
    {"merging", SCOPE_INGRESS, check_merging},
    {"snooping", SCOPE_INGRESS, check_snooping},
    {"loop", SCOPE_INGRESS, check_loop},
    {"ready", SCOPE_EGRESS, check_ready},
    {"mtu", SCOPE_EGRESS, check_egress_mtu},
    {"bridge", SCOPE_EGRESS, check_bridge},
    {"rp-filter", SCOPE_EGRESS, check_rp_filter},
};

void finding_set(struct examination *e, enum finding_level level, const char *text,
		 const char *format, ...)
{
	va_list ap;

	e->finding->level = level;
	snprintf(e->finding->text, sizeof(e->finding->text), "%s", text);
	va_start(ap, format);
	vsnprintf(e->finding->remedy, sizeof(e->finding->remedy), format, ap);
	va_end(ap);
}

void peer_command(struct examination *e, char *buf, size_t size, const char *command)
{
	const struct link *link = e->link;
	char prefix[420], name[48];
	size_t used;
	int r = netlink_peer_prefix(e->r->netlink, link->ifindex, prefix, sizeof(prefix));

	if (r)
		snprintf(prefix, sizeof(prefix), "(in the network namespace of id %d) ",
			 link->lower_nsid);
	if (link->peer_known && link->peer_name[0])
		snprintf(name, sizeof(name), "%s", link->peer_name);
	else
		snprintf(name, sizeof(name), "PEER(ifindex %d)", link->lower);
	used = snprintf(buf, size, "%s", prefix);
	for (const char *at = command; *at && used < size - 1; at++) {
		if (*at != '@') {
			buf[used++] = *at;
			buf[used] = 0;
			continue;
		}
		used += snprintf(buf + used, size - used, "%s", name);
	}
}

/* --- the daemon itself --- */

static void check_capabilities(struct examination *e)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {};
	static const struct {
		int bit;
		const char *name;
	} needed[] = {
	    {CAP_BPF, "CAP_BPF"}, {CAP_NET_ADMIN, "CAP_NET_ADMIN"}, {CAP_PERFMON, "CAP_PERFMON"}};
	char text[160] = "xmcastd lacks";
	size_t used = strlen(text), before = used;

	if (syscall(SYS_capget, &header, data))
		return;
	if (data[0].effective >> CAP_SYS_ADMIN & 1) /* implies the BPF ones */
		data[CAP_BPF / 32].effective |= 1u << CAP_BPF % 32 | 1u << CAP_PERFMON % 32;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!(data[needed[i].bit / 32].effective >> needed[i].bit % 32 & 1))
			used += snprintf(text + used, sizeof(text) - used, " %s", needed[i].name);
	if (used > before)
		finding_set(e, FINDING_PROBLEM, text,
			    "systemctl edit xmcastd: CapabilityBoundingSet=CAP_BPF CAP_NET_ADMIN "
			    "CAP_PERFMON, then systemctl restart xmcastd");
}

static void check_pins(struct examination *e)
{
	if (!e->r->dp->pin_dir[0])
		finding_set(e, FINDING_WARNING,
			    "nothing is pinned: forwarding stops with the daemon, and a restart "
			    "loses frames",
			    "mount -t bpf bpf /sys/fs/bpf && systemctl restart xmcastd");
}

static void check_settled(struct examination *e)
{
	const struct reconcile *r = e->r;

	if (r->problem.text[0])
		finding_set(e, FINDING_PROBLEM, r->problem.text, "xmcastctl status");
}

static void check_interfaces(struct examination *e)
{
	char text[160];

	if (left_out_words(e->r, text, sizeof(text)))
		finding_set(e, FINDING_PROBLEM, text,
			    "echo 'limit interfaces %u' >>%s && systemctl restart xmcastd",
			    2 * e->r->model->limits.interfaces, e->wish->config_file);
}

/* --- all of them --- */

static bool is_about(const struct doctor_wish *wish, const struct iface *iface)
{
	return !wish->interfaces || !wish->interfaces->count ||
	       names_have(wish->interfaces, iface->name);
}

static int run(struct examination *e, const struct check *check)
{
	struct finding finding = {.check = check->name, .level = FINDING_OK};

	if (e->iface)
		memcpy(finding.subject, e->iface->name, sizeof(e->iface->name));
	e->finding = &finding;
	check->function(e);
	return e->wish->finding(&finding, e->wish->token);
}

static bool applies(const struct check *check, const struct iface *iface)
{
	return check->scope == SCOPE_INGRESS  ? iface->is_ingress
	       : check->scope == SCOPE_EGRESS ? iface->memberships > 0
					      : false;
}

/* A name that was asked for, and that no group uses. */
static int tell_unused(struct examination *e, const char *name)
{
	struct finding finding = {.check = "link"};

	e->finding = &finding;
	snprintf(finding.subject, sizeof(finding.subject), "%s", name);
	if (netlink_by_name(e->r->netlink, name))
		finding_set(e, FINDING_WARNING, "no group uses it: there is nothing to look at",
			    "xmcastctl list-groups");
	else
		finding_set(e, FINDING_PROBLEM, "no such interface, and no group uses it",
			    "ip link show");
	return e->wish->finding(&finding, e->wish->token);
}

int reconcile_doctor(struct reconcile *r, const struct doctor_wish *wish)
{
	struct examination e = {.r = r, .wish = wish};
	const size_t count = sizeof(checks) / sizeof(*checks);
	int error = 0;

	for (size_t i = 0; !error && i < count; i++)
		if (checks[i].scope == SCOPE_DAEMON)
			error = run(&e, &checks[i]);
	for (size_t n = 0; !error && n < r->iface_count; n++) {
		e.iface = r->by_name[n];
		if (!is_about(wish, e.iface))
			continue;
		e.link = netlink_by_index(r->netlink, e.iface->ifindex);
		for (size_t i = 0; !error && i < count; i++)
			if (applies(&checks[i], e.iface))
				error = run(&e, &checks[i]);
	}
	for (size_t i = 0; !error && wish->interfaces && i < wish->interfaces->count; i++) {
		const struct iface *iface = iface_find(r, wish->interfaces->name[i]);
		if (!iface || iface->idle)
			error = tell_unused(&e, wish->interfaces->name[i]);
	}
	return error;
}
