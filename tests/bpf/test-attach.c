// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaching and detaching on a veth where nobody else is. */
#include "tests/bpf/attaching.h"

static void check_attach(bool native)
{
	make_veth();
	unsigned int files = open_files();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", native, 1);
	struct ingress_state state = attach(dp, &spec);
	uint32_t id = state.program_id;
	int events = link_events();

	if (!state.dispatcher)
		assert_int_equal(kernel_id("v0", native), id);
	assert_int_equal(kernel_id("v0", !native), 0);
	/* the same again: nothing happens to the device */
	assert_int_equal(attach(dp, &spec).program_id, id);
	assert_int_equal(count_events(events), 0);
	/* another constant: another program, and never none */
	spec.generation = 2;
	uint32_t next = attach(dp, &spec).program_id;
	assert_int_not_equal(next, id);
	assert_true(count_events(events) > 0);
	assert_int_equal(attached(dp, "v0", NULL).program_id, next);
	close(events);
	/* and a daemon that comes later knows it */
	dataplane_close(dp);
	dp = open_pinned();
	state = attached(dp, "v0", NULL);
	assert_int_equal(state.program_id, next);
	assert_int_equal(state.native, native);
	assert_int_equal(attach(dp, &spec).program_id, next);
	detach(dp, "v0");
	assert_int_equal(kernel_id("v0", native), 0);
	struct fault fault;
	assert_int_equal(dataplane_detach(dp, 2, index_of("v0"), &fault), -ENOENT);
	unpin(dp);
	assert_int_equal(open_files(), files);
	delete_veth();
}

TEST(attach_native)
{
	check_attach(true);
}

TEST(attach_generic)
{
	check_attach(false);
}

TEST(change_of_mode)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);

	for (int i = 0; i < 4; i++) {
		attach(dp, &spec);
		assert_int_equal(attached(dp, "v0", NULL).native, spec.native);
		assert_int_equal(kernel_id("v0", !spec.native), 0);
		spec.native = !spec.native;
	}
	detach(dp, "v0");
	unpin(dp);
	delete_veth();
}

TEST(words_of_the_kernel)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	struct fault fault;

	must("ip link set v1 mtu 9000");
	assert_true(refused_attach(dp, &spec, &fault) < 0);
	assert_non_null(strstr(fault.text, "v0 in native mode"));
	/* drivers/net/veth.c: veth_xdp_set() */
	assert_non_null(strstr(fault.text, "Peer MTU is too large to set XDP"));
	assert_int_equal(attached(dp, "v0", NULL).program_id, 0);
	/* a program of ours that is there in generic mode stays there */
	spec.native = false;
	uint32_t id = attach(dp, &spec).program_id;
	spec.native = true;
	assert_true(refused_attach(dp, &spec, &fault) < 0);
	struct ingress_state state = attached(dp, "v0", NULL);
	if (state.program_id) {
		assert_int_equal(state.program_id, id);
		assert_false(state.native);
		detach(dp, "v0");
	}
	unpin(dp);
	delete_veth();
}

TEST(device_deleted)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	struct ingress_state state;
	struct fault fault = {};
	unsigned int pins = entries_of(dp->pin_dir);

	attach(dp, &spec);
	assert_int_equal(entries_of(dp->pin_dir), pins + 1);
	delete_veth();
	assert_int_equal(dataplane_attached(dp, 2, spec.ifindex, &state, NULL, 0), -ENODEV);
	assert_int_equal(dataplane_detach(dp, 2, spec.ifindex, &fault), 0);
	assert_int_equal(entries_of(dp->pin_dir), pins);
	assert_int_equal(refused_attach(dp, &spec, &fault), -ENODEV);
	unpin(dp);
}

TEST(purge)
{
	struct fault fault = {};

	make_veth();
	for (int native = 0; native < 2; native++) {
		struct ingress_spec spec = spec_of("v0", native, 1);
		struct dataplane *dp = open_pinned();
		attach(dp, &spec);
		dataplane_close(dp);
		assert_int_not_equal(kernel_id("v0", native), 0);
		unsigned int files = open_files();
		assert_int_equal(dataplane_purge(PIN_BASE, &fault), 0);
		assert_int_equal(open_files(), files);
		assert_int_equal(kernel_id("v0", native), 0);
		assert_int_equal(access(PIN_BASE, F_OK), -1);
	}
	delete_veth();
}

/* The generation word decides whether an instance counts. */
TEST(load_only)
{
	unsigned int files = open_files();
	struct dataplane *dp = open_with(NULL, &small);
	struct ingress_spec spec = {.slot = 2, .native = true, .generation = 7};
	struct fault fault = {};
	char frame[64] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5}; /* to a unicast MAC */
	LIBBPF_OPTS(bpf_test_run_opts, run_opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = 1);
	struct xm_interface_counters c;
	int fd = dataplane_load_ingress(dp, &spec, &fault);

	assert_true(fd >= 0);
	assert_int_equal(bpf_prog_test_run_opts(fd, &run_opts), 0);
	assert_int_equal(run_opts.retval, XDP_PASS);
	assert_int_equal(counters_interface(dp, 2, &c), 0);
	assert_true(c.received == 0);
	dataplane_store_ingress(dp, 2, xm_ingress(7, 0, 0));
	assert_int_equal(bpf_prog_test_run_opts(fd, &run_opts), 0);
	assert_int_equal(counters_interface(dp, 2, &c), 0);
	assert_true(c.received == 1 && c.unmatched[XM_PROTOCOL_UNICAST] == 1);
	close(fd);
	dataplane_close(dp);
	assert_int_equal(open_files(), files);
}

/* In an emulated guest each attach takes a second or more. */
static const struct CMUnitTest core[] = {
    cmocka_unit_test(attach_native),
    cmocka_unit_test(load_only),
};

static const struct CMUnitTest all[] = {
    cmocka_unit_test(attach_native),  cmocka_unit_test(attach_generic),
    cmocka_unit_test(change_of_mode), cmocka_unit_test(words_of_the_kernel),
    cmocka_unit_test(device_deleted), cmocka_unit_test(purge),
    cmocka_unit_test(load_only),
};

int main(void)
{
	return RUN_CORE_OR_ALL(core, all);
}
