// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attaching the ingress program, through libxdp, so that it lives beside others where the
 * dispatcher works and alone where it does not. Which of the two is asked from the kernel,
 * never assumed. What must not happen: a moment without a program while one is replaced
 * (single: XDP_FLAGS_REPLACE; dispatcher: new beside old, the generation word decides which
 * counts), a needless re-attach (some drivers reset the link), a foreign program lost.
 */
#include "daemon/dataplane/ingress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xdp/libxdp.h>

#include "daemon/dataplane/leaks.h"

static enum xdp_attach_mode mode_of(bool native)
{
	return native ? XDP_MODE_NATIVE : XDP_MODE_SKB;
}

static void program_closep(struct xdp_program **program)
{
	if (*program)
		xdp_program__close(*program);
}

struct attach {
	struct dataplane *dp;
	struct ingress_spec spec;
	struct fault *fault;
	struct seen seen;
	char device[IF_NAMESIZE];
	int old;       /* our program that is attached now, -1 none */
	char why[160]; /* it runs alone because libxdp's dispatcher failed so; "" did not */
};

static int refused(const struct attach *a, int error)
{
	const char *words = messages_words();

	if (error == -ENODEV || !a->spec.native)
		return fault_set(a->fault, error, "cannot attach to %s%s: %s%s%s", a->device,
				 a->spec.native ? "" : " in generic mode", strerror(-error),
				 *words ? ": " : "", words);
	return fault_set(a->fault, error,
			 "cannot attach to %s in native mode: %s%s%s: change that, or use "
			 "%s`interface %s --mode generic`",
			 a->device, strerror(-error), *words ? ": " : "", words,
			 a->spec.lookup && a->seen.dispatcher ? "`daemon --enforce fold` or " : "",
			 a->device);
}

static int foreign_fault(const struct attach *a)
{
	const char *mode = a->seen.foreign_native ? "drv" : "generic";
	char words[PROGRAM_WORDS_MAX];

	program_words(a->seen.foreign, words);
	if (a->seen.orphan)
		return fault_set(a->fault, -EBUSY,
				 "%s is held by " ORPHAN_TEXT
				 ": take it off (`ip link set dev %s xdp%s off`), then xmcastctl "
				 "reattach %s",
				 a->device, a->seen.foreign, a->device, mode, a->device);
	return fault_set(
	    a->fault, -EBUSY,
	    "%s is held by another XDP program, %s, that shares it with "
	    "nobody: detach that one (`ip link set dev %s xdp%s off`), then xmcastctl reattach %s",
	    a->device, words, a->device, mode, a->device);
}

/*
 * A program of ours that lost its pin: its loader was killed between attaching and pinning
 * (then it uses our maps), or ran without a bpffs (then only its name tells). Or a predecessor's.
 */
static bool left_over(const struct dataplane *dp, int fd, uint32_t id)
{
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	char name[BPF_OBJ_NAME_LEN];

	program_name(id, name);
	if (strncmp(name, INGRESS_PROGRAM, strlen(INGRESS_PROGRAM)))
		return false;
	if (!dp->pin_dir[0] || succession_has(dp, fd, id))
		return true;
	return !bpf_obj_get_info_by_fd(dp->map_fd[MAP_INTERFACES], &info, &size) &&
	       program_uses(fd, info.id);
}

/* Sets a->old; a left-over program becomes what was seen as ours. */
static int find_old(struct attach *a)
{
	int r = look_at(a->dp, a->spec.slot, a->spec.ifindex, &a->seen);

	if (r < 0)
		return refused(a, r);
	if (a->seen.id)
		r = duplicate_fd(a->dp->ingress_fd[a->spec.slot]);
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
	closep(&a->dp->ingress_fd[a->spec.slot]);
	a->dp->ingress_fd[a->spec.slot] = r;
	a->dp->behind[a->spec.slot] = 0;
	ingress_pin_name(a->spec.slot, name);
	return pin_set(a->dp, fd, name);
}

