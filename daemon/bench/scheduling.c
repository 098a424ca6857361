// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/scheduling.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/utsname.h>

/*
 * Before "Revert softirq: Let ksoftirqd do its job" (6.4) softirqs waited for ksoftirqd once it was
 * woken up, which a real-time process would keep from running: frames would be lost.
 */
static bool softirqs_do_not_wait(void)
{
	struct utsname name;
	unsigned int major = 0, minor = 0;

	return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 4));
}

int scheduling_begin(void)
{
	struct sched_param priority = {.sched_priority = 1};
	cpu_set_t allowed, one;
	int last = -1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			last = cpu;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	if (softirqs_do_not_wait())
		sched_setscheduler(0, SCHED_RR, &priority);
	return sched_setaffinity(0, sizeof(one), &one) ? -1 : last;
}

const char *scheduling_name(void)
{
	return sched_getscheduler(0) == SCHED_RR ? "rr" : "other";
}
