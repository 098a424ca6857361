// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attaching the ingress program, through libxdp, so that it lives beside others where the
 * dispatcher works and alone where it does not. Which of the two is asked from the kernel,
 * never assumed. What must not happen: a moment without a program while one is replaced
 * (single: XDP_FLAGS_REPLACE; dispatcher: new beside old, the generation word decides which
 * counts), a needless re-attach (some drivers reset the link), a foreign program lost.
 */
#include "daemon/dataplane/load.h"

#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xdp/libxdp.h>

/* What is attached to a device. */
struct seen {
	uint32_t id;	  /* ours, 0: not there */
	bool native;	  /* mode of ours */
	bool dispatcher;  /* ours runs behind one */
	uint32_t foreign; /* id of a program that holds the device alone, 0: none */
	bool foreign_native;
};

static enum xdp_attach_mode mode_of(bool native)
{
	return native ? XDP_MODE_NATIVE : XDP_MODE_SKB;
}

static uint32_t flags_of(bool native)
{
	return native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
}

static void multiprog_closep(struct xdp_multiprog **mp)
{
	if (*mp)
		xdp_multiprog__close(*mp);
}

static void program_closep(struct xdp_program **program)
{
	if (*program)
		xdp_program__close(*program);
}

/*
 * libxdp 1.3 leaves a descriptor open for each program that it is asked about (xdp-tools
 * issue 343), so it is asked about dispatchers only, and about each once (dp->behind).
 */
static struct xdp_multiprog *dispatcher_of(int ifindex)
{
	struct xdp_multiprog *mp = xdp_multiprog__get_from_ifindex(ifindex);

	if (libxdp_get_error(mp))
		return NULL;
	if (!xdp_multiprog__is_legacy(mp))
		return mp;
	xdp_multiprog__close(mp);
	return NULL;
}

static struct xdp_program *component(const struct xdp_multiprog *mp, uint32_t id)
{
	struct xdp_program *p = NULL;

	while ((p = xdp_multiprog__next_prog(p, mp)))
		if (xdp_program__id(p) == id)
			return p;
	return NULL;
}

static bool is_dispatcher(uint32_t id)
{
	char name[BPF_OBJ_NAME_LEN];

	program_name(id, name);
	return !strcmp(name, "xdp_dispatcher");
}

/* Is our program part of the dispatcher? Its parts never change: others make another one. */
static bool is_behind(int ifindex, uint32_t id, uint32_t dispatcher, uint32_t *behind)
{
	if (behind && *behind == dispatcher)
		return true;
	_cleanup_(multiprog_closep) struct xdp_multiprog *mp = dispatcher_of(ifindex);
	if (!mp || !component(mp, id))
		return false;
	if (behind)
		*behind = dispatcher;
	return true;
}

/*
 * `id`: of our program, 0 when we have none. `behind` (may be NULL): the dispatcher where it
 * was seen last.
 */
static int look(int ifindex, uint32_t id, uint32_t *behind, struct seen *out)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	int r = bpf_xdp_query(ifindex, 0, &q);
	char device[IF_NAMESIZE];

	*out = (struct seen){};
	if (r < 0)
		return r;
	uint32_t holds = q.drv_prog_id	 ? q.drv_prog_id
			 : q.skb_prog_id ? q.skb_prog_id
					 : q.hw_prog_id;
	if (!holds) /* it says the same of a device that is not there */
		return if_indextoname(ifindex, device) ? 0 : -ENODEV;
	if (id && (id == q.drv_prog_id || id == q.skb_prog_id)) {
		*out = (struct seen){.id = id, .native = id == q.drv_prog_id};
	} else if (!is_dispatcher(holds)) {
		out->foreign = holds;
		out->foreign_native = holds == q.drv_prog_id;
	} else if (id && is_behind(ifindex, id, holds, behind)) {
		*out =
		    (struct seen){.id = id, .dispatcher = true, .native = holds == q.drv_prog_id};
	}
	return 0;
}

/* The same for the program of a slot. */
static int look_at(struct dataplane *dp, uint32_t slot, int ifindex, struct seen *out)
{
	return look(ifindex, program_id(dp->ingress_fd[slot]), &dp->behind[slot], out);
}

