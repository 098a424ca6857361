/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of the network namespace: who joined what, and what the kernel lets be joined. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/output.h"
#include "daemon/model/address.h"

#define MAX_MEMBERSHIPS "/proc/sys/net/ipv4/igmp_max_memberships"
#define TOLD_MAX	8 /* groups named by one check */

/* A group that an interface has joined. */
struct membership {
	char interface[IF_NAMESIZE];
	struct prefix address;
	unsigned int users;
	bool autojoin; /* one of the users is an address with autojoin */
};

struct memberships {
	struct membership *of;
	size_t count;
};

static void add(struct memberships *all, const char *interface, const struct prefix *address,
		unsigned int users)
{
	struct membership *grown;

	if (prefix_is_control(address)) /* passes to the stack whatever the groups */
		return;
	grown = reallocarray(all->of, all->count + 1, sizeof(*grown));
	if (!grown)
		return;
	all->of = grown;
	all->of[all->count] = (struct membership){.address = *address, .users = users};
	snprintf(all->of[all->count].interface, IF_NAMESIZE, "%s", interface);
	all->count++;
}

static struct prefix whole_ipv4(uint32_t address)
{
	struct prefix p = {.len = 128};

	p.address.byte[10] = p.address.byte[11] = 0xff;
	p.address.word[3] = address;
	return p;
}

/* "2 eth0 : 3 V3", and below it a line for each group, its address as the CPU has the number. */
static void read_igmp(struct memberships *all)
{
	FILE *file = fopen("/proc/net/igmp", "re");
	char line[256], device[IF_NAMESIZE] = "";
	unsigned int address, users;

	while (file && fgets(line, sizeof(line), file)) {
		if (line[0] != '\t' && line[0] != ' ') {
			sscanf(line, "%*d %15s", device);
			device[strcspn(device, ":")] = 0;
		} else if (sscanf(line, "%x %u", &address, &users) == 2) {
			struct prefix p = whole_ipv4(address);
			add(all, device, &p, users);
		}
	}
	if (file)
		fclose(file);
}

/* "2 eth0 ff15...01 1 00000004 0" */
static void read_igmp6(struct memberships *all)
{
	FILE *file = fopen("/proc/net/igmp6", "re");
	char line[256], device[IF_NAMESIZE], hex[33];
	unsigned int users;

	while (file && fgets(line, sizeof(line), file)) {
		struct prefix p = {.len = 128};
		if (sscanf(line, "%*d %15s %32s %u", device, hex, &users) != 3)
			continue;
		for (int i = 0; i < 16; i++) {
			unsigned int byte = 0;
			sscanf(hex + 2 * i, "%2x", &byte);
			p.address.byte[i] = byte;
		}
		add(all, device, &p, users);
	}
	if (file)
		fclose(file);
}

