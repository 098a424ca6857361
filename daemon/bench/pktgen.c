// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/pktgen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/bench/linkfacts.h"

/* Not /proc/net: that is the namespace of the process's first thread. */
#define DIRECTORY    "/proc/thread-self/net/pktgen"
#define STOP_POLL_NS 10000000
#define STOP_POLLS   300 /* 3 s */

bool pktgen_available(void)
{
	return access(DIRECTORY "/pgctrl", W_OK) == 0;
}

/* The text behind "Result:" in a file of pktgen, into `out`, "" when there is none. */
static void read_result(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");
	char line[512];

	out[0] = 0;
	while (file && fgets(line, sizeof(line), file)) {
		const char *result = strstr(line, "Result:");

		if (!result)
			continue;
		snprintf(out, size, "%s", result + strlen("Result:") + 1);
	}
	if (file)
		fclose(file);
}

/* One command; its result must begin with "OK". `file` is below DIRECTORY. */
static int command(const char *file, struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int command(const char *file, struct fault *fault, const char *format, ...)
{
	char path[128], text[160] = "", result[512], namespace[NAMESPACE_TEXT_MAX];
	va_list arguments;
	int fd, len, r = 0;

	va_start(arguments, format);
	len = vsnprintf(text, sizeof(text) - 1, format, arguments);
	va_end(arguments);
	snprintf(path, sizeof(path), DIRECTORY "/%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return fault_set(fault, -errno,
				 "pktgen has no %s (%s): is the device in this network "
				 "namespace, %s?",
				 file, strerror(errno), network_namespace(namespace));
	text[len] = '\n'; /* pgctrl drops the last byte, whatever it is */
	if (write(fd, text, (size_t)len + 1) < 0)
		r = -errno;
	text[len] = 0;
	close(fd);
	read_result(path, result, sizeof(result));
	result[strcspn(result, "\n")] = 0;
	if (r == -ENODEV)
		return fault_set(fault, r,
				 "pktgen refused `%s`: %s: it only knows those of this network "
				 "namespace, %s",
				 text, strerror(-r), network_namespace(namespace));
	if (r)
		return fault_set(fault, r, "pktgen refused `%s`: %s%s%s", text, strerror(-r),
				 *result ? ": " : "", result);
	return 0;
}

/* The first device other than `own` (NULL: any) behind "Running:" or "Stopped:" of a thread. */
static bool find_device(const char *thread, const char *list, const char *own, char out[static 64])
{
	char path[128], line[512];
	FILE *file;
	bool found = false;

	snprintf(path, sizeof(path), DIRECTORY "/%s", thread);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		char *save = NULL, *word = strtok_r(line, " \n", &save);

		if (!word || strcmp(word, list))
			continue;
		while (!found && (word = strtok_r(NULL, " \n", &save))) {
			found = !own || strcmp(word, own);
			snprintf(out, 64, "%s", word);
		}
	}
	if (file)
		fclose(file);
	return found;
}

/* A thread that sends for somebody else loses what it is told by `rem_device_all`. */
static int check_free(const char *thread, const char *own, struct fault *fault)
{
	char device[64];

	if (!find_device(thread, "Running:", own, device) &&
	    !find_device(thread, "Stopped:", own, device))
		return 0;
	return fault_set(fault, -EBUSY,
			 "pktgen's thread %s has %s already: end what uses it, or `echo "
			 "rem_device_all >/proc/net/pktgen/%s`",
			 thread, device, thread);
}

bool pktgen_unshares(const char *device, int cpu)
{
	char thread[32], file[64], path[128], result[512] = "";

	snprintf(thread, sizeof(thread), "kpktgend_%d", cpu);
	snprintf(file, sizeof(file), "%s@%d", device, cpu);
	snprintf(path, sizeof(path), DIRECTORY "/%s", file);
	if (check_free(thread, file, NULL))
		return true; /* pktgen_guard() will say why it cannot */
	if (!command(thread, NULL, "rem_device_all") &&
	    !command(thread, NULL, "add_device %s", file) && !command(file, NULL, "flag !SHARED"))
		read_result(path, result, sizeof(result));
	command(thread, NULL, "rem_device_all");
	return !strncmp(result, "OK: flags=", strlen("OK: flags="));
}

/* "01:00:5e:01:00:01" */
static const char *mac_text(const unsigned char mac[6], char out[static 18])
{
	snprintf(out, 18, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
		 mac[5]);
	return out;
}