static bool valid(const struct dataplane *dp, uint32_t slot)
{
	return slot && slot <= dp->sizes.interfaces;
}

static void pin_name(uint32_t slot, char name[static PIN_NAME_MAX])
{
	snprintf(name, PIN_NAME_MAX, PIN_INGRESS "%x", slot);
}

static void state_of(const struct seen *seen, struct ingress_state *state)
{
	state->program_id = seen->id;
	state->native = seen->native;
	state->dispatcher = seen->dispatcher;
}

int dataplane_attached(struct dataplane *dp, uint32_t slot, int ifindex,
		       struct ingress_state *state, char *foreign, size_t foreign_size)
{
	char name[BPF_OBJ_NAME_LEN];
	struct seen seen;
	int r;

	if (!valid(dp, slot))
		return -EINVAL;
	memset(state, 0, sizeof(*state));
	if (foreign_size)
		foreign[0] = 0;
	messages_start();
	r = look_at(dp, slot, ifindex, &seen);
	if (r < 0)
		return r;
	state_of(&seen, state);
	if (seen.foreign && foreign_size) {
		program_name(seen.foreign, name);
		snprintf(foreign, foreign_size, "%u %s", seen.foreign, name);
	}
	return 0;
}

static int detach_single(int ifindex, int fd, bool native)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = fd);

	return bpf_xdp_detach(ifindex, flags_of(native), &opts);
}

static int detach_component(int ifindex, uint32_t id)
{
	_cleanup_(multiprog_closep) struct xdp_multiprog *mp = dispatcher_of(ifindex);
	struct xdp_program *p = mp ? component(mp, id) : NULL;

	return p ? xdp_program__detach(p, ifindex, xdp_multiprog__attach_mode(mp), 0) : -ENOENT;
}

static int detach_seen(int ifindex, int fd, const struct seen *seen)
{
	if (!seen->id)
		return -ENOENT;
	if (seen->dispatcher)
		return detach_component(ifindex, seen->id);
	return detach_single(ifindex, fd, seen->native);
}

static void forget(struct dataplane *dp, uint32_t slot)
{
	char name[PIN_NAME_MAX];

	pin_name(slot, name);
	pin_remove(dp, name);
	closep(&dp->ingress_fd[slot]);
	dp->behind[slot] = 0;
}

static const char *device_name(int ifindex, char name[static IF_NAMESIZE])
{
	if (!if_indextoname(ifindex, name))
		snprintf(name, IF_NAMESIZE, "if%d", ifindex);
	return name;
}

int dataplane_detach(struct dataplane *dp, uint32_t slot, int ifindex, struct fault *fault)
{
	char device[IF_NAMESIZE];
	struct seen seen;
	int r;

	if (!valid(dp, slot))
		return fault_set(fault, -EINVAL, "interface slot %u is out of range", slot);
	messages_start();
	r = look_at(dp, slot, ifindex, &seen);
	if (!r)
		r = detach_seen(ifindex, dp->ingress_fd[slot], &seen);
	if (r < 0 && r != -ENOENT && r != -ENODEV)
		return fault_set(fault, r, "cannot detach from %s: %s: %s",
				 device_name(ifindex, device), strerror(-r), messages_words());
	forget(dp, slot);
	if (r == -ENOENT)
		return fault_set(fault, r, "no program of ours is attached to %s",
				 device_name(ifindex, device));
	return 0;
}

/* --- attaching --- */

struct attach {
	struct dataplane *dp;
	const struct ingress_spec *spec;
	struct fault *fault;
	struct seen seen;
	char device[IF_NAMESIZE];
	int old; /* our program that is attached now, -1 none */
};

static int refused(const struct attach *a, int error)
{
	const char *words = messages_words();

	if (error == -ENODEV || !a->spec->native)
		return fault_set(a->fault, error, "cannot attach to %s%s: %s%s%s", a->device,
				 a->spec->native ? "" : " in generic mode", strerror(-error),
				 *words ? ": " : "", words);
	return fault_set(a->fault, error,
			 "cannot attach to %s in native mode: %s%s%s: change that, or use "
			 "`interface %s --mode generic`",
			 a->device, strerror(-error), *words ? ": " : "", words, a->device);
}

