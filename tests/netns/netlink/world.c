/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/netns/netlink/world.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Long enough for what the kernel sends from a work item after the change itself. */
#define QUIET_MS 50

long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void on_link(int ifindex, const struct link *link, void *data)
{
	struct world *world = data;

	world->calls++;
	if (link)
		return;
	world->vanishings++;
	world->last_vanished = ifindex;
}

static void on_settled(bool resync, void *data)
{
	struct world *world = data;

	world->settled++;
	world->resyncs += resync;
}

int world_setup(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	if (!world || unshare(CLONE_NEWNET)) {
		free(world);
		return -1;
	}
	*state = world;
	return 0;
}

int world_teardown(void **state)
{
	struct world *world = *state;

	netlink_close(world->netlink);
	for (unsigned int i = 0; i < world->space_count; i++)
		space_end(world, i);
	free(world);
	/* The old namespace dies here, unless a failed test left us in another. */
	return unshare(CLONE_NEWNET);
}

void watch(struct world *world)
{
	const struct netlink_events events = {on_link, on_settled, world};

	netlink_close(world->netlink);
	world->netlink = NULL;
	assert_int_equal(netlink_open(&world->netlink, &events), 0);
}

static bool ready(struct world *world, long milliseconds)
{
	struct pollfd fd = {.fd = netlink_fd(world->netlink), .events = POLLIN};

	return poll(&fd, 1, milliseconds < 0 ? 0 : milliseconds) > 0;
}

bool step(struct world *world, long deadline)
{
	if (!ready(world, deadline - now_ms()))
		return false;
	assert_int_equal(netlink_dispatch(world->netlink), 0);
	return true;
}

void drain(struct world *world)
{
	while (ready(world, QUIET_MS))
		assert_int_equal(netlink_dispatch(world->netlink), 0);
}

const struct link *named(struct world *world, const char *name)
{
	return netlink_by_name(world->netlink, name);
}

static void hold_namespace(int report)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWNET) || write(report, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

unsigned int space(struct world *world)
{
	int pipe_ends[2];
	char byte;
	pid_t pid;

	assert_true(world->space_count < 4);
	assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		hold_namespace(pipe_ends[1]);
	close(pipe_ends[1]);
	assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
	close(pipe_ends[0]);
	world->spaces[world->space_count] = pid;
	return world->space_count++;
}

void space_end(struct world *world, unsigned int number)
{
	if (!world->spaces[number])
		return;
	kill(world->spaces[number], SIGKILL);
	waitpid(world->spaces[number], NULL, 0);
	world->spaces[number] = 0;
}

void run(struct world *world, int where, const char *format, ...)
{
	char command[512], line[600];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	if (where == HOME)
		snprintf(line, sizeof(line), "%s", command);
	else
		snprintf(line, sizeof(line), "nsenter --net=/proc/%d/ns/net %s",
			 world->spaces[where], command);
	if (system(line) != 0)
		fail_msg("failed: %s", line);
}

void enter(struct world *world, int where)
{
	static int home = -1;
	char path[64];
	int fd;

	if (where == HOME) {
		assert_int_equal(setns(home, CLONE_NEWNET), 0);
		close(home);
		home = -1;
		return;
	}
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	assert_true(home >= 0);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", world->spaces[where]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(setns(fd, CLONE_NEWNET), 0);
	close(fd);
}

int ifindex_in(struct world *world, int where, const char *name)
{
	int ifindex;

	if (where != HOME)
		enter(world, where);
	ifindex = if_nametoindex(name);
	if (where != HOME)
		enter(world, HOME);
	assert_true(ifindex > 0);
	return ifindex;
}

int xdp_program(uint32_t *id)
{
	const struct bpf_insn pass[] = {
	    {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = XDP_PASS},
	    {.code = BPF_JMP | BPF_EXIT},
	};
	struct bpf_prog_info info = {0};
	__u32 size = sizeof(info);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "pass", "GPL", pass, 2, NULL);

	assert_true(fd >= 0);
	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &size), 0);
	*id = info.id;
	return fd;
}
