/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/netlink/ethtool.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel's names (net/ethtool/common.c, netdev_features_strings). */
static const struct {
	const char *name;
	unsigned int bit;
} offload_names[] = {
    {"rx-vlan-hw-parse", OFFLOAD_RX_CTAG},
    {"rx-vlan-stag-hw-parse", OFFLOAD_RX_STAG},
    {"tx-vlan-hw-insert", OFFLOAD_TX_CTAG},
    {"tx-vlan-stag-hw-insert", OFFLOAD_TX_STAG},
    {"rx-lro", OFFLOAD_LRO},
    {"rx-gro-hw", OFFLOAD_GRO_HW},
    {"rx-gro-list", OFFLOAD_GRO_LIST},
    {"rx-udp-gro-forwarding", OFFLOAD_UDP_GRO},
    {"rx-vlan-filter", OFFLOAD_FILTER_CTAG},
    {"rx-vlan-stag-filter", OFFLOAD_FILTER_STAG},
    {"tx-checksum-ip-generic", OFFLOAD_TX_SUMS},
};
#define OFFLOADS (sizeof(offload_names) / sizeof(*offload_names))

const char *offload_name(unsigned int bit)
{
	for (size_t i = 0; i < OFFLOADS; i++)
		if (offload_names[i].bit == bit)
			return offload_names[i].name;
	return NULL;
}

int ethtool_open(struct ethtool *ethtool)
{
	int r;

	*ethtool = (struct ethtool){.ioctls = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
	if (ethtool->ioctls < 0)
		return -errno;
	r = genl_open(&ethtool->socket, &ethtool->request);
	if (r)
		return r;
	r = genl_resolve(&ethtool->request, ETHTOOL_GENL_NAME, NULL, &ethtool->family);
	return r == -ENOENT ? 0 : r;
}

void ethtool_close(struct ethtool *ethtool)
{
	if (ethtool->socket)
		mnl_socket_close(ethtool->socket);
	if (ethtool->ioctls > 0) /* 0: all zero, never opened */
		close(ethtool->ioctls);
	*ethtool = (struct ethtool){0};
}

static struct nlmsghdr *start(struct ethtool *ethtool, void *buffer, uint16_t flags,
			      uint8_t command, int ifindex)
{
	struct nlmsghdr *message = genl_message(buffer, ethtool->family.id, flags, command);
	/* ETHTOOL_A_FEATURES_HEADER is the same number for requests and answers. */
	struct nlattr *nest = mnl_attr_nest_start(message, ETHTOOL_A_FEATURES_HEADER);

	mnl_attr_put_u32(message, ETHTOOL_A_HEADER_DEV_INDEX, ifindex);
	mnl_attr_nest_end(message, nest);
	return message;
}

static unsigned int offload_bit(const char *name)
{
	for (size_t i = 0; i < OFFLOADS; i++)
		if (!strcmp(offload_names[i].name, name))
			return offload_names[i].bit;
	return 0;
}

/* The offloads in a list of bits; without a mask, being listed means being set. */
static unsigned int read_bits(const struct nlattr *bits, bool masked)
{
	const struct nlattr *bit, *a;
	unsigned int found = 0;

	mnl_attr_for_each_nested(bit, bits)
	{
		unsigned int which = 0;
		bool value = !masked;

		mnl_attr_for_each_nested(a, bit)
		{
			if (mnl_attr_get_type(a) == ETHTOOL_A_BITSET_BIT_NAME)
				which = offload_bit(mnl_attr_get_str(a));
			else if (mnl_attr_get_type(a) == ETHTOOL_A_BITSET_BIT_VALUE)
				value = true;
		}
		if (value)
			found |= which;
	}
	return found;
}

static unsigned int read_bitset(const struct nlattr *set)
{
	const struct nlattr *a, *bits = NULL;
	bool masked = true;

	mnl_attr_for_each_nested(a, set)
	{
		if (mnl_attr_get_type(a) == ETHTOOL_A_BITSET_NOMASK)
			masked = false;
		else if (mnl_attr_get_type(a) == ETHTOOL_A_BITSET_BITS)
			bits = a;
	}
	return bits ? read_bits(bits, masked) : 0;
}

static int read_offloads(const struct nlmsghdr *message, void *data)
{
	struct offloads *out = data;
	const struct nlattr *a;

	mnl_attr_for_each(a, message, sizeof(struct genlmsghdr))
	{
		if (mnl_attr_get_type(a) == ETHTOOL_A_FEATURES_ACTIVE)
			out->active = read_bitset(a);
		else if (mnl_attr_get_type(a) == ETHTOOL_A_FEATURES_HW)
			out->changeable |= read_bitset(a);
		else if (mnl_attr_get_type(a) == ETHTOOL_A_FEATURES_NOCHANGE)
			out->changeable &= ~read_bitset(a);
	}
	return 0;
}

int ethtool_get_offloads(struct ethtool *ethtool, int ifindex, struct offloads *out)
{
	char buffer[GENL_REQUEST_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct offloads found = {0};
	int r;

	if (!ethtool->family.id)
		return -EOPNOTSUPP;
	r = request_run(&ethtool->request,
			start(ethtool, buffer, 0, ETHTOOL_MSG_FEATURES_GET, ifindex), read_offloads,
			&found);
	if (!r)
		*out = found;
	return r;
}

int ethtool_set_offloads(struct ethtool *ethtool, int ifindex, unsigned int value,
			 unsigned int mask)
{
	char buffer[GENL_REQUEST_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlattr *set, *bits, *bit;
	struct nlmsghdr *message;

	if (!ethtool->family.id)
		return -EOPNOTSUPP;
	message = start(ethtool, buffer, NLM_F_ACK, ETHTOOL_MSG_FEATURES_SET, ifindex);
	set = mnl_attr_nest_start(message, ETHTOOL_A_FEATURES_WANTED);
	bits = mnl_attr_nest_start(message, ETHTOOL_A_BITSET_BITS);
	for (size_t i = 0; i < OFFLOADS; i++) {
		if (!(mask & offload_names[i].bit))
			continue;
		bit = mnl_attr_nest_start(message, ETHTOOL_A_BITSET_BITS_BIT);
		mnl_attr_put_strz(message, ETHTOOL_A_BITSET_BIT_NAME, offload_names[i].name);
		if (value & offload_names[i].bit)
			mnl_attr_put(message, ETHTOOL_A_BITSET_BIT_VALUE, 0, NULL);
		mnl_attr_nest_end(message, bit);
	}
	mnl_attr_nest_end(message, bits);
	mnl_attr_nest_end(message, set);
	return request_run(&ethtool->request, message, NULL, NULL);
}

int ethtool_driver(struct ethtool *ethtool, int ifindex, const char *name,
		   char out[static LINK_DRIVER_MAX])
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq request = {.ifr_data = (char *)&info};

	memcpy(request.ifr_name, name, strnlen(name, IF_NAMESIZE - 1));
	if (ioctl(ethtool->ioctls, SIOCETHTOOL, &request) < 0)
		return -errno;
	/* Asked by name, which may have gone to another link meanwhile. */
	if (ioctl(ethtool->ioctls, SIOCGIFINDEX, &request) < 0 || request.ifr_ifindex != ifindex)
		return -ENODEV;
	snprintf(out, LINK_DRIVER_MAX, "%s", info.driver);
	return 0;
}
