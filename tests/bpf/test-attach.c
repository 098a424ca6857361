// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaching and detaching on a veth, and all that can be in the way. */
#include "tests/bpf/own.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

static struct ingress_spec spec_of(const char *device, bool native, uint32_t generation)
{
	return (struct ingress_spec){
	    .slot = 2, .ifindex = index_of(device), .native = native, .generation = generation};
}

static struct ingress_state attach(struct dataplane *dp, const struct ingress_spec *spec)
{
	struct ingress_state state = {};
	struct fault fault = {};
	int r = dataplane_attach(dp, spec, &state, &fault);

	if (r)
		fail_msg("dataplane_attach: %d: %s", r, fault.text);
	assert_int_not_equal(state.program_id, 0);
	assert_int_equal(state.native, spec->native);
	if (!state.dispatcher)
		assert_true(state.why_single[0] != 0);
	return state;
}

static int refused_attach(struct dataplane *dp, const struct ingress_spec *spec,
			  struct fault *fault)
{
	unsigned int files = open_files();
	struct ingress_state state;
	int r = dataplane_attach(dp, spec, &state, fault);

	assert_int_equal(open_files(), files);
	return r;
}

static struct ingress_state attached(struct dataplane *dp, const char *device, char *foreign)
{
	struct ingress_state state;

	assert_int_equal(
	    dataplane_attached(dp, 2, index_of(device), &state, foreign, foreign ? 64 : 0), 0);
	return state;
}

static void detach(struct dataplane *dp, const char *device)
{
	struct fault fault = {};
	int r = dataplane_detach(dp, 2, index_of(device), &fault);

	if (r)
		fail_msg("dataplane_detach: %d: %s", r, fault.text);
	assert_int_equal(attached(dp, device, NULL).program_id, 0);
}

/* What the kernel itself says. */
static uint32_t kernel_id(const char *device, bool native)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	assert_int_equal(bpf_xdp_query(index_of(device), 0, &q), 0);
	return native ? q.drv_prog_id : q.skb_prog_id;
}

static int link_events(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static int count_events(int fd)
{
	char buffer[16384];
	int n = 0;

	while (recv(fd, buffer, sizeof(buffer), 0) > 0)
		n++;
	return n;
}

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

static int load_foreigner(void)
{
	const struct bpf_insn pass[] = {
	    {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = XDP_PASS},
	    {.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "foreigner", "GPL", pass, 2, NULL);

	assert_true(fd >= 0);
	return fd;
}

TEST(foreign_program)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	int foreign = load_foreigner();
	uint32_t id = program_id_of(foreign);
	char text[64], expected[64];
	struct fault fault;

	snprintf(expected, sizeof(expected), "id %u, name foreigner", id);
	for (int mode = 0; mode < 4; mode++) { /* theirs and ours, native and generic */
		bool theirs = mode & 1, ours = mode & 2;
		uint32_t flags = theirs ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
		struct ingress_spec spec = spec_of("v0", ours, 1);
		assert_int_equal(bpf_xdp_attach(spec.ifindex, foreign, flags, NULL), 0);
		assert_int_equal(refused_attach(dp, &spec, &fault), -EBUSY);
		assert_non_null(strstr(fault.text, expected));
		assert_int_equal(attached(dp, "v0", text).program_id, 0);
		assert_int_equal(strtoul(text, NULL, 10), id);
		assert_non_null(strstr(text, " foreigner"));
		assert_int_equal(kernel_id("v0", theirs), id);
		assert_int_equal(bpf_xdp_detach(spec.ifindex, flags, NULL), 0);
	}
	close(foreign);
	unpin(dp);
	delete_veth();
}

/* Somebody replaced our program: theirs stays, ours is gone, the pin can go. */
TEST(replaced_by_foreigner)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	int foreign = load_foreigner();
	struct fault fault;

	if (!attach(dp, &spec).dispatcher) {
		assert_int_equal(bpf_xdp_attach(spec.ifindex, foreign, XDP_FLAGS_DRV_MODE, NULL),
				 0);
		assert_int_equal(refused_attach(dp, &spec, &fault), -EBUSY);
		assert_int_equal(dataplane_detach(dp, 2, spec.ifindex, &fault), -ENOENT);
		assert_int_equal(kernel_id("v0", true), program_id_of(foreign));
	} else {
		detach(dp, "v0");
	}
	close(foreign);
	unpin(dp);
	delete_veth();
}

/* A daemon without pins was killed: the next one finds its program, and takes over. */
TEST(left_over)
{
	make_veth();
	struct dataplane *dp = open_with(NULL, &small);
	struct ingress_spec spec = spec_of("v0", false, 1);
	struct ingress_state first = attach(dp, &spec);

	dataplane_close(dp);
	if (!first.dispatcher) {
		dp = open_with(NULL, &small);
		assert_int_equal(attached(dp, "v0", NULL).program_id, 0);
		assert_int_not_equal(attach(dp, &spec).program_id, first.program_id);
		detach(dp, "v0");
		dataplane_close(dp);
	}
	delete_veth();
}

/* A loader was killed between attaching and pinning. */
TEST(unpinned_program)
{
	make_veth();
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	struct ingress_state first = attach(dp, &spec);
	char path[320];

	snprintf(path, sizeof(path), "%s/ingress_2", dp->pin_dir);
	dataplane_close(dp);
	assert_int_equal(unlink(path), 0);
	dp = open_pinned();
	if (!first.dispatcher) {
		assert_int_equal(attached(dp, "v0", NULL).program_id, 0);
		assert_int_equal(attach(dp, &spec).program_id, first.program_id);
		assert_int_equal(access(path, F_OK), 0);
		detach(dp, "v0");
	}
	unpin(dp);
	delete_veth();
}