static const char *ip_text(uint32_t ip, char out[static 16])
{
	snprintf(out, 16, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
	return out;
}

/*
 * No clones and no bursts: a veth refuses them, and generic XDP writes to frames that others still
 * hold (BUG_ON(skb_shared)). Kernels of 6.7 and later have a flag that says the same.
 */
static int configure(const struct pktgen_job *job, const char *thread, const char *device,
		     struct fault *fault)
{
	char mac[18], ip[16];
	int r = command(thread, fault, "rem_device_all");

	if (!r)
		r = command(thread, fault, "add_device %s", device);
	if (!r)
		r = command(device, fault, "count %llu", (unsigned long long)job->frames);
	if (!r)
		r = command(device, fault, "clone_skb 0");
	if (!r)
		r = command(device, fault, "burst 1");
	if (!r)
		command(device, NULL, "flag !SHARED");
	if (!r)
		r = command(device, fault, "delay %u",
			    job->pps ? (999999999 + job->pps) / job->pps : 0);
	if (!r)
		r = command(device, fault, "pkt_size %u", job->frame_len);
	if (!r)
		r = command(device, fault, "src_min %s", ip_text(job->source, ip));
	if (!r)
		r = command(device, fault, "src_max %s", ip_text(job->source, ip));
	if (!r)
		r = command(device, fault, "dst %s", ip_text(job->group, ip));
	if (!r)
		r = command(device, fault, "src_mac %s", mac_text(job->source_mac, mac));
	if (!r)
		r = command(device, fault, "dst_mac %s", mac_text(job->group_mac, mac));
	return r;
}

/*
 * "OK: T(cC+dD) usec, N (60byte,0frags)", then "Npps .. errors: E". N are those that the driver
 * took; errors are frames for which a veth's ring had no room, and which were tried again.
 */
static int parse(const char *result, uint64_t *sent, double *ns, struct fault *fault)
{
	unsigned long long usec = 0, frames = 0;
	const char *comma = strstr(result, "usec, ");

	if (strncmp(result, "OK: ", 4) || !comma || sscanf(result + 4, "%llu(", &usec) != 1 ||
	    sscanf(comma + 6, "%llu", &frames) != 1)
		return fault_set(fault, -EIO, "pktgen says: %.*s", (int)strcspn(result, "\n"),
				 *result ? result : "nothing");
	*sent = frames;
	*ns = frames ? 1e3 * (double)usec / (double)frames : 0;
	return 0;
}

/*
 * `start` comes back when all is sent, but also when the thread has not begun after 125 ms
 * (net/core/pktgen.c: pktgen_run_all_threads): then its result is still to come.
 */
static int wait_for_result(const char *thread, const char *device, uint64_t *sent, double *ns,
			   struct fault *fault)
{
	char path[128], result[512], other[64];
	int r = -EIO;

	snprintf(path, sizeof(path), DIRECTORY "/%s", device);
	for (int i = 0; r && i < STOP_POLLS; i += !find_device(thread, "Running:", NULL, other)) {
		if (i)
			nanosleep(&(struct timespec){.tv_nsec = STOP_POLL_NS}, NULL);
		read_result(path, result, sizeof(result));
		r = parse(result, sent, ns, fault);
	}
	return r;
}

int pktgen_send(const struct pktgen_job *job, uint64_t *sent, double *ns, struct fault *fault)
{
	char thread[32], device[64];
	int r;

	snprintf(thread, sizeof(thread), "kpktgend_%d", job->cpu);
	snprintf(device, sizeof(device), "%s@%d", job->device, job->cpu);
	r = configure(job, thread, device, fault);
	if (!r)
		r = command("pgctrl", fault, "start");
	if (!r)
		r = wait_for_result(thread, device, sent, ns, fault);
	command(thread, NULL, "rem_device_all");
	return r;
}

int pktgen_guard(struct pktgen_guard *guard, const char *device, int cpu, struct fault *fault)
{
	char thread[32], own[64], byte;
	int ends[2], r;

	snprintf(thread, sizeof(thread), "kpktgend_%d", cpu);
	snprintf(own, sizeof(own), "%s@%d", device, cpu);
	r = check_free(thread, own, fault);
	if (r)
		return r;
	if (pipe2(ends, O_CLOEXEC))
		return fault_set(fault, -errno, "pktgen cannot be guarded: %m");
	guard->child = fork();
	if (guard->child < 0) {
		r = fault_set(fault, -errno, "pktgen cannot be guarded: %m");
		guard->child = 0;
		close(ends[0]);
		close(ends[1]);
		return r;
	}
	if (guard->child) {
		close(ends[0]);
		guard->end = ends[1];
		return 0;
	}
	/* It keeps nothing of ours alive, and no signal for us ends it. */
	prctl(PR_SET_NAME, "xmcast-pktgen");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	if (dup2(ends[0], 0) < 0 || close_range(1, ~0U, 0))
		_exit(1);
	while (read(0, &byte, 1) < 0 && errno == EINTR) {
	}
	/* The kernel stops a thread whose starter is killed, and does not like to be faster. */
	for (int i = 0; i < STOP_POLLS && find_device(thread, "Running:", NULL, own); i++)
		nanosleep(&(struct timespec){.tv_nsec = STOP_POLL_NS}, NULL);
	_exit(command(thread, NULL, "rem_device_all") ? 1 : 0);
}

void pktgen_unguard(struct pktgen_guard *guard)
{
	if (!guard->child)
		return;
	close(guard->end);
	waitpid(guard->child, NULL, 0);
	guard->child = 0;
}
