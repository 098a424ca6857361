// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/environment.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

json_t *environment_line(const char *format, ...)
{
	char path[256], text[512] = "";
	va_list arguments;
	FILE *file;
	bool got;

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	file = fopen(path, "re");
	if (!file)
		return json_null();
	got = fgets(text, sizeof(text), file);
	fclose(file);
	if (!got)
		return json_null();
	text[strcspn(text, "\n")] = 0;
	return json_string(text);
}

/* The text behind "NAME : " in /proc/cpuinfo, of the first CPU. */
static json_t *cpuinfo(const char *name, const char *contains)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[4096], *value;
	json_t *found = NULL;

	while (file && !found && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)) || !(value = strchr(line, ':')))
			continue;
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, "\n")] = 0;
		found = contains ? json_boolean(strstr(value, contains)) : json_string(value);
	}
	if (file)
		fclose(file);
	return found ? found : json_null();
}

static json_t *mitigations(void)
{
	static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
	json_t *all = json_object();
	DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			json_object_set_new(all, entry->d_name,
					    environment_line("%s/%s", dir, entry->d_name));
	if (d)
		closedir(d);
	return all;
}

static json_t *load_average(void)
{
	double load[1];

	return getloadavg(load, 1) == 1 ? json_real(load[0]) : json_null();
}

/* Seconds that the hypervisor gave to others, all CPUs, since boot; -1 unknown. */
static double steal_seconds(void)
{
	unsigned long long t[8] = {0};
	FILE *file = fopen("/proc/stat", "re");
	int n = 0;

	if (!file)
		return -1;
	n = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
		   &t[4], &t[5], &t[6], &t[7]);
	fclose(file);
	return n == 8 ? (double)t[7] / (double)sysconf(_SC_CLK_TCK) : -1;
}

/* Whether programs are compiled, asked of one: the switch is not shown in every namespace. */
static json_t *jit(void)
{
	const struct bpf_insn nothing[] = {
	    {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
	    {.code = BPF_JMP | BPF_EXIT}};
	int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "xm_jit", "GPL", nothing, 2, NULL);
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);
	bool known = fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size);

	if (fd >= 0)
		close(fd);
	return known ? json_boolean(info.jited_prog_len) : json_null();
}

json_t *environment_capture(void)
{
	struct utsname name;
	json_t *e;

	uname(&name);
	e = json_pack("{s:s,s:s,s:s,s:s,s:o,s:I}", "version", XM_VERSION, "kernel", name.release,
		      "kernel_build", name.version, "machine", name.machine, "cpu",
		      cpuinfo("model name", NULL), "cpus",
		      (json_int_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (!e)
		return NULL;
	json_object_set_new(e, "hypervisor", cpuinfo("flags", " hypervisor"));
	json_object_set_new(
	    e, "governor",
	    environment_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
	json_object_set_new(e, "smt", environment_line("/sys/devices/system/cpu/smt/active"));
	json_object_set_new(e, "mitigations", mitigations());
	json_object_set_new(e, "jit", jit());
	json_object_set_new(e, "jit_harden", environment_line("/proc/sys/net/core/bpf_jit_harden"));
	json_object_set_new(e, "bpf_stats", environment_line("/proc/sys/kernel/bpf_stats_enabled"));
	json_object_set_new(
	    e, "clocksource",
	    environment_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
	json_object_set_new(e, "load", load_average());
	json_object_set_new(e, "steal", json_real(steal_seconds()));
	return e;
}

void environment_finish(json_t *environment)
{
	double before = json_real_value(json_object_get(environment, "steal"));
	double after = steal_seconds();

	json_object_set_new(environment, "load_after", load_average());
	json_object_set_new(environment, "steal_seconds",
			    before < 0 || after < 0 ? json_null() : json_real(after - before));
	json_object_del(environment, "steal");
}
