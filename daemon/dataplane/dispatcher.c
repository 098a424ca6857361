// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/dataplane/dispatcher.h"

#include <errno.h>
#include <string.h>

#include <xdp/libxdp.h>

#include "daemon/dataplane/leaks.h"
#include "daemon/dataplane/load.h"

static void multiprog_closep(struct xdp_multiprog **mp)
{
	if (*mp)
		xdp_multiprog__close(*mp);
}

bool is_dispatcher(uint32_t id)
{
	char name[BPF_OBJ_NAME_LEN];

	program_name(id, name);
	return !strcmp(name, "xdp_dispatcher");
}

/* NULL: there is none. */
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

bool dispatcher_is_orphan(int ifindex)
{
	_cleanup_(leaks_closep) struct leaks leaks = leaks_note(NULL);
	_cleanup_(multiprog_closep) struct xdp_multiprog *mp = dispatcher_of(ifindex);

	return !mp;
}

static struct xdp_program *component(const struct xdp_multiprog *mp, uint32_t id)
{
	struct xdp_program *p = NULL;

	while ((p = xdp_multiprog__next_prog(p, mp)))
		if (xdp_program__id(p) == id)
			return p;
	return NULL;
}

bool dispatcher_runs(int ifindex, uint32_t id)
{
	_cleanup_(leaks_closep) struct leaks leaks = leaks_note(NULL);
	_cleanup_(multiprog_closep) struct xdp_multiprog *mp = dispatcher_of(ifindex);

	return mp && component(mp, id);
}

int dispatcher_detach(int ifindex, uint32_t id)
{
	_cleanup_(leaks_closep) struct leaks leaks = leaks_note(NULL);
	_cleanup_(multiprog_closep) struct xdp_multiprog *mp = dispatcher_of(ifindex);
	struct xdp_program *p = mp ? component(mp, id) : NULL;

	return p ? xdp_program__detach(p, ifindex, xdp_multiprog__attach_mode(mp), 0) : -ENOENT;
}

uint32_t dispatcher_find(int ifindex, bool (*f)(int fd, uint32_t id, void *token), void *token)
{
	_cleanup_(leaks_closep) struct leaks leaks = leaks_note(NULL);
	_cleanup_(multiprog_closep) struct xdp_multiprog *mp = dispatcher_of(ifindex);
	struct xdp_program *p = NULL;

	while (mp && (p = xdp_multiprog__next_prog(p, mp)))
		if (f(xdp_program__fd(p), xdp_program__id(p), token))
			return xdp_program__id(p);
	return 0;
}

static bool has_priority(const struct xdp_multiprog *mp, unsigned int priority)
{
	struct xdp_program *p = NULL;

	while ((p = xdp_multiprog__next_prog(p, mp)))
		if (xdp_program__run_prio(p) == priority)
			return true;
	return false;
}

unsigned int dispatcher_priority(int ifindex, unsigned int wanted)
{
	_cleanup_(leaks_closep) struct leaks leaks = leaks_note(NULL);
	_cleanup_(multiprog_closep) struct xdp_multiprog *mp = dispatcher_of(ifindex);

	while (mp && has_priority(mp, wanted))
		wanted++;
	return wanted;
}
