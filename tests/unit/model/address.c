/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "tests/unit/model/make.h"

static void canonical_texts_parse_and_come_back(void **state)
{
	static const struct {
		const char *text, *canonical;
		enum family family;
		unsigned char len; /* of the 128 bits, by the mapping in bpf/xmcast.h */
	} cases[] = {
	    {"239.1.2.3", "239.1.2.3", FAMILY_IPV4, 128},
	    {"239.1.2.3/32", "239.1.2.3", FAMILY_IPV4, 128},
	    {"239.1.2.0/24", "239.1.2.0/24", FAMILY_IPV4, 120},
	    {"224.0.0.0/4", "224.0.0.0/4", FAMILY_IPV4, 100},
	    {"0.0.0.0/0", "0.0.0.0/0", FAMILY_IPV4, 96},
	    {"FF02:0:0::FB", "ff02::fb", FAMILY_IPV6, 128},
	    {"ff3e::/32", "ff3e::/32", FAMILY_IPV6, 32},
	    {"::/0", "::/0", FAMILY_IPV6, 0},
	    {"2001:db8::1", "2001:db8::1", FAMILY_IPV6, 128},
	    {"01:1B:19:00:00:00", "01:1b:19:00:00:00", FAMILY_MAC, 128},
	    {"01-0c-cd-01-00-00/32", "01:0c:cd:01:00:00/32", FAMILY_MAC, 112},
	    {"01:00:00:00:00:00/8", "01:00:00:00:00:00/8", FAMILY_MAC, 88},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct prefix p = make_prefix(cases[i].text), again;
		char text[PREFIX_TEXT_MAX];

		assert_string_equal(prefix_format(&p, text), cases[i].canonical);
		assert_int_equal(prefix_family(&p), cases[i].family);
		assert_int_equal(p.len, cases[i].len);
		again = make_prefix(text);
		assert_int_equal(prefix_compare(&p, &again), 0);
	}
}

static void bytes_are_mapped_as_the_maps_want_them(void **state)
{
	static const unsigned char ipv4[] = {0, 0, 0,	 0,    0,   0, 0, 0,
					     0, 0, 0xff, 0xff, 239, 1, 2, 3};
	static const unsigned char mac[] = {0,	  0,	0,    0,    0,	  0,	0, 0,
					    0xff, 0xfe, 0x01, 0x1b, 0x19, 0x00, 0, 7};
	struct prefix p = make_prefix("239.1.2.3");

	(void)state;
	assert_memory_equal(p.address.byte, ipv4, sizeof(ipv4));
	p = make_prefix("01:1b:19:00:00:07");
	assert_memory_equal(p.address.byte, mac, sizeof(mac));
}

static void what_is_no_address_is_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
	    {"", "is not an"},
	    {"239.1.2", "is not an"},
	    {"239.1.2.3.4", "is not an"},
	    {"239.1.2.256", "is not an"},
	    {" 239.1.2.3", "is not an"},
	    {"239.1.2.3 ", "is not an"},
	    {"ff02::1%eth0", "is not an"},
	    {"ff02::1::2", "is not an"},
	    {"veth0", "is not an"},
	    {"01:1b:19:00:00", "is not an"},
	    {"01:1b:19:00:00:0g", "is not an"},
	    {"01:1b-19:00:00:00", "is not an"},
	    {"1:1b:19:0:0:0", "is not an"},
	    {"011b19000000", "is not an"},
	    {"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/1", "is not an"},
	    {"239.1.2.3/33", "0 to 32"},
	    {"239.1.2.3/", "0 to 32"},
	    {"239.1.2.3/+8", "0 to 32"},
	    {"239.1.2.3/-1", "0 to 32"},
	    {"239.1.2.3/24x", "0 to 32"},
	    {"239.1.2.0/24/24", "0 to 32"},
	    {"239.1.2.3/4294967328", "0 to 32"},
	    {"ff02::/129", "0 to 128"},
	    {"01:1b:19:00:00:00/49", "1 to 48"},
	    {"00:00:00:00:00:00/0", "1 to 48"},
	    {"239.1.2.3/24", "bits set behind"},
	    {"ff02::1/16", "bits set behind"},
	    {"01:1b:19:00:00:01/40", "bits set behind"},
	    {"239.1.2.3/0", "bits set behind"},
	    {"::ffff:239.1.2.3", "stands for IPv4 or MAC"},
	    {"0:0:0:0:fffe:11b:1900:0", "stands for IPv4 or MAC"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct prefix before, out;
		const char *why = NULL;

		memset(&before, 0x5a, sizeof(before));
		out = before;
		if (prefix_parse(cases[i].text, &out, &why) != -EINVAL)
			fail_msg("\"%s\" was taken", cases[i].text);
		if (!strstr(why, cases[i].why))
			fail_msg("\"%s\": %s", cases[i].text, why);
		assert_memory_equal(&out, &before, sizeof(out));
	}
}