static int foreign_fault(const struct attach *a)
{
	char name[BPF_OBJ_NAME_LEN];

	program_name(a->seen.foreign, name);
	return fault_set(
	    a->fault, -EBUSY,
	    "%s is held by another XDP program, id %u, name %s, that shares it with "
	    "nobody: detach that one (`ip link set dev %s xdp%s off`), then attach again",
	    a->device, a->seen.foreign, name, a->device,
	    a->seen.foreign_native ? "drv" : "generic");
}

/*
 * A program of ours that lost its pin: its loader was killed between attaching and pinning
 * (then it uses our maps), or ran without a bpffs (then only its name tells).
 */
static bool left_over(const struct dataplane *dp, int fd, uint32_t id)
{
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	char name[BPF_OBJ_NAME_LEN];

	program_name(id, name);
	if (strcmp(name, INGRESS_PROGRAM))
		return false;
	if (!dp->pin_dir[0])
		return true;
	return !bpf_obj_get_info_by_fd(dp->map_fd[MAP_INGRESSES], &info, &size) &&
	       program_uses(fd, info.id);
}

/* Sets a->old; a left-over program becomes what was seen as ours. */
static int find_old(struct attach *a)
{
	int r = look_at(a->dp, a->spec->slot, a->spec->ifindex, &a->seen);

	if (r < 0)
		return refused(a, r);
	if (a->seen.id)
		r = duplicate_fd(a->dp->ingress_fd[a->spec->slot]);
	else if (a->seen.foreign)
		r = bpf_prog_get_fd_by_id(a->seen.foreign);
	else
		return 0;
	if (r < 0)
		return a->seen.foreign ? foreign_fault(a) : refused(a, r);
	a->old = r;
	if (!a->seen.foreign)
		return 0;
	if (!left_over(a->dp, a->old, a->seen.foreign))
		return foreign_fault(a);
	a->seen.id = a->seen.foreign;
	a->seen.native = a->seen.foreign_native;
	return 0;
}

/* Pins a program that is attached, and keeps it as the slot's. */
static int keep(struct attach *a, int fd)
{
	char name[PIN_NAME_MAX];
	int r = duplicate_fd(fd);

	if (r < 0)
		return r;
	closep(&a->dp->ingress_fd[a->spec->slot]);
	a->dp->ingress_fd[a->spec->slot] = r;
	a->dp->behind[a->spec->slot] = 0;
	pin_name(a->spec->slot, name);
	return pin_set(a->dp, fd, name);
}

/* Through libxdp. `beside`: our older program in the dispatcher, to run at another priority. */
static int attach_new(struct attach *a, const struct xdp_program *beside)
{
	_cleanup_(ingress_destroyp) struct ingress_bpf *instance = ingress_prepare(a->dp, a->spec);
	DECLARE_LIBXDP_OPTS(xdp_program_opts, opts, .prog_name = INGRESS_PROGRAM);
	_cleanup_(program_closep) struct xdp_program *p = NULL;
	int r;

	if (!instance)
		return -errno;
	opts.obj = ingress_object(instance);
	p = xdp_program__create(&opts);
	r = libxdp_get_error(p);
	if (r) {
		p = NULL;
		return r;
	}
	if (beside && xdp_program__run_prio(p) == xdp_program__run_prio(beside))
		r = xdp_program__set_run_prio(p, xdp_program__run_prio(beside) + 1);
	if (!r)
		r = xdp_program__attach(p, a->spec->ifindex, mode_of(a->spec->native), 0);
	if (r < 0)
		return r;
	r = keep(a, xdp_program__fd(p));
	if (r < 0)
		xdp_program__detach(p, a->spec->ifindex, mode_of(a->spec->native), 0);
	return r;
}

static int replace_single(struct attach *a, int fd)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = a->old);
	int r = bpf_xdp_attach(a->spec->ifindex, fd, flags_of(a->spec->native), &opts);

	return r < 0 ? r : keep(a, fd);
}

static int replace_component(struct attach *a)
{
	_cleanup_(multiprog_closep) struct xdp_multiprog *mp = dispatcher_of(a->spec->ifindex);
	struct xdp_program *old = mp ? component(mp, a->seen.id) : NULL;
	int r = attach_new(a, old);

	return r < 0 ? r : detach_component(a->spec->ifindex, a->seen.id);
}

