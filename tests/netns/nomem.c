/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into xmcastd: the kernel refuses one write into a map. The file XMCAST_NOMEM holds
 * three numbers, of 4 bytes each, in the machine's order: which write from now on fails (0: none),
 * how many there were, and the error (0: none, but the process stops itself in front of the write).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct plan {
	uint32_t fails, seen, error;
};

static struct plan *plan_open(void)
{
	int fd = open(getenv("XMCAST_NOMEM"), O_RDWR | O_CLOEXEC);
	void *plan =
	    fd < 0 ? MAP_FAILED
		   : mmap(NULL, sizeof(struct plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (plan == MAP_FAILED)
		abort();
	return plan;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags);

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	static int (*real)(int, const void *, const void *, __u64);
	static volatile struct plan *plan;

	if (!plan)
		plan = plan_open();
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "bpf_map_update_elem");
	if (++plan->seen == plan->fails) {
		if (!plan->error) {
			raise(SIGSTOP);
			return real(fd, key, value, flags);
		}
		errno = plan->error;
		return -errno;
	}
	return real(fd, key, value, flags);
}
