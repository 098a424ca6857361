// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames that are not what they seem to XDP: tags beside them, sums left open, several in one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/reconcile/doctor.h"

struct below {
	const struct link *link;
	char names[128]; /* of its ports, or of what it was made on: comma-separated */
};

static int add_below(const struct link *link, void *data)
{
	struct below *below = data;
	size_t used = strlen(below->names);

	if (link->master == below->link->ifindex ||
	    (link->ifindex == below->link->lower && below->link->lower_nsid < 0))
		snprintf(below->names + used, sizeof(below->names) - used, "%s%s", used ? "," : "",
			 link->name);
	return 0;
}

/* No command brings the tags back; a bridge can keep frames of other VLANs away. */
static void find_mixed_vlans(struct examination *e)
{
	struct below below = {.link = e->link};

	netlink_each(e->r->netlink, add_below, &below);
	if (!strcmp(e->link->kind, "bridge"))
		finding_set(e, FINDING_WARNING, vlans_mixed,
			    "ip link set dev %s type bridge vlan_filtering 1", e->link->name);
	else
		finding_set(
		    e, FINDING_WARNING, vlans_mixed,
		    "xmcastctl add-group GROUP --from %s --to EGRESS, in place of that from %s",
		    below.names[0] ? below.names : "WHAT-IS-BELOW", e->link->name);
}

void check_vlan_offload(struct examination *e)
{
	char command[512];
	bool hides = false;

	if (!e->link || !e->iface->attached)
		return;
	if (link_mixes_vlans(e->link))
		find_mixed_vlans(e);
	if (link_hides_vlans(e->link))
		return;
	int error = netlink_get_vlan_offload(e->r->netlink, e->link->ifindex, &hides);
	if (error != -EXDEV && (error || !hides))
		return;
	const char *text = error ? "VLAN tags may be hidden: the veth's other end is out of reach"
				 : "VLAN tags are hidden: frames of any VLAN match as untagged";
	enum finding_level level = error ? FINDING_WARNING : FINDING_PROBLEM;
	if (link_is_veth(e->link)) {
		peer_command(e, command, sizeof(command),
			     "ethtool -K @ tx-vlan-hw-insert off tx-vlan-stag-hw-insert off");
		finding_set(e, level, text, "%s", command);
	} else {
		finding_set(e, level, text, "ethtool -K %s rx-vlan-hw-parse off", e->link->name);
	}
}

struct tunnel_search {
	const struct examination *e;
	char name[IF_NAMESIZE], group[PREFIX_TEXT_MAX]; /* found; "" none */
};

/* A VXLAN whose frames are copied. */
static int is_copied(const char *name, const uint8_t group[16], void *data)
{
	struct tunnel_search *search = data;
	const struct model *model = search->e->r->model;
	struct prefix address = {.len = 128};

	memcpy(address.address.byte, group, 16);
	for (size_t i = 0; i < model->group_count; i++) {
		const struct group_key *key = &model->groups[i]->key;
		if (strcmp(key->from, search->e->iface->name) ||
		    !prefix_contains(&key->address, &address))
			continue;
		snprintf(search->name, sizeof(search->name), "%s", name);
		prefix_format(&address, search->group);
		return 1;
	}
	return 0;
}

/* The program finishes the sums that it sees (bpf/checksum.h): not those inside of a tunnel. */
void check_tunnels(struct examination *e)
{
	struct tunnel_search search = {.e = e};
	char text[256], command[512];
	bool leaves = true;

	if (!e->link || !e->iface->attached || !e->iface->native || !link_is_veth(e->link) ||
	    netlink_peer_vxlans(e->r->netlink, e->link->ifindex, is_copied, &search) ||
	    !search.name[0])
		return;
	netlink_peer_leaves_sums(e->r->netlink, e->link->ifindex, &leaves);
	if (!leaves)
		return;
	snprintf(
	    text, sizeof(text),
	    "VXLAN %s at the veth's other end sends to %s: in native mode the checksums inside "
	    "stay unfinished, and receivers drop it",
	    search.name, search.group);
	peer_command(e, command, sizeof(command), "ethtool -K @ tx-checksum-ip-generic off");
	finding_set(e, FINDING_WARNING, text, "%s", command);
}

void check_merging(struct examination *e)
{
	char names[128], text[256], options[256] = "";
	size_t used = 0;

	if (!e->link || !e->iface->attached || e->iface->native ||
	    netlink_merging_offloads(e->r->netlink, e->link->ifindex, names, sizeof(names)) ||
	    !names[0])
		return;
	snprintf(text, sizeof(text),
		 "%s makes one frame of several before generic XDP sees them, too large to be "
		 "copied",
		 names);
	for (char *save = NULL, *name = strtok_r(names, ",", &save); name;
	     name = strtok_r(NULL, ",", &save))
		used += snprintf(options + used, sizeof(options) - used, " %s off", name);
	finding_set(e, FINDING_WARNING, text, "ethtool -K %s%s", e->link->name, options);
}
