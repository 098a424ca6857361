/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A check is one entry in checks[] of doctor.c; the functions are in the file of their scope. */
#ifndef XM_RECONCILE_DOCTOR_H
#define XM_RECONCILE_DOCTOR_H

#include "daemon/reconcile/internal.h"

/* What a check looks at, and what it says; it begins as "ok" without words. */
struct examination {
	struct reconcile *r;
	const struct doctor_wish *wish;
	struct iface *iface;	 /* NULL: scope daemon */
	const struct link *link; /* of iface; NULL: absent */
	struct finding *finding;
};

/* Level, what is wrong and why, and the command that mends it, all in one call. */
void finding_set(struct examination *e, enum finding_level level, const char *text,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * A command on the veth's other end, where @ stands for its name: "nsenter --net=PATH ethtool -K r0
 * gro on". Where no path or name is known it says so in words, with namespace id and ifindex.
 */
void peer_command(struct examination *e, char *buf, size_t size, const char *command);

void check_program(struct examination *e); /* doctor_ingress.c */
void check_mode(struct examination *e);
void check_ingress_mtu(struct examination *e);
void check_ingress_link(struct examination *e);
void check_allmulti(struct examination *e);
void check_loop(struct examination *e);
void check_snooping(struct examination *e);
void check_vlan_offload(struct examination *e); /* doctor_frames.c */
void check_tunnels(struct examination *e);
void check_merging(struct examination *e);
void check_ready(struct examination *e); /* doctor_egress.c */
void check_egress_mtu(struct examination *e);
void check_rp_filter(struct examination *e);
void check_bridge(struct examination *e);

#endif
