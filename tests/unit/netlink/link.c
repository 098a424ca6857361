/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RTM_NEWLINK messages of kinds that this machine may not be able to make. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h> /* before linux/if.h, which then leaves out what is the same */
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka.h wants some of the above first. */
#include <cmocka.h>

#include "daemon/netlink/link.h"

/* A message with the attributes that every whole one has. */
static struct nl_msg *start(unsigned char family, unsigned int flags)
{
	struct ifinfomsg info = {
	    .ifi_family = family, .ifi_type = ARPHRD_ETHER, .ifi_index = 7, .ifi_flags = flags};
	struct nl_msg *message = nlmsg_alloc_simple(RTM_NEWLINK, 0);

	assert_non_null(message);
	assert_int_equal(nlmsg_append(message, &info, sizeof(info), NLMSG_ALIGNTO), 0);
	return message;
}

static void put_name_and_mtu(struct nl_msg *message, const char *name)
{
	nla_put_string(message, IFLA_IFNAME, name);
	nla_put_u32(message, IFLA_MTU, 1500);
}

static void put_xdp(struct nl_msg *message, uint8_t attached, int attribute, uint32_t id)
{
	struct nlattr *nest = nla_nest_start(message, IFLA_XDP);

	nla_put_u8(message, IFLA_XDP_ATTACHED, attached);
	if (attribute)
		nla_put_u32(message, attribute, id);
	nla_nest_end(message, nest);
}

static int parse(struct nl_msg *message, struct link *out)
{
	int r;

	memset(out, 0xff, sizeof(*out)); /* whatever is not set shows */
	r = link_parse(nlmsg_hdr(message), out);
	nlmsg_free(message);
	return r;
}

static struct nl_msg *start_vlan(uint16_t id, uint16_t protocol)
{
	struct nl_msg *message = start(AF_UNSPEC, IFF_UP);
	struct nlattr *info, *data;

	put_name_and_mtu(message, "eth0.100");
	put_xdp(message, XDP_ATTACHED_NONE, 0, 0);
	nla_put_u32(message, IFLA_LINK, 3);
	info = nla_nest_start(message, IFLA_LINKINFO);
	nla_put_string(message, IFLA_INFO_KIND, "vlan");
	data = nla_nest_start(message, IFLA_INFO_DATA);
	nla_put_u16(message, IFLA_VLAN_ID, id);
	nla_put_u16(message, IFLA_VLAN_PROTOCOL, htons(protocol));
	nla_nest_end(message, data);
	nla_nest_end(message, info);
	return message;
}

static void test_vlan(void **state)
{
	struct link link;

	(void)state;
	assert_int_equal(parse(start_vlan(100, 0x8100), &link), 0);
	assert_string_equal(link.kind, "vlan");
	assert_int_equal(link.lower, 3);
	assert_int_equal(link.lower_nsid, -1);
	assert_int_equal(link.vlan_id, 100);
	assert_int_equal(link.vlan_protocol, 0x8100);
	assert_int_equal(parse(start_vlan(4094, 0x88a8), &link), 0);
	assert_int_equal(link.vlan_id, 4094);
	assert_int_equal(link.vlan_protocol, 0x88a8);
}

/* A bond may carry an attribute of the same number in its own data: only a VLAN has a VLAN id. */
static void test_other_kind_has_no_vlan(void **state)
{
	struct nl_msg *message = start(AF_UNSPEC, 0);
	struct nlattr *info, *data;
	struct link link;

	(void)state;
	put_name_and_mtu(message, "bond0");
	put_xdp(message, XDP_ATTACHED_NONE, 0, 0);
	info = nla_nest_start(message, IFLA_LINKINFO);
	nla_put_string(message, IFLA_INFO_KIND, "bond");
	data = nla_nest_start(message, IFLA_INFO_DATA);
	nla_put_u32(message, IFLA_BOND_MODE, 4);
	nla_nest_end(message, data);
	nla_nest_end(message, info);
	assert_int_equal(parse(message, &link), 0);
	assert_string_equal(link.kind, "bond");
	assert_int_equal(link.vlan_id, 0);
	assert_int_equal(link.vlan_protocol, 0);
}

static struct nl_msg *start_bridge(uint8_t filtering)
{
	struct nl_msg *message = start(AF_UNSPEC, IFF_UP);
	struct nlattr *info, *data;

	put_name_and_mtu(message, "br0");
	put_xdp(message, XDP_ATTACHED_NONE, 0, 0);
	info = nla_nest_start(message, IFLA_LINKINFO);
	nla_put_string(message, IFLA_INFO_KIND, "bridge");
	data = nla_nest_start(message, IFLA_INFO_DATA);
	nla_put_u8(message, IFLA_BR_VLAN_FILTERING, filtering);
	nla_nest_end(message, data);
	nla_nest_end(message, info);
	return message;
}

