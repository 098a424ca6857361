// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaching where a program is already: somebody else's, or one that an earlier daemon left. */
#include "tests/bpf/attaching.h"

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
	char text[FOREIGN_MAX], expected[64];
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
		assert_non_null(strstr(text, expected));
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

/* Behind a dispatcher, with the program of somebody else, who has other maps. */
static void check_beside(struct dataplane *other)
{
	struct dataplane *dp = open_pinned();
	struct ingress_spec spec = spec_of("v0", true, 1);
	uint32_t theirs = attached(other, "v0", NULL).program_id;
	struct ingress_state first = attach(dp, &spec);
	char foreign[FOREIGN_MAX], path[320];

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

/* What differs behind a dispatcher; in an emulated guest each attach takes a second or more. */
static const struct CMUnitTest core[] = {
    cmocka_unit_test(beside_another),
};

static const struct CMUnitTest all[] = {
    cmocka_unit_test(foreign_program), cmocka_unit_test(replaced_by_foreigner),
    cmocka_unit_test(left_over),       cmocka_unit_test(unpinned_program),
    cmocka_unit_test(beside_another),  cmocka_unit_test(taken_over),
};

int main(void)
{
	return RUN_CORE_OR_ALL(core, all);
}