static void ranges(void **state)
{
	static const struct {
		const char *text;
		bool multicast, control;
	} cases[] = {
	    {"224.0.0.0/4", true, false},
	    {"224.0.0.0/3", false, false},
	    {"223.255.255.255", false, false},
	    {"239.255.255.255", true, false},
	    {"240.0.0.0", false, false},
	    {"224.0.0.0/24", true, true},
	    {"224.0.0.251", true, true},
	    {"224.0.0.0/23", true, false},
	    {"224.0.1.0", true, false},
	    {"ff00::/8", true, false},
	    {"fe00::/7", false, false},
	    {"ff02::1", true, true},
	    {"ff02::/16", true, true},
	    {"ff02::/15", true, false},
	    {"ff05::2", true, false},
	    {"2001:db8::1", false, false},
	    {"01:80:c2:00:00:00", true, true},
	    {"01:80:c2:00:00:0f", true, true},
	    {"01:80:c2:00:00:10", true, false},
	    {"01:80:c2:00:00:00/44", true, true},
	    {"01:80:c2:00:00:00/43", true, false},
	    {"01:00:00:00:00:00/8", true, false},
	    {"00:00:00:00:00:00/7", false, false},
	    {"02:00:00:00:00:01", false, false},
	    {"33:33:00:00:00:01", true, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct prefix p = make_prefix(cases[i].text);

		if (prefix_is_multicast(&p) != cases[i].multicast)
			fail_msg("multicast: %s", cases[i].text);
		if (prefix_is_control(&p) != cases[i].control)
			fail_msg("control: %s", cases[i].text);
	}
}

static bool contains(const char *outer, const char *inner)
{
	struct prefix o = make_prefix(outer), i = make_prefix(inner);

	return prefix_contains(&o, &i);
}

static void containment(void **state)
{
	(void)state;
	assert_true(contains("239.1.0.0/16", "239.1.2.3"));
	assert_true(contains("239.1.0.0/16", "239.1.0.0/16"));
	assert_true(contains("239.1.2.0/23", "239.1.3.0/24"));
	assert_false(contains("239.1.2.0/23", "239.1.4.0/24"));
	assert_false(contains("239.1.0.0/16", "239.0.0.0/8"));
	assert_false(contains("239.1.2.3", "239.1.2.2"));
	assert_true(contains("ff00::/9", "ff7f::1"));
	assert_false(contains("ff00::/9", "ff80::1"));
}

static void order_is_by_bytes_then_shorter_first(void **state)
{
	static const char *const sorted[] = {"::/0",	 "0.0.0.0/0", "10.0.0.0/8",  "10.0.0.0/16",
					     "10.0.0.0", "10.0.0.1",  "239.0.0.0/8", "239.1.0.0",
					     "ff00::/8", "ff02::/16", "ff02::1"};
	size_t count = sizeof(sorted) / sizeof(*sorted);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++) {
			struct prefix a = make_prefix(sorted[i]), b = make_prefix(sorted[j]);
			int r = prefix_compare(&a, &b);

			assert_int_equal((r > 0) - (r < 0), (i > j) - (i < j));
		}
	}
}

static void vlans(void **state)
{
	static const char *const bad[] = {"",	    "0",   "4095",  "-1",    "1.",
					  ".1",	    "1.0", "0.1",   "1.2.3", "1x",
					  "1.4095", "+1",  "99999", " 1",    "1 "};
	char text[VLAN_TEXT_MAX];
	const char *why;
	__u32 vlan = 77;

	(void)state;
	assert_int_equal(vlan_parse("4094", &vlan, &why), 0);
	assert_int_equal(vlan, 4094);
	assert_string_equal(vlan_format(vlan, text), "4094");
	assert_int_equal(vlan_parse("100.4094", &vlan, &why), 0);
	assert_int_equal(vlan, 100 << 16 | 4094);
	assert_string_equal(vlan_format(vlan, text), "100.4094");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		why = NULL;
		if (vlan_parse(bad[i], &vlan, &why) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_non_null(strstr(why, "1 to 4094"));
	}
	assert_int_equal(vlan, 100 << 16 | 4094);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(canonical_texts_parse_and_come_back),
	    cmocka_unit_test(bytes_are_mapped_as_the_maps_want_them),
	    cmocka_unit_test(what_is_no_address_is_refused_with_a_reason),
	    cmocka_unit_test(ranges),
	    cmocka_unit_test(containment),
	    cmocka_unit_test(order_is_by_bytes_then_shorter_first),
	    cmocka_unit_test(vlans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
