// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/netlink/make.h"

static void switch_on(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1", 1) < 0)
		errno = 0; /* a kernel without IPv6 is silent anyway */
	if (fd >= 0)
		close(fd);
}

/* No frame but ours: without IPv6 nobody sends neighbour discovery or MLD on a new link. */
static void silence(void)
{
	switch_on("/proc/sys/net/ipv6/conf/all/disable_ipv6");
	switch_on("/proc/sys/net/ipv6/conf/default/disable_ipv6");
}

/* Moves into a new namespace and returns its descriptor. */
int topology_new_namespace(void)
{
	int fd;

	if (unshare(CLONE_NEWNET))
		return -errno;
	silence();
	fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int topology_make_pair(const struct topology *t, const char *box, const char *far, int *box_ifindex,
		       int *far_ifindex)
{
	char path[96];
	int r = make_veth(box, far, t->far);

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", box);
	if (!r)
		switch_on(path);
	if (!r)
		r = make_up(box, true);
	if (!r)
		*box_ifindex = (int)if_nametoindex(box);
	if (!r)
		r = topology_enter_far(t);
	if (!r)
		r = make_up(far, true);
	if (!r)
		*far_ifindex = (int)if_nametoindex(far);
	if (topology_enter_box(t) && !r)
		r = -errno;
	return r;
}

int topology_make(struct topology *t, unsigned int receivers, struct fault *fault)
{
	char out[IF_NAMESIZE], rx[IF_NAMESIZE];
	int r = 0;

	memset(t, 0, sizeof(*t));
	t->far = topology_new_namespace();
	t->box = t->far < 0 ? -1 : topology_new_namespace();
	if (t->far < 0 || t->box < 0)
		return fault_set(fault, t->far < 0 ? t->far : t->box,
				 "a network namespace cannot be made (%s): run as root",
				 strerror(t->far < 0 ? -t->far : -t->box));
	strcpy(t->ingress_name, "in0");
	strcpy(t->generator_name, "gen0");
	r = topology_make_pair(t, "in0", "gen0", &t->ingress, &t->generator);
	for (unsigned int i = 0; i < receivers && !r; i++) {
		snprintf(out, sizeof(out), "out%u", i + 1);
		snprintf(rx, sizeof(rx), "rx%u", i + 1);
		r = topology_make_pair(t, out, rx, &t->egress[i], &t->receiver[i]);
		memcpy(t->egress_name[i], out, sizeof(out));
		t->receivers = i + 1;
	}
	if (r)
		return fault_set(fault, r, "a veth pair cannot be made: %s: load the veth module",
				 strerror(-r));
	return 0;
}

void topology_free(struct topology *t)
{
	if (t->box > 0)
		close(t->box);
	if (t->far > 0)
		close(t->far);
	t->box = t->far = -1;
}

int topology_enter_box(const struct topology *t)
{
	return setns(t->box, CLONE_NEWNET) ? -errno : 0;
}

int topology_enter_far(const struct topology *t)
{
	return setns(t->far, CLONE_NEWNET) ? -errno : 0;
}
