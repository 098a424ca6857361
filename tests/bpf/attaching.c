// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bpf/attaching.h"

#include <linux/rtnetlink.h>
#include <sys/socket.h>

struct ingress_spec spec_of(const char *device, bool native, uint32_t generation)
{
	return (struct ingress_spec){
	    .slot = 2, .ifindex = index_of(device), .native = native, .generation = generation};
}

struct ingress_state attach(struct dataplane *dp, const struct ingress_spec *spec)
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

int refused_attach(struct dataplane *dp, const struct ingress_spec *spec, struct fault *fault)
{
	unsigned int files = open_files();
	struct ingress_state state;
	int r = dataplane_attach(dp, spec, &state, fault);

	assert_int_equal(open_files(), files);
	return r;
}

struct ingress_state attached(struct dataplane *dp, const char *device, char *foreign)
{
	struct ingress_state state;

	assert_int_equal(
	    dataplane_attached(dp, 2, index_of(device), &state, foreign, foreign ? FOREIGN_MAX : 0),
	    0);
	return state;
}

void detach(struct dataplane *dp, const char *device)
{
	struct fault fault = {};
	int r = dataplane_detach(dp, 2, index_of(device), &fault);

	if (r)
		fail_msg("dataplane_detach: %d: %s", r, fault.text);
	assert_int_equal(attached(dp, device, NULL).program_id, 0);
}

uint32_t kernel_id(const char *device, bool native)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	assert_int_equal(bpf_xdp_query(index_of(device), 0, &q), 0);
	return native ? q.drv_prog_id : q.skb_prog_id;
}

int link_events(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

int count_events(int fd)
{
	char buffer[16384];
	int n = 0;

	while (recv(fd, buffer, sizeof(buffer), 0) > 0)
		n++;
	return n;
}

bool gone(uint32_t id)
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

int run_core_or_all(const struct CMUnitTest *core, size_t core_count, const struct CMUnitTest *all,
		    size_t all_count)
{
	int r = own_namespaces();

	if (r)
		return r;
	if (!getenv("XM_CORE"))
		return _cmocka_run_group_tests("all", all, all_count, NULL, NULL);
	printf("# left out: %zu of %zu\n", all_count - core_count, all_count);
	return _cmocka_run_group_tests("core", core, core_count, NULL, NULL);
}