/* Multicast addresses that interfaces have: made with autojoin, or they join nothing. */
static void mark_autojoin(struct memberships *all)
{
	struct ifaddrs *list = NULL;

	if (getifaddrs(&list))
		return;
	for (struct ifaddrs *a = list; a; a = a->ifa_next) {
		struct prefix p = {.len = 128};
		if (!a->ifa_addr)
			continue;
		if (a->ifa_addr->sa_family == AF_INET)
			p = whole_ipv4(((struct sockaddr_in *)a->ifa_addr)->sin_addr.s_addr);
		else if (a->ifa_addr->sa_family == AF_INET6)
			memcpy(p.address.byte, &((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr,
			       16);
		else
			continue;
		for (size_t i = 0; i < all->count; i++)
			if (!prefix_compare(&all->of[i].address, &p) &&
			    !strcmp(all->of[i].interface, a->ifa_name))
				all->of[i].autojoin = true;
	}
	freeifaddrs(list);
}

static bool is_joined(const struct memberships *all, const char *interface,
		      const struct prefix *address)
{
	for (size_t i = 0; i < all->count; i++)
		if (!strcmp(all->of[i].interface, interface) &&
		    !prefix_compare(&all->of[i].address, address))
			return true;
	return false;
}

/* Was this address on this interface told already, for another source? */
static bool is_told(const json_t *const *told, unsigned int count, const json_t *group)
{
	for (unsigned int i = 0; i < count; i++)
		if (!strcmp(output_string(told[i], "address"), output_string(group, "address")) &&
		    !strcmp(output_string(told[i], "from"), output_string(group, "from")))
			return true;
	return false;
}

/* The address of an untagged group; false when it has a tag. */
static bool group_address(const json_t *group, struct prefix *out)
{
	const char *why;

	return !*output_string(group, "vlan") &&
	       prefix_parse(output_string(group, "address"), out, &why) == 0;
}

static void check_sockets(struct patient *p, const struct memberships *all)
{
	unsigned int told = 0;
	size_t i;
	json_t *group;

	json_array_foreach((json_t *)p->groups, i, group)
	{
		const char *from = output_string(group, "from");
		struct prefix address;

		if (!patient_wants(p, from) || !group_address(group, &address))
			continue;
		for (size_t m = 0; m < all->count && told < TOLD_MAX; m++) {
			const struct membership *one = &all->of[m];
			char text[256], remedy[200], name[PREFIX_TEXT_MAX];
			if (strcmp(one->interface, from) || one->users <= one->autojoin ||
			    !prefix_contains(&address, &one->address))
				continue;
			snprintf(text, sizeof(text),
				 "a socket of this host joined %s here, but frames of group %s are "
				 "copied, not delivered to it",
				 prefix_format(&one->address, name),
				 output_string(group, "address"));
			snprintf(remedy, sizeof(remedy), "xmcastctl del-group %s --from %s",
				 output_string(group, "address"), from);
			finding_add(p, "local-sockets", from, LEVEL_WARNING, text, remedy);
			told++;
		}
	}
	if (!told)
		finding_add(p, "local-sockets", NULL, LEVEL_OK, NULL, NULL);
}

static void check_silence(struct patient *p, const struct memberships *all)
{
	unsigned int count = 0, more = 0;
	const json_t *told[TOLD_MAX];
	char text[256], remedy[200];
	size_t i;
	json_t *group;

	json_array_foreach((json_t *)p->groups, i, group)
	{
		const char *from = output_string(group, "from");
		struct prefix address;

		if (json_integer_value(json_object_get(group, "frames")) ||
		    strcmp(output_string(group, "state"), "active") || !patient_wants(p, from) ||
		    !group_address(group, &address) || address.len != 128 ||
		    prefix_family(&address) == FAMILY_MAC || is_joined(all, from, &address) ||
		    is_told(told, count, group))
			continue;
		if (count == TOLD_MAX) {
			more++;
			continue;
		}
		snprintf(
		    text, sizeof(text),
		    "no frame of %s has come, and nobody on this host joined it: a switch that "
		    "snoops sends none",
		    output_string(group, "address"));
		snprintf(remedy, sizeof(remedy), "ip%s address add %s/%d dev %s autojoin",
			 prefix_family(&address) == FAMILY_IPV6 ? " -6" : "",
			 output_string(group, "address"),
			 prefix_family(&address) == FAMILY_IPV6 ? 128 : 32, from);
		finding_add(p, "silent-groups", from, LEVEL_WARNING, text, remedy);
		told[count++] = group;
	}
	snprintf(text, sizeof(text), "and %u more groups without a frame", more);
	if (more)
		finding_add(p, "silent-groups", NULL, LEVEL_WARNING, text,
			    "xmcastctl --json list-groups | jq '.groups[] | select(.frames == 0)'");
	if (!count)
		finding_add(p, "silent-groups", NULL, LEVEL_OK, NULL, NULL);
}

/* Addresses with autojoin share one socket, whose memberships are limited. */
static void check_memberships(struct patient *p, const struct memberships *all)
{
	long long limit = number_in(MAX_MEMBERSHIPS), wanted = 0;
	char text[200], remedy[100];
	size_t i;
	json_t *group;

	(void)all;
	json_array_foreach((json_t *)p->groups, i, group)
	{
		struct prefix address;
		wanted += group_address(group, &address) && address.len == 128 &&
			  prefix_family(&address) == FAMILY_IPV4;
	}
	if (limit < 0 || wanted <= limit) {
		finding_add(p, "memberships", NULL, LEVEL_OK, NULL, NULL);
		return;
	}
	snprintf(text, sizeof(text),
		 "%lld IPv4 groups, but a socket, and all autojoin addresses together, can join "
		 "%lld only",
		 wanted, limit);
	snprintf(remedy, sizeof(remedy), "sysctl -w net.ipv4.igmp_max_memberships=%lld",
		 2 * wanted);
	finding_add(p, "memberships", NULL, LEVEL_WARNING, text, remedy);
}

static void check_pktgen(struct patient *p, const struct memberships *all)
{
	bool found = false;
	char path[64];
	size_t i;
	json_t *interface;

	(void)all;
	json_array_foreach((json_t *)p->interfaces, i, interface)
	{
		const char *name = output_string(interface, "interface");
		snprintf(path, sizeof(path), "/proc/net/pktgen/%s", name);
		if (access(path, F_OK) || !patient_wants(p, name))
			continue;
		finding_add(p, "pktgen", name, LEVEL_WARNING,
			    "pktgen is set up to send on it, past qdisc and groups",
			    "for t in /proc/net/pktgen/kpktgend_*; do echo rem_device_all >$t; "
			    "done");
		found = true;
	}
	if (!found)
		finding_add(p, "pktgen", NULL, LEVEL_OK, NULL, NULL);
}

void doctor_local(struct patient *p)
{
	static void (*const checks[])(struct patient * p, const struct memberships *all) = {
	    check_sockets, check_silence, check_memberships, check_pktgen};
	struct memberships all = {};

	read_igmp(&all);
	read_igmp6(&all);
	mark_autojoin(&all);
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		checks[i](p, &all);
	free(all.of);
}