static void test_bridge_filter(void **state)
{
	struct link link;

	(void)state;
	assert_int_equal(parse(start_bridge(0), &link), 0);
	assert_false(link.filters_vlans);
	assert_int_equal(parse(start_bridge(1), &link), 0);
	assert_true(link.filters_vlans);
}

static void test_xdp_modes(void **state)
{
	static const struct {
		uint8_t attached;
		int attribute;
		enum link_xdp_mode mode;
	} cases[] = {
	    {XDP_ATTACHED_DRV, IFLA_XDP_PROG_ID, LINK_XDP_NATIVE},
	    {XDP_ATTACHED_SKB, IFLA_XDP_PROG_ID, LINK_XDP_GENERIC},
	    {XDP_ATTACHED_HW, IFLA_XDP_PROG_ID, LINK_XDP_NATIVE},
	    {XDP_ATTACHED_MULTI, IFLA_XDP_DRV_PROG_ID, LINK_XDP_MULTI},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nl_msg *message = start(AF_UNSPEC, 0);
		struct link link;

		put_name_and_mtu(message, "eth0");
		put_xdp(message, cases[i].attached, cases[i].attribute, 4711);
		assert_int_equal(parse(message, &link), 0);
		assert_int_equal(link.xdp_mode, cases[i].mode);
		assert_int_equal(link.xdp_program_id, 4711);
	}
}

static void test_partial_messages_are_asked_for(void **state)
{
	struct nl_msg *message = start(AF_BRIDGE, 0);
	struct link link;

	(void)state;
	put_name_and_mtu(message, "port"); /* of a bridge about its port */
	put_xdp(message, XDP_ATTACHED_NONE, 0, 0);
	assert_int_equal(parse(message, &link), -EAGAIN);
	message = start(AF_UNSPEC, 0); /* a wireless event */
	nla_put_string(message, IFLA_IFNAME, "wlan0");
	nla_put_u32(message, IFLA_WIRELESS, 1);
	assert_int_equal(parse(message, &link), -EAGAIN);
}

/* Cut short at every byte, it is refused or at least read within its bounds. */
static void test_truncated(void **state)
{
	struct nl_msg *message = start_vlan(100, 0x8100);
	struct nlmsghdr *whole = nlmsg_hdr(message);
	struct link link;

	(void)state;
	for (size_t length = NLMSG_HDRLEN; length < whole->nlmsg_len; length++) {
		struct nlmsghdr *copy = test_malloc(length); /* so that a sanitizer sees its end */

		memcpy(copy, whole, length);
		copy->nlmsg_len = length;
		if (length < NLMSG_LENGTH(sizeof(struct ifinfomsg)))
			assert_int_equal(link_parse(copy, &link), -EBADMSG);
		else if (!link_parse(copy, &link))
			assert_true(length > NLMSG_LENGTH(sizeof(struct ifinfomsg)) + 20);
		test_free(copy);
	}
	nlmsg_free(message);
}

static void test_long_names_end(void **state)
{
	struct nl_msg *message = start(AF_UNSPEC, 0);
	struct nlattr *info;
	struct link link;

	(void)state;
	put_name_and_mtu(message, "a-name-that-is-far-too-long");
	put_xdp(message, XDP_ATTACHED_NONE, 0, 0);
	info = nla_nest_start(message, IFLA_LINKINFO);
	nla_put_string(message, IFLA_INFO_KIND, "a-kind-that-is-far-too-long");
	nla_nest_end(message, info);
	assert_int_equal(parse(message, &link), 0);
	assert_string_equal(link.name, "a-name-that-is-");
	assert_string_equal(link.kind, "a-kind-that-is-");
}

static void test_counters_are_no_difference(void **state)
{
	struct link a, b;

	(void)state;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	b.tx_dropped = 3;
	assert_true(link_same(&a, &b));
	b.peer_mtu = 1;
	assert_false(link_same(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_vlan),
	    cmocka_unit_test(test_other_kind_has_no_vlan),
	    cmocka_unit_test(test_bridge_filter),
	    cmocka_unit_test(test_xdp_modes),
	    cmocka_unit_test(test_partial_messages_are_asked_for),
	    cmocka_unit_test(test_truncated),
	    cmocka_unit_test(test_long_names_end),
	    cmocka_unit_test(test_counters_are_no_difference),
	};

	return cmocka_run_group_tests_name("netlink-link", tests, NULL, NULL);
}
