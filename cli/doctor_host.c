/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of the machine. */
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/output.h"

#define BPFFS "/sys/fs/bpf"
#define BTF   "/sys/kernel/btf/vmlinux"
#define JIT   "/proc/sys/net/core/bpf_jit_enable"

static void check_kernel(struct patient *p)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;
	char text[200];

	uname(&name);
	sscanf(name.release, "%u.%u", &major, &minor);
	snprintf(text, sizeof(text), "Linux %s: at least 6.1 is needed", name.release);
	if (major < 6 || (major == 6 && minor < 1))
		finding_add(p, "kernel", NULL, LEVEL_PROBLEM, text,
			    "apt install linux-image-amd64 && reboot");
	else if (access(BTF, R_OK))
		finding_add(p, "kernel", NULL, LEVEL_PROBLEM,
			    "no " BTF ": the tracepoint programs that count copies cannot be "
			    "loaded",
			    "use a kernel built with CONFIG_DEBUG_INFO_BTF, as Debian's is");
	else
		finding_add(p, "kernel", NULL, LEVEL_OK, NULL, NULL);
}

static void check_bpffs(struct patient *p)
{
	struct statfs fs;

	if (statfs(BPFFS, &fs) == 0 && fs.f_type == BPF_FS_MAGIC)
		finding_add(p, "bpffs", NULL, LEVEL_OK, NULL, NULL);
	else
		finding_add(p, "bpffs", NULL, LEVEL_WARNING,
			    "no BPF file system at " BPFFS ": forwarding cannot outlive the daemon",
			    "mount -t bpf bpf " BPFFS);
}

static void check_jit(struct patient *p)
{
	if (number_in(JIT) == 0)
		finding_add(p, "jit", NULL, LEVEL_WARNING,
			    "BPF programs are interpreted, several times slower",
			    "sysctl -w net.core.bpf_jit_enable=1");
	else
		finding_add(p, "jit", NULL, LEVEL_OK, NULL, NULL);
}

void doctor_host(struct patient *p)
{
	static const struct {
		const char *name;
		void (*function)(struct patient *p);
	} checks[] = {{"kernel", check_kernel}, {"bpffs", check_bpffs}, {"jit", check_jit}};

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		checks[i].function(p);
}
