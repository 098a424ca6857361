// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/netlink/make.h"

#include <errno.h>
#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>

/* libnl's codes, of which the kernel's errors are a part, as an errno. */
static int to_errno(int error)
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

/* A connected route socket in the caller's network namespace. */
static int open_socket(struct nl_sock **out)
{
	struct nl_sock *sock = nl_socket_alloc();
	int r;

	if (!sock)
		return -ENOMEM;
	r = nl_connect(sock, NETLINK_ROUTE);
	if (r) {
		nl_socket_free(sock);
		return to_errno(r);
	}
	*out = sock;
	return 0;
}

int make_veth(const char *name, const char *peer, int peer_netns)
{
	struct rtnl_link *link = rtnl_link_veth_alloc(), *other;
	struct nl_sock *sock = NULL;
	int r = link ? open_socket(&sock) : -ENOMEM;

	if (!r) {
		other = rtnl_link_veth_get_peer(link);
		rtnl_link_set_name(link, name);
		rtnl_link_set_num_rx_queues(link, 1);
		rtnl_link_set_num_tx_queues(link, 1);
		rtnl_link_set_name(other, peer);
		rtnl_link_set_num_rx_queues(other, 1);
		rtnl_link_set_num_tx_queues(other, 1);
		rtnl_link_set_ns_fd(other, peer_netns);
		r = to_errno(rtnl_link_add(sock, link, NLM_F_CREATE | NLM_F_EXCL));
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
	int r = !ifindex ? -ENODEV : !link || !change ? -ENOMEM : open_socket(&sock);

	if (!r) {
		rtnl_link_set_ifindex(link, (int)ifindex);
		if (up)
			rtnl_link_set_flags(change, IFF_UP);
		else
			rtnl_link_unset_flags(change, IFF_UP);
		r = to_errno(rtnl_link_change(sock, link, change, 0));
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
	int r = !ifindex ? -ENODEV : !link ? -ENOMEM : open_socket(&sock);

	if (!r) {
		rtnl_link_set_ifindex(link, (int)ifindex);
		r = to_errno(rtnl_link_delete(sock, link));
	}
	nl_socket_free(sock);
	rtnl_link_put(link);
	return r;
}
