// SPDX-License-Identifier: GPL-2.0-or-later
/* What is attached to a device now, taking it off again, and what is pinned. */
#include "daemon/dataplane/ingress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Does the dispatcher run our program? What it runs never changes, so libxdp is asked once
 * for each: `behind` (may be NULL) is the one where ours was seen last.
 */
static bool is_behind(int ifindex, uint32_t id, uint32_t dispatcher, uint32_t *behind)
{
	if (behind && *behind == dispatcher)
		return true;
	if (!dispatcher_runs(ifindex, id))
		return false;
	if (behind)
		*behind = dispatcher;
	return true;
}

/* `id`: of our program, 0 when we have none. */
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
	bool native = holds == q.drv_prog_id;
	if (id && (id == q.drv_prog_id || id == q.skb_prog_id)) {
		*out = (struct seen){.id = id, .native = id == q.drv_prog_id};
	} else if (is_dispatcher(holds) && id && is_behind(ifindex, id, holds, behind)) {
		*out = (struct seen){.id = id, .native = native, .dispatcher = true};
	} else if (is_dispatcher(holds) && !dispatcher_is_orphan(ifindex)) {
		*out = (struct seen){.native = native, .dispatcher = true};
	} else {
		*out = (struct seen){
		    .foreign = holds, .foreign_native = native, .orphan = is_dispatcher(holds)};
	}
	return 0;
}

int look_at(struct dataplane *dp, uint32_t slot, int ifindex, struct seen *out)
{
	return look(ifindex, program_id(dp->ingress_fd[slot]), &dp->behind[slot], out);
}

bool slot_is_valid(const struct dataplane *dp, uint32_t slot)
{
	return slot && slot <= dp->sizes.interfaces;
}

void ingress_pin_name(uint32_t slot, char name[static PIN_NAME_MAX])
{
	snprintf(name, PIN_NAME_MAX, PIN_INGRESS "%x", slot);
}

void state_of(const struct seen *seen, struct ingress_state *state)
{
	state->program_id = seen->id;
	state->native = seen->id && seen->native;
	state->dispatcher = seen->id && seen->dispatcher;
}

int dataplane_attached(struct dataplane *dp, uint32_t slot, int ifindex,
		       struct ingress_state *state, char *foreign, size_t foreign_size)
{
	char words[PROGRAM_WORDS_MAX];
	struct seen seen;
	int r;

	if (!slot_is_valid(dp, slot))
		return -EINVAL;
	memset(state, 0, sizeof(*state));
	if (foreign_size)
		foreign[0] = 0;
	messages_start();
	r = look_at(dp, slot, ifindex, &seen);
	if (r < 0)
		return r;
	state_of(&seen, state);
	if (seen.orphan) {
		snprintf(foreign, foreign_size, ORPHAN_TEXT, seen.foreign);
	} else if (seen.foreign) {
		program_words(seen.foreign, words);
		snprintf(foreign, foreign_size, "another XDP program, %s", words);
	}
	return 0;
}

static int detach_single(int ifindex, int fd, bool native)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = fd);

	return bpf_xdp_detach(ifindex, xdp_flags_of(native), &opts);
}

int detach_seen(int ifindex, int fd, const struct seen *seen)
{
	if (!seen->id)
		return -ENOENT;
	if (seen->dispatcher)
		return dispatcher_detach(ifindex, seen->id);
	return detach_single(ifindex, fd, seen->native);
}

static void forget(struct dataplane *dp, uint32_t slot)
{
	char name[PIN_NAME_MAX];

	ingress_pin_name(slot, name);
	pin_remove(dp, name);
	closep(&dp->ingress_fd[slot]);
	dp->behind[slot] = 0;
}

const char *device_name(int ifindex, char name[static IF_NAMESIZE])
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

	if (!slot_is_valid(dp, slot))
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

/* --- what is pinned --- */

static int open_one(const char *name, void *token)
{
	struct dataplane *dp = token;
	unsigned int slot;
	char end;

	if (sscanf(name, PIN_INGRESS "%x%c", &slot, &end) != 1)
		return 0;
	if (!slot_is_valid(dp, slot))
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
	int r = dp->adopted ? pins_each(dp->pin_dir, open_one, dp) : 0;

	if (r < 0)
		return fault_set(fault, r, "cannot open the ingress programs pinned in %s: %s",
				 dp->pin_dir, strerror(-r));
	return 0;
}

bool ingress_is_on(int ifindex, int fd)
{
	struct seen seen;

	return !look(ifindex, program_id(fd), NULL, &seen) && seen.id;
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
