// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tracepoint programs that count what left natively and why copies did not. Their links
 * are pinned, so that counting goes on without a daemon.
 */
#include "daemon/dataplane/succession.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.skel.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

struct trace {
	int xmit, redirect_error; /* links; -1 */
};

static void destroyp(struct trace_bpf **skeleton)
{
	trace_bpf__destroy(*skeleton);
}

static void link_destroyp(struct bpf_link **link)
{
	bpf_link__destroy(*link);
}

static int attach(struct dataplane *dp, const struct bpf_program *program, const char *name,
		  int *fd)
{
	_cleanup_(link_destroyp) struct bpf_link *link = NULL;
	int r;

	if (*fd >= 0) /* adopted */
		return 0;
	link = bpf_program__attach(program);
	if (!link)
		return -errno;
	r = pin_set(dp, bpf_link__fd(link), name);
	if (r < 0)
		return r;
	r = duplicate_fd(bpf_link__fd(link));
	if (r < 0)
		return r;
	*fd = r;
	return 0;
}

/*
 * Predecessors leave their serials when they count; from now on our programs replace them. What is
 * left of events that began without ours would pass for one that is counted already. No turn is
 * ours yet, so that nobody else misses what is cleared.
 */
static int forget_older(struct dataplane *dp)
{
	uint32_t zero = 0;
	int r;

	if (!dp->succession || !dp->succession->count)
		return 0;
	_cleanup_free_ struct xm_counted *none = calloc(dp->possible_cpus, sizeof(*none));
	if (!none)
		return -ENOMEM;
	r = dataplane_grace(dp);
	if (!r)
		r = bpf_map_update_elem(dp->map_fd[MAP_COUNTED], &zero, none, BPF_ANY);
	return r ? r : dataplane_grace(dp); /* events of before the clearing end before any turn */
}

static int load(struct dataplane *dp)
{
	_cleanup_(destroyp) struct trace_bpf *skeleton = trace_bpf__open();
	uint64_t cookie = 0;
	int r;

	if (!skeleton)
		return -errno;
	r = netns_cookie(&cookie);
	skeleton->rodata->netns_cookie = cookie;
	skeleton->rodata->serial = dp->serial;
	skeleton->rodata->interface_stride = dp->sizes.interfaces + 1;
	if (!r)
		r = maps_reuse(dp, skeleton->obj);
	if (!r)
		r = trace_bpf__load(skeleton);
	if (!r)
		r = attach(dp, skeleton->progs.xmcast_xmit, PIN_XMIT, &dp->trace->xmit);
	if (!r)
		r = attach(dp, skeleton->progs.xmcast_redirect_error, PIN_REDIRECT_ERROR,
			   &dp->trace->redirect_error);
	return r;
}

uint64_t trace_build(void)
{
	size_t size;
	const void *object = trace_bpf__elf_bytes(&size);

	return hash_bytes(object, size);
}

int trace_open(struct dataplane *dp, struct fault *fault)
{
	struct trace *t = dp->trace = malloc(sizeof(*t));
	int r;

	if (!t)
		return fault_set(fault, -ENOMEM, "out of memory");
	*t = (struct trace){.xmit = -1, .redirect_error = -1};
	if (dp->adopted) {
		t->xmit = pin_get(dp, PIN_XMIT);
		t->redirect_error = pin_get(dp, PIN_REDIRECT_ERROR);
	}
	if (t->xmit >= 0 && t->redirect_error >= 0)
		return 0;
	messages_start();
	r = load(dp);
	if (r < 0 && access(KERNEL_BTF, R_OK) < 0)
		return fault_set(fault, r,
				 "cannot load the tracepoint programs: this kernel has no BTF "
				 "(%s): use one built with CONFIG_DEBUG_INFO_BTF, as "
				 "distributions do",
				 KERNEL_BTF);
	if (r < 0)
		return fault_set(fault, r, "cannot attach the tracepoint programs: %s (%s)",
				 strerror(-r), messages_words());
	r = forget_older(dp);
	return r < 0 ? fault_set(fault, r, "beginning to count: %s", strerror(-r)) : 0;
}

int dataplane_trace(struct dataplane *dp, bool on, struct fault *fault)
{
	if (dp->pin_dir[0])
		return fault_set(fault, -EBUSY, "the tracepoint programs are pinned in %s",
				 dp->pin_dir);
	if (on == (dp->trace != NULL))
		return 0;
	if (on)
		return trace_open(dp, fault);
	trace_close(dp->trace);
	dp->trace = NULL;
	return 0;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	closep(&trace->xmit);
	closep(&trace->redirect_error);
	free(trace);
}
