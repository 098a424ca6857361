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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hidden_tags),
	    cmocka_unit_test(test_bridge_that_filters),
	};

	return cmocka_run_group_tests_name("reconcile-links", tests, NULL, NULL);
}
