// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/netlink/make.h"

#include <errno.h>
#include <net/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>

#include "daemon/netlink/make_socket.h"

int make_errno(int error)
{
	switch (-error) {
	case 0:
		return 0;
	case NLE_EXIST:
		return -EEXIST;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_NODEV:
	case NLE_OBJ_NOTFOUND:
		return -ENODEV;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_OPNOTSUPP:
		return -EOPNOTSUPP;
	case NLE_BUSY:
		return -EBUSY;
	}
	return -EINVAL;
}

int make_open_socket(struct nl_sock **out)
{
	struct nl_sock *sock = nl_socket_alloc();
	int r;

	if (!sock)
		return -ENOMEM;
	r = nl_connect(sock, NETLINK_ROUTE);
	if (r) {
		nl_socket_free(sock);
		return make_errno(r);
	}
	*out = sock;
	return 0;
}

int make_veth(const char *name, const char *peer, int peer_netns)
{
	struct rtnl_link *link = rtnl_link_veth_alloc(), *other;
	struct nl_sock *sock = NULL;
	int r = link ? make_open_socket(&sock) : -ENOMEM;

	if (!r) {
		other = rtnl_link_veth_get_peer(link);
		rtnl_link_set_name(link, name);
		rtnl_link_set_num_rx_queues(link, 1);
		rtnl_link_set_num_tx_queues(link, 1);
		rtnl_link_set_name(other, peer);
		rtnl_link_set_num_rx_queues(other, 1);
		rtnl_link_set_num_tx_queues(other, 1);
		rtnl_link_set_ns_fd(other, peer_netns);
		r = make_errno(rtnl_link_add(sock, link, NLM_F_CREATE | NLM_F_EXCL));
		rtnl_link_put(other);
	}
	nl_socket_free(sock);
	rtnl_link_veth_release(link);
	return r;
}

int make_up(const char *name, bool up)
{
	unsigned int ifindex = if_nametoindex(name);
	struct rtnl_link *link = rtnl_link_alloc(), *change = rtnl_link_alloc();
	struct nl_sock *sock = NULL;
	int r = !ifindex ? -ENODEV : !link || !change ? -ENOMEM : make_open_socket(&sock);

	if (!r) {
		rtnl_link_set_ifindex(link, (int)ifindex);
		if (up)
			rtnl_link_set_flags(change, IFF_UP);
		else
			rtnl_link_unset_flags(change, IFF_UP);
		r = make_errno(rtnl_link_change(sock, link, change, 0));
	}
	nl_socket_free(sock);
	rtnl_link_put(change);
	rtnl_link_put(link);
	return r;
}

int make_gone(const char *name)
{
	unsigned int ifindex = if_nametoindex(name);
	struct rtnl_link *link = rtnl_link_alloc();
	struct nl_sock *sock = NULL;
	int r = !ifindex ? -ENODEV : !link ? -ENOMEM : make_open_socket(&sock);

	if (!r) {
		rtnl_link_set_ifindex(link, (int)ifindex);
		r = make_errno(rtnl_link_delete(sock, link));
	}
	nl_socket_free(sock);
	rtnl_link_put(link);
	return r;
}

/* libnl's bridge links know no snooping. */
int make_bridge(const char *name)
{
	struct nl_msg *message = nlmsg_alloc_simple(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct ifinfomsg info = {.ifi_family = AF_UNSPEC};
	struct nlattr *about, *data;
	struct nl_sock *sock = NULL;
	int r = message ? make_open_socket(&sock) : -ENOMEM;

	if (!r && (nlmsg_append(message, &info, sizeof(info), NLMSG_ALIGNTO) ||
		   nla_put_string(message, IFLA_IFNAME, name) ||
		   !(about = nla_nest_start(message, IFLA_LINKINFO)) ||
		   nla_put_string(message, IFLA_INFO_KIND, "bridge") ||
		   !(data = nla_nest_start(message, IFLA_INFO_DATA)) ||
		   nla_put_u8(message, IFLA_BR_MCAST_SNOOPING, 0)))
		r = -ENOMEM;
	if (r) {
		nlmsg_free(message);
	} else {
		nla_nest_end(message, data);
		nla_nest_end(message, about);
		r = make_errno(nl_send_sync(sock, message)); /* frees it */
	}
	nl_socket_free(sock);
	return r;
}

int make_port(const char *name, const char *bridge)
{
	unsigned int port = if_nametoindex(name), master = if_nametoindex(bridge);
	struct nl_sock *sock = NULL;
	int r = port && master ? make_open_socket(&sock) : -ENODEV;

	if (!r)
		r = make_errno(rtnl_link_enslave_ifindex(sock, (int)master, (int)port));
	nl_socket_free(sock);
	return r;
}
