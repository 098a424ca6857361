// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/rival.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mroute.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/bench/linkfacts.h"
#include "daemon/bench/traffic.h"
#include "daemon/netlink/make.h"

#define BRIDGE	  "br0"
#define TC_COPIES 32 /* TCA_ACT_MAX_PRIO: actions of one filter */

struct rival;

/* How one of them is set up and taken down; end() takes down a half, too. */
struct way {
	const char *name, *needs;
	unsigned int most; /* receivers */
	int (*begin)(struct rival *rival);
	void (*end)(struct rival *rival);
};

struct rival {
	const struct topology *topology;
	unsigned int receivers;
	bool native;
	int mroute; /* the routing socket: what it set up ends with it */
	const struct way *way;
};

static int begin_bridge(struct rival *v)
{
	int r = make_bridge(BRIDGE);

	if (!r)
		r = make_port(v->topology->ingress_name, BRIDGE);
	for (unsigned int i = 0; i < v->receivers && !r; i++)
		r = make_port(v->topology->egress_name[i], BRIDGE);
	return r ? r : make_up(BRIDGE, true);
}

static void end_bridge(struct rival *v)
{
	(void)v;
	make_gone(BRIDGE);
}

static int begin_tc(struct rival *v)
{
	return make_mirror(v->topology->ingress, TRAFFIC_GROUP, v->topology->egress, v->receivers);
}

static void end_tc(struct rival *v)
{
	make_mirror_gone(v->topology->ingress);
}

/* The sender's address has no route here. */
static int accept_any_source(const char *name)
{
	char path[96];
	int fd, r;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/rp_filter", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	r = fd < 0 || write(fd, "0", 1) != 1 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	return r;
}

static int add_vif(struct rival *v, unsigned int number, int ifindex)
{
	struct vifctl vif = {.vifc_vifi = (vifi_t)number,
			     .vifc_flags = VIFF_USE_IFINDEX,
			     .vifc_threshold = 1,
			     .vifc_lcl_ifindex = ifindex};

	return setsockopt(v->mroute, IPPROTO_IP, MRT_ADD_VIF, &vif, sizeof(vif)) ? -errno : 0;
}

static int begin_mroute(struct rival *v)
{
	struct mfcctl route = {.mfcc_origin.s_addr = htonl(TRAFFIC_SOURCE),
			       .mfcc_mcastgrp.s_addr = htonl(TRAFFIC_GROUP)};
	int r = accept_any_source("all"), on = 1;

	if (!r)
		r = accept_any_source(v->topology->ingress_name);
	v->mroute = r ? -1 : socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_IGMP);
	if (!r && (v->mroute < 0 || setsockopt(v->mroute, IPPROTO_IP, MRT_INIT, &on, sizeof(on))))
		r = -errno;
	if (!r)
		r = add_vif(v, 0, v->topology->ingress);
	for (unsigned int i = 0; i < v->receivers && !r; i++) {
		r = add_vif(v, i + 1, v->topology->egress[i]);
		route.mfcc_ttls[i + 1] = 1;
	}
	if (!r && setsockopt(v->mroute, IPPROTO_IP, MRT_ADD_MFC, &route, sizeof(route)))
		r = -errno;
	return r;
}

static void end_mroute(struct rival *v)
{
	if (v->mroute >= 0)
		close(v->mroute);
	v->mroute = -1;
}

static const struct way ways[] = {
    {"bridge", "needs a bridge", TOPOLOGY_RECEIVERS, begin_bridge, end_bridge},
    {"mroute", "needs IPv4 multicast routing", MAXVIFS - 1, begin_mroute, end_mroute},
    {"tc-mirred", "needs tc's clsact, u32 and mirred", TC_COPIES, begin_tc, end_tc},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static int attach(struct subject *s, bool on)
{
	struct rival *v = s->state;
	int r = on ? v->way->begin(v) : 0;

	if (!r && v->native)
		r = link_set_gro(v->topology->ingress_name, on);
	if (r || !on)
		v->way->end(v);
	return r;
}

static uint64_t seen(const struct subject *s)
{
	const struct rival *v = s->state;
	struct link_facts facts;

	link_facts(v->topology->ingress_name, &facts);
	return facts.rx_packets;
}

static void close_rival(struct subject *s)
{
	free(s->state);
}

int subject_rival(struct subject *out, const char *name, const struct topology *t,
		  unsigned int receivers, bool native, struct fault *fault)
{
	const struct way *way = ways;
	struct rival *v = calloc(1, sizeof(*v));
	struct subject s = {.receivers = receivers,
			    .native = native,
			    .program = -1,
			    .state = v,
			    .attach = attach,
			    .seen = seen,
			    .sees = "frames that the ingress received, by its own counter",
			    .close = close_rival};
	int r;

	while (way < ways + WAYS && strcmp(way->name, name))
		way++;
	if (!v)
		return fault_set(fault, -ENOMEM, "%s: no memory", name);
	if (way == ways + WAYS) {
		free(v);
		return fault_set(fault, -EINVAL, "%s: there is no such way", name);
	}
	*v = (struct rival){
	    .topology = t, .receivers = receivers, .native = native, .mroute = -1, .way = way};
	snprintf(s.name, sizeof(s.name), "%s", name);
	r = receivers > way->most ? -E2BIG : attach(&s, true);
	if (r) {
		free(v);
		return r == -E2BIG
			   ? fault_set(fault, -EOPNOTSUPP, "needs fewer receivers: up to %u",
				       way->most)
			   : fault_set(fault, -EOPNOTSUPP, "%s: %s", way->needs, strerror(-r));
	}
	attach(&s, false);
	*out = s;
	return 0;
}
