// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/capability.h"

#include <cap-ng.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* The unit's CapabilityBoundingSet= names the same, but for the last. */
static const unsigned int kept[] = {
    CAP_BPF,	       /* makes maps, loads programs */
    CAP_PERFMON,       /* loads the tracing ones, and any without the masks against Spectre */
    CAP_NET_ADMIN,     /* attaches programs, sets flags and offloads of interfaces */
    CAP_NET_BROADCAST, /* hears of the other ends of veths, in other namespaces */
    CAP_SYS_ADMIN,     /* enters these, to switch off offloads that hide VLAN tags */
};
#define KEPT (sizeof(kept) / sizeof(*kept))

static bool is_kept(unsigned int capability)
{
	for (size_t i = 0; i < KEPT; i++)
		if (kept[i] == capability)
			return true;
	return false;
}

/* CAP_SYS_ADMIN stands for those that Linux 5.8 split off from it. */
int capability_check(struct fault *fault)
{
	static const struct {
		unsigned int number;
		bool split_off;
		const char *name;
	} needed[] = {{CAP_BPF, true, "CAP_BPF"},
		      {CAP_PERFMON, true, "CAP_PERFMON"},
		      {CAP_NET_ADMIN, false, "CAP_NET_ADMIN"}};
	bool all =
	    !capng_get_caps_process() && capng_have_capability(CAPNG_EFFECTIVE, CAP_SYS_ADMIN);

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!capng_have_capability(CAPNG_EFFECTIVE, needed[i].number) &&
		    !(all && needed[i].split_off))
			return fault_set(fault, -EPERM,
					 "%s is missing: run as root, or give it (under systemd: "
					 "CapabilityBoundingSet=)",
					 needed[i].name);
	return 0;
}

int capability_reduce(struct fault *fault)
{
	unsigned int more = 0;
	int r = capng_get_caps_process();

	for (unsigned int i = 0; r == 0 && i <= CAP_LAST_CAP; i++) {
		if (is_kept(i) || !capng_have_capability(CAPNG_PERMITTED, i))
			continue;
		more++;
		r = capng_update(CAPNG_DROP, CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_INHERITABLE,
				 i);
	}
	/* without any, nothing is asked that the unit's filter of system calls forbids */
	if (r == 0 && more)
		r = capng_apply(CAPNG_SELECT_CAPS);
	return r < 0 ? fault_set(fault, -EPERM, "giving up capabilities: %s", strerror(errno)) : 0;
}
