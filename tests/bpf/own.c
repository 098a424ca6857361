// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bpf/own.h"

#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

const struct limits small = {
    .groups = 64, .entries = 64, .sets = 16, .members = 64, .interfaces = 8};

static int run(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void must(const char *command)
{
	if (run(command))
		fail_msg("failed: %s", command);
}

unsigned int entries_of(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int n = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

/* Without the one that reads them. */
unsigned int open_files(void)
{
	return entries_of("/proc/self/fd") - 1;
}

struct dataplane *open_with(const char *bpffs, const struct limits *limits)
{
	struct dataplane *dp = NULL;
	struct fault fault = {};
	int r = dataplane_open(&dp, bpffs, limits, &fault);

	if (r)
		fail_msg("dataplane_open: %d: %s", r, fault.text);
	return dp;
}

struct dataplane *open_pinned(void)
{
	return open_with(PIN_BASE, &small);
}

void unpin(struct dataplane *dp)
{
	assert_int_equal(dataplane_unpin(dp), 0);
	dataplane_close(dp);
	assert_int_equal(access(PIN_BASE, F_OK), -1);
}

int refused(const char *bpffs, const struct limits *limits, struct fault *fault)
{
	struct dataplane *dp = NULL;
	unsigned int files = open_files();
	int r = dataplane_open(&dp, bpffs, limits, fault);

	assert_null(dp);
	assert_int_equal(open_files(), files);
	return r;
}

/* The kernel tells of a carrier late: until it has, link events of it may come any time. */
static void wait_up(const char *device)
{
	char command[96];

	snprintf(command, sizeof(command), "ip -o link show %s | grep -q 'state UP'", device);
	for (int i = 0; i < 500 && run(command); i++)
		usleep(10000);
	must(command);
}

void make_veth(void)
{
	must("ip link del v0 2>/dev/null; ip link add v0 type veth peer name v1 && ip link set v0 "
	     "up && ip link set v1 up");
	wait_up("v0");
	wait_up("v1");
}

void delete_veth(void)
{
	must("ip link del v0");
}

int index_of(const char *name)
{
	int index = if_nametoindex(name);

	assert_int_not_equal(index, 0);
	return index;
}

uint32_t program_id_of(int fd)
{
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &size), 0);
	return info.id;
}

int own_namespaces(void)
{
	if (geteuid()) {
		puts("SKIP: needs root");
		return 77;
	}
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) ||
	    mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("bpf", BPFFS, "bpf", 0, NULL)) {
		perror("own namespaces");
		return 1;
	}
	return 0;
}
