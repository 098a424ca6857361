/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical statements: as written here, and what is read back is the same model. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/config/collect.h"

static struct errors errors;
static struct fault fault;

static char *runtime_text(const struct model *model)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_int_equal(config_write_runtime(stream, model), 0);
	fclose(stream);
	return text;
}

static void statements_are_canonical(void **state)
{
	struct model *model = model_new();
	struct interface_wish native = {.name = "eth1", .mode = MODE_NATIVE};
	char *text;

	(void)state;
	assert_int_equal(ADD(model, "FF05:0::1", "in", "b,a,veth*", .source = "2001:DB8::/32",
			     .vlan = "5.6", .exclude = "veth9"),
			 0);
	assert_int_equal(ADD(model, "239.1.0.0/16", "in", "a"), 0);
	assert_int_equal(ADD(model, "01-1B-19-00-00-00", "in", "a", .vlan = "7"), 0);
	assert_int_equal(ADD(model, "239.9.9.9", "in", "a", .file = "x.conf", .line = 1), 0);
	assert_int_equal(wish(model, "eth2", "c,b", true, NULL, &fault), 0);
	assert_int_equal(wish(model, "eth3", "c,b", true, "x.conf", &fault), 0);
	assert_int_equal(model_set_interface(model, &native, &fault), 0);
	text = runtime_text(model);
	assert_string_equal(text,
			    "interface eth1 --mode native\n"
			    "interface eth2 --exclude b,c --detached\n"
			    "group 239.1.0.0/16 --from in --to a\n"
			    "group 01:1b:19:00:00:00 --from in --to a --vlan 7\n"
			    "group ff05::1 --from in --to a,b,veth* --source 2001:db8::/32 --vlan "
			    "5.6 --exclude veth9\n");
	free(text);
	model_free(model);
}

static unsigned int seed = 1;
static unsigned int dice(unsigned int sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

static void random_names(char *out, size_t size)
{
	static const char *const some[] = {"eth0", "veth*", "br-lan", "a.100", "tap[0-9]", "x?",
					   "wg@1", "-odd",  "a=b",    "{x}",   "~",	   "$HOME"};

	snprintf(out, size, "%s,%s,%s", some[dice(12)], some[dice(12)], some[dice(12)]);
}

static void random_group(struct model *model)
{
	static const char *const addresses[] = {"239.1.1.1", "239.0.0.0/9", "ff3e::8000:1",
						"ff00::/8", "01:0c:cd:01:00:00/32"};
	static const char *const sources[] = {"10.1.1.1", "192.168.0.0/17", "2001:db8::/33",
					      "fe80::1", "02:00:00:00:00:01"};
	static const char *const vlans[] = {NULL, "1", "4094", "7.8"};
	char to[64], exclude[64];
	unsigned int n = dice(5);

	random_names(to, sizeof(to));
	random_names(exclude, sizeof(exclude));
	/* Some make no sense and are refused: those are no part of the model. */
	add(model,
	    &(struct wanted){.address = addresses[n],
			     .from = dice(2) ? "in" : "eth0",
			     .to = to,
			     .exclude = dice(2) ? exclude : NULL,
			     .source = dice(2) ? sources[n] : NULL,
			     .vlan = vlans[dice(4)]},
	    &fault);
}

static void what_is_read_back_is_the_same(void **state)
{
	size_t groups = 0;

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		struct model *model = model_new(), *again = model_new();
		char *text, *before, *after;
		char names[64];

		random_names(names, sizeof(names));
		wish(model, "in", names, dice(2), NULL, &fault);
		for (unsigned int i = 0; i < 10; i++)
			random_group(model);
		text = runtime_text(model);
		if (*text && read_string(text, true, again, &errors))
			fail_msg("%s%s", errors.text, text);
		model_settle(again);
		before = dump(model);
		after = dump(again);
		assert_string_equal(before, after);
		groups += model->group_count;
		free(before);
		free(after);
		free(text);
		model_free(model);
		model_free(again);
	}
	assert_true(groups > 1000);
}

static void a_full_disk_is_told(void **state)
{
	struct model *model = model_new();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(ADD(model, "239.1.1.1", "in", "a"), 0);
	assert_true(config_write_runtime(full, model) < 0);
	fclose(full);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(statements_are_canonical),
	    cmocka_unit_test(what_is_read_back_is_the_same),
	    cmocka_unit_test(a_full_disk_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
