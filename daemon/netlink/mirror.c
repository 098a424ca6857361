// SPDX-License-Identifier: GPL-2.0-or-later
/* The tc part of make.h: a clsact qdisc with one u32 filter that mirrors. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/tc_act/tc_mirred.h>
#include <netlink/netlink.h>
#include <netlink/route/act/mirred.h>
#include <netlink/route/action.h>
#include <netlink/route/classifier.h>
#include <netlink/route/cls/u32.h>
#include <netlink/route/qdisc.h>

#include "daemon/netlink/make.h"
#include "daemon/netlink/make_socket.h"

#define DESTINATION 16 /* offset of the destination in an IPv4 header */

static struct rtnl_qdisc *clsact(int ifindex)
{
	struct rtnl_qdisc *qdisc = rtnl_qdisc_alloc();

	if (!qdisc)
		return NULL;
	rtnl_tc_set_ifindex(TC_CAST(qdisc), ifindex);
	rtnl_tc_set_parent(TC_CAST(qdisc), TC_H_CLSACT);
	rtnl_tc_set_handle(TC_CAST(qdisc), TC_H_MAKE(TC_H_CLSACT, 0));
	rtnl_tc_set_kind(TC_CAST(qdisc), "clsact");
	return qdisc;
}

/* A copy to `to`, and on to the next action; the last one is the frame itself. */
static int add_action(struct rtnl_cls *filter, int to, bool last)
{
	struct rtnl_act *action = rtnl_act_alloc();
	int r = action ? rtnl_tc_set_kind(TC_CAST(action), "mirred") : -NLE_NOMEM;

	if (!r)
		r = rtnl_mirred_set_action(action, last ? TCA_EGRESS_REDIR : TCA_EGRESS_MIRROR);
	if (!r)
		r = rtnl_mirred_set_policy(action, last ? TC_ACT_STOLEN : TC_ACT_PIPE);
	if (!r)
		r = rtnl_mirred_set_ifindex(action, (uint32_t)to);
	if (!r)
		r = rtnl_u32_add_action(filter, action);
	rtnl_act_put(action);
	return r;
}

static int add_filter(struct nl_sock *sock, int from, uint32_t group, const int *to, unsigned int n)
{
	struct rtnl_cls *filter = rtnl_cls_alloc();
	int r = filter ? 0 : -NLE_NOMEM;

	if (!r) {
		rtnl_tc_set_ifindex(TC_CAST(filter), from);
		rtnl_tc_set_parent(TC_CAST(filter), TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS));
		r = rtnl_tc_set_kind(TC_CAST(filter), "u32");
	}
	if (!r) {
		rtnl_cls_set_prio(filter, 1);
		rtnl_cls_set_protocol(filter, ETH_P_IP);
		r = rtnl_u32_add_key_uint32(filter, group, UINT32_MAX, DESTINATION, 0);
	}
	for (unsigned int i = 0; i < n && !r; i++)
		r = add_action(filter, to[i], i + 1 == n);
	if (!r)
		r = rtnl_u32_set_cls_terminal(filter);
	if (!r)
		r = rtnl_cls_add(sock, filter, NLM_F_CREATE | NLM_F_EXCL);
	rtnl_cls_put(filter);
	return r;
}

int make_mirror(int from, uint32_t group, const int *to, unsigned int count)
{
	struct rtnl_qdisc *qdisc = clsact(from);
	struct nl_sock *sock = NULL;
	int r = qdisc ? make_open_socket(&sock) : -ENOMEM;

	if (!r)
		r = make_errno(rtnl_qdisc_add(sock, qdisc, NLM_F_CREATE | NLM_F_EXCL));
	if (!r) {
		r = make_errno(add_filter(sock, from, group, to, count));
		if (r)
			rtnl_qdisc_delete(sock, qdisc);
	}
	nl_socket_free(sock);
	rtnl_qdisc_put(qdisc);
	return r;
}

int make_mirror_gone(int from)
{
	struct rtnl_qdisc *qdisc = clsact(from);
	struct nl_sock *sock = NULL;
	int r = qdisc ? make_open_socket(&sock) : -ENOMEM;

	if (!r)
		r = make_errno(rtnl_qdisc_delete(sock, qdisc));
	nl_socket_free(sock);
	rtnl_qdisc_put(qdisc);
	return r;
}
