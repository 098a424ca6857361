// SPDX-License-Identifier: GPL-2.0-or-later
/* The two egress programs, which devmap entries carry. One instance for all devices. */
#include "daemon/dataplane/internal.h"

#include <errno.h>
#include <string.h>

#include "egress.skel.h"

static void destroyp(struct egress_bpf **skeleton)
{
	egress_bpf__destroy(*skeleton);
}

/* Pins the program and keeps a descriptor of it. */
static int keep(struct dataplane *dp, const struct bpf_program *program, const char *name, int *fd)
{
	int r = pin_set(dp, bpf_program__fd(program), name);

	if (r < 0)
		return r;
	r = duplicate_fd(bpf_program__fd(program));
	if (r < 0)
		return r;
	*fd = r;
	return 0;
}

static int load(struct dataplane *dp)
{
	_cleanup_(destroyp) struct egress_bpf *skeleton = egress_bpf__open();
	int r;

	if (!skeleton)
		return -errno;
	skeleton->rodata->interface_stride = dp->sizes.interfaces + 1;
	r = maps_reuse(dp, skeleton->obj);
	if (!r)
		r = egress_bpf__load(skeleton);
	if (!r)
		r = keep(dp, skeleton->progs.xmcast_egress_native, PIN_EGRESS_NATIVE,
			 &dp->egress_native_fd);
	if (!r)
		r = keep(dp, skeleton->progs.xmcast_egress_generic, PIN_EGRESS_GENERIC,
			 &dp->egress_generic_fd);
	return r;
}

static int adopt(struct dataplane *dp)
{
	int r = pin_get(dp, PIN_EGRESS_NATIVE);

	if (r < 0)
		return r;
	dp->egress_native_fd = r;
	r = pin_get(dp, PIN_EGRESS_GENERIC);
	if (r < 0)
		return r;
	dp->egress_generic_fd = r;
	return 0;
}

uint64_t egress_build(void)
{
	size_t size;
	const void *object = egress_bpf__elf_bytes(&size);

	return hash_bytes(object, size);
}

int egress_open(struct dataplane *dp, struct fault *fault)
{
	messages_start();
	int r = dp->adopted ? adopt(dp) : load(dp);

	if (r < 0)
		return fault_set(fault, r, "cannot %s the egress programs: %s (%s)",
				 dp->adopted ? "open the pins of" : "load", strerror(-r),
				 messages_words());
	return 0;
}