/* Ours is there in the wanted mode: leave it when it is the same, else replace it. */
static int renew(struct attach *a)
{
	_cleanup_close_ int fd = dataplane_load_ingress(a->dp, a->spec, a->fault);

	if (fd < 0)
		return fd;
	int r = ingress_same(fd, a->old) ? keep(a, a->old)
		: a->seen.dispatcher	 ? replace_component(a)
					 : replace_single(a, fd);
	return r < 0 ? refused(a, r) : 0;
}

/* The kernel holds one mode at a time, so the old one goes first; it returns on failure. */
static int attach_fresh(struct attach *a)
{
	int r = a->old < 0 ? 0 : detach_seen(a->spec->ifindex, a->old, &a->seen);

	if (!r)
		r = attach_new(a, NULL);
	if (r >= 0)
		return 0;
	r = refused(a, r);
	if (a->old >= 0 && !a->seen.dispatcher)
		bpf_xdp_attach(a->spec->ifindex, a->old,
			       flags_of(a->seen.native) | XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);
	return r;
}

int dataplane_attach(struct dataplane *dp, const struct ingress_spec *spec,
		     struct ingress_state *state, struct fault *fault)
{
	struct attach a = {.dp = dp, .spec = spec, .fault = fault};
	_cleanup_close_ int old = -1;
	int r;

	memset(state, 0, sizeof(*state));
	if (!valid(dp, spec->slot))
		return fault_set(fault, -EINVAL, "interface slot %u is out of range", spec->slot);
	device_name(spec->ifindex, a.device);
	a.old = -1;
	messages_start();
	r = find_old(&a);
	old = a.old;
	if (r < 0)
		return r;
	r = a.old >= 0 && a.seen.native == spec->native ? renew(&a) : attach_fresh(&a);
	if (r < 0)
		return r;
	/* libxdp's words first: looking again may say more. It is not asked to replace. */
	snprintf(state->why_single, sizeof(state->why_single), "%s",
		 *messages_of_libxdp() ? messages_of_libxdp() : "it was attached alone before");
	r = look_at(dp, spec->slot, spec->ifindex, &a.seen);
	if (r < 0)
		return refused(&a, r);
	state_of(&a.seen, state);
	if (state->dispatcher)
		state->why_single[0] = 0;
	return state->program_id ? 0 : refused(&a, -EBUSY);
}

/* --- what is pinned --- */

static int open_one(const char *name, void *token)
{
	struct dataplane *dp = token;
	unsigned int slot;
	char end;

	if (sscanf(name, PIN_INGRESS "%x%c", &slot, &end) != 1)
		return 0;
	if (!valid(dp, slot))
		return -EUCLEAN;
	int fd = pin_get(dp, name);
	if (fd < 0)
		return fd;
	closep(&dp->ingress_fd[slot]);
	dp->ingress_fd[slot] = fd;
	return 0;
}

int ingress_open(struct dataplane *dp, struct fault *fault)
{
	int r = dp->adopted ? pins_each(dp, open_one, dp) : 0;

	if (r < 0)
		return fault_set(fault, r, "cannot open the ingress programs pinned in %s: %s",
				 dp->pin_dir, strerror(-r));
	return 0;
}

static int detach_if_there(int ifindex, int fd, struct fault *fault)
{
	char device[IF_NAMESIZE];
	struct seen seen;
	int r = look(ifindex, program_id(fd), NULL, &seen);

	if (!r && seen.id)
		r = detach_seen(ifindex, fd, &seen);
	if (r < 0 && r != -ENODEV)
		return fault_set(fault, r, "cannot detach from %s: %s: %s",
				 device_name(ifindex, device), strerror(-r), messages_words());
	return 0;
}

int ingress_detach_everywhere(int program_fd, struct fault *fault)
{
	struct if_nameindex *all = if_nameindex();
	int r = all ? 0 : fault_set(fault, -errno, "cannot list interfaces: %s", strerror(errno));

	messages_start();
	for (struct if_nameindex *i = all; i && i->if_index && !r; i++)
		r = detach_if_there(i->if_index, program_fd, fault);
	if (all)
		if_freenameindex(all);
	return r;
}
