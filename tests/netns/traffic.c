// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/netns/traffic.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <popt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

unsigned long number_option(const char *text)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end)
		fail("not a number: %s", text);
	return value;
}

const char **take_options(int argc, char **argv, const struct poptOption *options,
			  const char *words)
{
	static const char *none[] = {NULL};
	struct poptOption table[] = {
	    {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)options, 0, "Options:", NULL},
	    POPT_AUTOHELP POPT_TABLEEND};
	/* Not freed: the words and texts in it are used until the end. */
	poptContext context = poptGetContext(argv[0], argc, (const char **)argv, table, 0);
	const char **rest;
	int r;

	poptSetOtherOptionHelp(context, words);
	r = poptGetNextOpt(context);
	if (r != -1)
		fail("%s: %s", poptBadOption(context, 0), poptStrerror(r));
	rest = poptGetArgs(context);
	return rest ? rest : none;
}

struct progress *progress_open(const char *path)
{
	struct progress *progress;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*progress)))
		fail("%s: %s", path, strerror(errno));
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (progress == MAP_FAILED)
		fail("mmap %s: %s", path, strerror(errno));
	close(fd);
	return progress;
}

/* splitmix64, a public-domain mixer: every input bit reaches every output bit. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/*
 * Random bytes made once; each payload is a slice that starts where its number says, so
 * that making and checking cost one memcpy or memcmp.
 */
#define PATTERN_SIZE (1u << 20)
static const uint8_t *pattern(uint32_t flow, uint64_t number)
{
	static uint64_t bytes[(PATTERN_SIZE + PAYLOAD_MAX) / 8];

	if (!bytes[0])
		for (size_t i = 0; i < sizeof(bytes) / 8; i++)
			bytes[i] = mix(i);
	return (const uint8_t *)bytes + mix(number ^ (uint64_t)flow << 40) % PATTERN_SIZE;
}

size_t payload_size(uint64_t number, size_t min, size_t max)
{
	if (number < 2)
		return number ? max : min;
	return min + mix(~number) % (max - min + 1);
}

void payload_fill(uint8_t *data, size_t size, uint32_t flow, uint64_t number)
{
	struct payload_head head = {
	    .magic = PAYLOAD_MAGIC, .flow = flow, .number = number, .size = size};

	memcpy(data, &head, sizeof(head));
	memcpy(data + sizeof(head), pattern(flow, number), size - sizeof(head));
}

bool payload_intact(const uint8_t *data, size_t size, struct payload_head *head)
{
	if (size < sizeof(*head))
		return false;
	memcpy(head, data, sizeof(*head));
	return head->magic == PAYLOAD_MAGIC && head->size == size && size <= PAYLOAD_MAX &&
	       !memcmp(data + sizeof(*head), pattern(head->flow, head->number),
		       size - sizeof(*head));
}

void enter_namespace(const char *name)
{
	static int home = -1;
	char path[256];
	int fd;

	if (home < 0)
		home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (!strcmp(name, ".")) {
		if (setns(home, CLONE_NEWNET))
			fail("the namespace of the start: %s", strerror(errno));
		return;
	}
	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		fail("namespace %s: %s", path, strerror(errno));
	close(fd);
}

void stay_on_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= 0)
		CPU_SET(cpu, &set);
	if (cpu < 0 || sched_setaffinity(0, sizeof(set), &set))
		fail("cannot stay on CPU %d: %s", cpu, strerror(errno));
}

unsigned int interface_index(const char *name)
{
	unsigned int index = if_nametoindex(name);

	if (!index)
		fail("interface %s: %s", name, strerror(errno));
	return index;
}

static uint64_t slowest(const struct progress *progress)
{
	uint32_t count = atomic_load(&progress->pacing);
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t seen = atomic_load_explicit(&progress->seen[i], memory_order_relaxed);
		if (seen < least)
			least = seen;
	}
	return least;
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

void pace(const struct progress *progress, uint64_t next, uint64_t window, double patience)
{
	uint64_t last = 0, seen;
	double since = 0;

	if (!window)
		return;
	while ((seen = slowest(progress)) < next && next - seen > window) {
		if (seen != last || !since) {
			last = seen;
			since = now();
		}
		if (now() - since > patience)
			fail("sent %llu, but the slowest receiver stays at %llu",
			     (unsigned long long)next, (unsigned long long)seen);
		nap();
	}
}

void wait_for_receivers(const struct progress *progress, double patience)
{
	double until = now() + patience;

	while (!atomic_load(&progress->receivers)) {
		if (now() > until)
			fail("no receiver is ready after %.0f s", patience);
		nap();
	}
}

int patience_left(const struct progress *progress, bool complete, bool any_must, int quiet)
{
	if (complete)
		return any_must || atomic_load(&progress->finished) ? quiet : -1;
	return atomic_load(&progress->finished) ? 10 * quiet : -1;
}

void pace_rate(double began, uint64_t next, double rate)
{
	double ahead;

	if (rate <= 0)
		return;
	ahead = began + next / rate - now();
	if (ahead > 0.0002)
		usleep(ahead * 1e6);
}