/* The program that counts from now on: one store, other bits stay. */
static void switch_generation(struct attach *a)
{
	uint64_t word = dataplane_ingress(a->dp, a->spec.slot);

	if (xm_ingress_generation(word) != a->spec.generation)
		dataplane_store_ingress(a->dp, a->spec.slot,
					(uint32_t)word | (uint64_t)a->spec.generation << 32);
}

/* Through libxdp. Another program of ours may be there: the new one runs beside it. */
static int attach_new(struct attach *a)
{
	const int *kept = &a->dp->ingress_fd[a->spec.slot];
	_cleanup_(leaks_closep) struct leaks leaks = leaks_note(kept);
	_cleanup_(object_closep) struct bpf_object *object = ingress_prepare(a->dp, &a->spec);
	DECLARE_LIBXDP_OPTS(xdp_program_opts, opts, .obj = object,
			    .prog_name = ingress_program_name(&a->spec));
	_cleanup_(program_closep) struct xdp_program *p = NULL;
	enum xdp_attach_mode mode = mode_of(a->spec.native);
	int r;

	if (!object)
		return -errno;
	p = xdp_program__create(&opts);
	r = libxdp_get_error(p);
	if (r) {
		p = NULL;
		return r;
	}
	if (a->seen.dispatcher)
		xdp_program__set_run_prio(
		    p, dispatcher_priority(a->spec.ifindex, xdp_program__run_prio(p)));
	r = xdp_program__attach(p, a->spec.ifindex, mode, 0);
	if (r < 0)
		return r;
	r = keep(a, xdp_program__fd(p));
	if (r < 0) {
		xdp_program__detach(p, a->spec.ifindex, mode, 0);
		closep(&a->dp->ingress_fd[a->spec.slot]);
	}
	return r;
}

/*
 * Alone, without libxdp, after its dispatcher could not be used for a reason that libxdp does not
 * go round itself: since 6.12.y it takes no instance that can hand over excludes (ingress.bpf.c).
 */
static int attach_alone(struct attach *a)
{
	uint32_t flags = xdp_flags_of(a->spec.native) | XDP_FLAGS_UPDATE_IF_NOEXIST;

	snprintf(a->why, sizeof(a->why), "%s", messages_words());
	messages_start();
	_cleanup_close_ int fd = dataplane_load_ingress(a->dp, &a->spec, a->fault);
	if (fd < 0)
		return fd;
	int r = bpf_xdp_attach(a->spec.ifindex, fd, flags, NULL);
	if (r < 0)
		return r;
	r = keep(a, fd);
	if (r < 0) {
		bpf_xdp_detach(a->spec.ifindex, xdp_flags_of(a->spec.native), NULL);
		closep(&a->dp->ingress_fd[a->spec.slot]);
	}
	return r;
}

static int replace_single(struct attach *a, int fd)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = a->old);
	int r = bpf_xdp_attach(a->spec.ifindex, fd, xdp_flags_of(a->spec.native), &opts);

	return r < 0 ? r : keep(a, fd);
}

/* Of ours, but no slot's. */
static bool is_stray(int fd, uint32_t id, void *token)
{
	const struct attach *a = token;

	if (!left_over(a->dp, fd, id))
		return false;
	for (uint32_t slot = 1; slot <= a->dp->sizes.interfaces; slot++)
		if (program_id(a->dp->ingress_fd[slot]) == id)
			return false;
	return true;
}

/*
 * What was replaced, or left behind the dispatcher by killed loaders, goes when the new one
 * counts.
 */
static int detach_strays(struct attach *a)
{
	uint32_t id;
	int r = 0;

	while (!r && (id = dispatcher_find(a->spec.ifindex, is_stray, a)))
		r = dispatcher_detach(a->spec.ifindex, id);
	return r;
}

/* Where the dispatcher does not take the instance that can do all, that which only folds. */
static int attach_libxdp(struct attach *a)
{
	int r = attach_new(a);

	if (r != -EINVAL || a->spec.lookup)
		return r;
	a->spec.fold = true;
	int second = attach_new(a);
	a->spec.fold = second >= 0;
	return a->spec.fold ? second : r;
}

