/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into xmcastd: the kernel refuses one write into a map, or two, or all. The file
 * XMCAST_NOMEM holds numbers, of 4 bytes each, in the machine's order: how many writes there were
 * from now on; for each that fails which (0: none) and the error (0: none, but the process stops
 * itself in front of the write); and from which on there is no memory (0: none). While a file
 * XMCAST_NOEXCHANGE exists, no program is attached, either. Behind a pin of the name
 * XMCAST_STOP_PIN the process stops itself.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct plan {
	uint32_t seen;
	struct {
		uint32_t at, error;
	} fails[2];
	uint32_t all_from;
};

static int fail(uint32_t error)
{
	errno = error;
	return -errno;
}

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
	plan->seen++;
	for (int i = 0; i < 2; i++) {
		if (plan->fails[i].at != plan->seen)
			continue;
		if (plan->fails[i].error)
			return fail(plan->fails[i].error);
		raise(SIGSTOP);
	}
	if (plan->all_from && plan->seen >= plan->all_from)
		return fail(ENOMEM);
	return real(fd, key, value, flags);
}

int bpf_xdp_attach(int ifindex, int fd, __u32 flags, const void *options);

int bpf_xdp_attach(int ifindex, int fd, __u32 flags, const void *options)
{
	static int (*real)(int, int, __u32, const void *);
	const char *refuse = getenv("XMCAST_NOEXCHANGE");

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "bpf_xdp_attach");
	if (!refuse || access(refuse, F_OK))
		return real(ifindex, fd, flags, options);
	return fail(ENOMEM);
}

int bpf_obj_pin(int fd, const char *path);

int bpf_obj_pin(int fd, const char *path)
{
	static int (*real)(int, const char *);
	const char *stop = getenv("XMCAST_STOP_PIN");
	int r;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "bpf_obj_pin");
	r = real(fd, path);
	if (stop && !strcmp(strrchr(path, '/') + 1, stop))
		raise(SIGSTOP);
	return r;
}