/* Waits until the kernel has let go of a program. */
static bool gone(uint32_t id)
{
	for (int i = 0; i < 500; i++) {
		int fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			return errno == ENOENT;
		close(fd);
		usleep(10000);
	}
	return false;
}

/* Behind a dispatcher, with the program of somebody else, who has other maps. */
static void check_beside(struct dataplane *other)
{
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	uint32_t theirs = attached(other, "v0", NULL).program_id;
	struct ingress_state first = attach(dp, &spec);
	char foreign[64], path[320];

	assert_true(first.dispatcher);
	attached(dp, "v0", foreign);
	assert_string_equal(foreign, "");
	/* replaced: the old one is gone, the word tells the new one to count */
	spec.generation = 2;
	struct ingress_state second = attach(dp, &spec);
	assert_true(gone(first.program_id));
	assert_int_equal(xm_ingress_generation(dataplane_ingress(dp, 2)), 2);
	/* the pin is lost: the next one finds it all the same */
	snprintf(path, sizeof(path), "%s/ingress_2", dp->pin_dir);
	dataplane_close(dp);
	assert_int_equal(unlink(path), 0);
	dp = open_pinned();
	assert_int_equal(attached(dp, "v0", NULL).program_id, 0);
	attach(dp, &spec);
	assert_true(gone(second.program_id));
	assert_int_equal(attached(other, "v0", NULL).program_id, theirs);
	detach(dp, "v0");
	assert_int_equal(attached(other, "v0", NULL).program_id, theirs);
	unpin(dp);
}

TEST(beside_another)
{
	make_veth();
	struct dataplane *other = open_with(NULL, &small), *dp;
	struct ingress_spec spec = spec_of("v0", true, 1);
	struct fault fault;

	if (attach(other, &spec).dispatcher) {
		check_beside(other);
	} else {
		dp = open_pinned();
		assert_int_equal(refused_attach(dp, &spec, &fault), -EBUSY);
		assert_non_null(strstr(fault.text, "name xmcast_ingress"));
		unpin(dp);
	}
	detach(other, "v0");
	dataplane_close(other);
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

/* Maps of other sizes: the old program goes on until the new one is there, in one step. */
static void check_taken_over(bool native, const char *lost)
{
	struct ingress_spec spec = spec_of("v0", native, 1);
	struct limits more = small;
	struct dataplane *dp = open_pinned();
	struct fault fault = {};
	char path[320];

	dp->interface_records[2] =
	    (struct xm_interface_record){.name = "v0", .ifindex = spec.ifindex, .generation = 1};
	uint32_t old = attach(dp, &spec).program_id;
	snprintf(path, sizeof(path), "%s/%s", dp->pin_dir, lost);
	dataplane_close(dp);
	if (lost[0])
		assert_int_equal(unlink(path), 0);
	more.entries *= 2;
	dp = open_with(PIN_BASE, &more);
	assert_false(dp->adopted);
	if (strcmp(lost, "fields")) /* nobody knows whose program it is then */
		assert_int_equal(attached(dp, "v0", NULL).program_id, old);
	int events = link_events();
	uint32_t next = attach(dp, &spec).program_id;
	assert_int_not_equal(next, old);
	if (!attached(dp, "v0", NULL).dispatcher) { /* replaced, not taken off in between */
		assert_int_equal(kernel_id("v0", native), next);
		assert_true(count_events(events) <= 1);
	}
	close(events);
	assert_int_equal(dataplane_settle(dp, &fault), 0);
	assert_int_equal(entries_of(PIN_BASE), 1);
	assert_true(gone(old));
	detach(dp, "v0");
	unpin(dp);
}

TEST(taken_over)
{
	make_veth();
	for (int native = 0; native < 2; native++) {
		check_taken_over(native, "");
		check_taken_over(native, "sets");
		check_taken_over(native, "fields");
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

/* What differs behind a dispatcher: in an emulated guest each attach takes a second or more. */
static const struct CMUnitTest core[] = {
    cmocka_unit_test(attach_native),
    cmocka_unit_test(beside_another),
    cmocka_unit_test(load_only),
};

static const struct CMUnitTest all[] = {
    cmocka_unit_test(attach_native),
    cmocka_unit_test(attach_generic),
    cmocka_unit_test(change_of_mode),
    cmocka_unit_test(foreign_program),
    cmocka_unit_test(replaced_by_foreigner),
    cmocka_unit_test(left_over),
    cmocka_unit_test(unpinned_program),
    cmocka_unit_test(beside_another),
    cmocka_unit_test(words_of_the_kernel),
    cmocka_unit_test(device_deleted),
    cmocka_unit_test(purge),
    cmocka_unit_test(taken_over),
    cmocka_unit_test(load_only),
};

int main(void)
{
	int r = own_namespaces();

	if (r)
		return r;
	if (!getenv("XM_CORE"))
		return cmocka_run_group_tests(all, NULL, NULL);
	printf("# left out: %zu of %zu\n",
	       sizeof(all) / sizeof(*all) - sizeof(core) / sizeof(*core),
	       sizeof(all) / sizeof(*all));
	return cmocka_run_group_tests(core, NULL, NULL);
}