/* Only the new one's number counts. */
static int attach_beside(struct attach *a)
{
	if (a->spec.beside)
		a->spec.generation = a->spec.beside;
	return attach_libxdp(a);
}

/* Their names differ: no need to load the new one to know that they do. */
static bool is_other_instance(const struct attach *a)
{
	char name[BPF_OBJ_NAME_LEN];

	program_name_of(a->old, name);
	return strncmp(name, ingress_program_name(&a->spec), sizeof(name) - 1);
}

/*
 * The dispatcher loads it for itself, and the verifier takes its time for each. What only folds is
 * left alone where that will do.
 */
static int renew_behind(struct attach *a)
{
	int r;

	for (int fold = 0; fold <= !a->spec.lookup; fold++) {
		a->spec.fold = fold;
		if (is_other_instance(a))
			continue;
		_cleanup_close_ int fd = dataplane_load_ingress(a->dp, &a->spec, a->fault);
		if (fd < 0)
			return fd;
		if (ingress_same(fd, a->old)) {
			r = keep(a, a->old);
			return r < 0 ? refused(a, r) : 0;
		}
	}
	a->spec.fold = false;
	r = attach_beside(a);
	return r < 0 ? refused(a, r) : 0;
}

static int renew_single(struct attach *a)
{
	_cleanup_close_ int fd = dataplane_load_ingress(a->dp, &a->spec, a->fault);

	if (fd < 0)
		return fd;
	int r = ingress_same(fd, a->old) ? keep(a, a->old) : replace_single(a, fd);
	return r < 0 ? refused(a, r) : 0;
}

/* Ours is there in the wanted mode: leave it when it is the same, else replace it. */
static int renew(struct attach *a)
{
	return a->seen.dispatcher ? renew_behind(a) : renew_single(a);
}

/* What ran behind the dispatcher was made for that one: it is loaded anew. */
static void attach_former(struct attach *a)
{
	a->spec.native = a->seen.native;
	a->spec.lookup &= a->spec.native;
	attach_libxdp(a);
}

/* The kernel holds one mode at a time, so the old one goes first; it returns on failure. */
static int attach_fresh(struct attach *a)
{
	int r = a->old < 0 ? 0 : detach_seen(a->spec.ifindex, a->old, &a->seen);

	if (!r)
		r = attach_libxdp(a);
	if (r < 0 && r != -ENODEV && !a->seen.dispatcher)
		r = attach_alone(a);
	if (r >= 0)
		return 0;
	r = refused(a, r);
	if (a->old >= 0 && !a->seen.dispatcher)
		bpf_xdp_attach(a->spec.ifindex, a->old,
			       xdp_flags_of(a->seen.native) | XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);
	else if (a->old >= 0)
		attach_former(a);
	return r;
}

int dataplane_attach(struct dataplane *dp, const struct ingress_spec *spec,
		     struct ingress_state *state, struct fault *fault)
{
	struct attach a = {.dp = dp, .spec = *spec, .fault = fault};
	_cleanup_close_ int old = -1;
	int r;

	memset(state, 0, sizeof(*state));
	if (!slot_is_valid(dp, spec->slot))
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
	if (a.old >= 0)
		switch_generation(&a);
	succession_take_turn(dp, spec->slot, spec->ifindex);
	/* libxdp's words first: looking again may say more. It is not asked to replace. */
	snprintf(state->why_single, sizeof(state->why_single), "%s",
		 *a.why			 ? a.why
		 : *messages_of_libxdp() ? messages_of_libxdp()
					 : "it was attached alone before");
	r = look_at(dp, spec->slot, spec->ifindex, &a.seen);
	if (!r && a.seen.dispatcher)
		r = detach_strays(&a);
	if (r < 0)
		return refused(&a, r);
	state_of(&a.seen, state);
	state->fold = a.spec.fold;
	if (state->dispatcher)
		state->why_single[0] = 0;
	return state->program_id ? 0 : refused(&a, -EBUSY);
}
