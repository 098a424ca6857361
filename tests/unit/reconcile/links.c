/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is concluded from a link's facts, of kinds that this machine may not be able to make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* cmocka.h wants some of the above first. */
#include <cmocka.h>

#include "daemon/reconcile/internal.h"

static struct link link_of(const char *kind)
{
	struct link link = {.ifindex = 7, .name = "k0", .ethernet = true, .lower_nsid = -1};

	snprintf(link.kind, sizeof(link.kind), "%s", kind);
	return link;
}

/* Kinds that receive by an rx_handler (drivers/net, net/bridge), and some that do not. */
static void test_hidden_tags(void **state)
{
	static const char *const hides[] = {"bridge", "macvlan", "macvtap", "ipvlan",
					    "ipvtap", "bond",	 "team",    "openvswitch"};
	static const char *const shows[] = {"", "veth", "tun", "vlan", "vxlan", "gretap", "ifb"};

	(void)state;
	for (size_t i = 0; i < sizeof(hides) / sizeof(*hides); i++) {
		struct link link = link_of(hides[i]);
		assert_true(link_hides_vlans(&link));
		assert_true(link_mixes_vlans(&link));
	}
	for (size_t i = 0; i < sizeof(shows) / sizeof(*shows); i++) {
		struct link link = link_of(shows[i]);
		assert_false(link_hides_vlans(&link));
		assert_false(link_mixes_vlans(&link));
	}
}

/* Its tags stay hidden: a group with a VLAN cannot match all the same. */
static void test_bridge_that_filters(void **state)
{
	struct link link = link_of("bridge");

	(void)state;
	link.filters_vlans = true;
	assert_true(link_hides_vlans(&link));
	assert_false(link_mixes_vlans(&link));
}

/* As seen natively: everything that XDP needs. */
static struct link able(const char *kind, const char *driver)
{
	struct link link = link_of(kind);

	snprintf(link.driver, sizeof(link.driver), "%s", driver);
	link.xdp_features_known = true;
	link.xdp_features = LINK_XDP_BASIC | LINK_XDP_REDIRECT | LINK_XDP_NDO_XMIT;
	return link;
}

/* Its features are what its ports have in common: they say yes. */
static void test_bond_is_no_native_ingress(void **state)
{
	struct link bond = able("bond", "bonding"), port = able("", "ixgbe");
	char why[192] = "";

	(void)state;
	assert_true(link_runs_on_ports(&bond));
	assert_false(link_can_native(&bond, why, sizeof(why)));
	assert_non_null(strstr(why, "k0 is a bond"));
	assert_true(link_can_receive(&bond));
	port.master = 8;
	strcpy(port.master_kind, "bond");
	assert_false(link_runs_on_ports(&port));
	assert_true(link_can_native(&port, why, sizeof(why)));
	bond.xdp_features_known = false; /* before 6.3 */
	assert_false(link_can_native(&bond, why, sizeof(why)));
}

static void test_unfinished_checksums(void **state)
{
	static const char *const unfinished[] = {"veth", "tun", "vif"};
	static const char *const finished[] = {"", "virtio_net", "ixgbe", "bonding", "vi", "vifs"};

	(void)state;
	for (size_t i = 0; i < sizeof(unfinished) / sizeof(*unfinished); i++) {
		struct link link = able("", unfinished[i]);
		assert_true(link_leaves_checksums(&link));
	}
	for (size_t i = 0; i < sizeof(finished) / sizeof(*finished); i++) {
		struct link link = able("", finished[i]);
		assert_false(link_leaves_checksums(&link));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hidden_tags),
	    cmocka_unit_test(test_bridge_that_filters),
	    cmocka_unit_test(test_bond_is_no_native_ingress),
	    cmocka_unit_test(test_unfinished_checksums),
	};

	return cmocka_run_group_tests_name("reconcile-links", tests, NULL, NULL);
}
