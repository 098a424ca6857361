// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/diagnose.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a link says of itself. */
struct facts {
	bool there, up;
	uint64_t tx_dropped; /* a veth counts what the other end's ring had no room for */
};

struct diagnosis {
	const struct topology *topology;
	unsigned int receivers;
	struct facts generator, egress[TOPOLOGY_RECEIVERS];
};

/* Of a link of the namespace that the thread is in, from the columns of /proc/net/dev. */
static void read_dropped(const char *name, struct facts *facts)
{
	FILE *file = fopen("/proc/thread-self/net/dev", "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':'), *word = line + strspn(line, " "), *save = NULL;

		if (!colon || strncmp(word, name, (size_t)(colon - word)) ||
		    strlen(name) != (size_t)(colon - word))
			continue;
		word = strtok_r(colon + 1, " \n", &save);
		for (int column = 0; word && column < 11; column++)
			word = strtok_r(NULL, " \n", &save);
		if (word)
			facts->tx_dropped = strtoull(word, NULL, 10);
	}
	if (file)
		fclose(file);
}

static void look(const char *name, struct facts *facts)
{
	struct ifreq request = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memset(facts, 0, sizeof(*facts));
	strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1);
	if (fd >= 0 && !ioctl(fd, SIOCGIFFLAGS, &request)) {
		facts->there = true;
		facts->up = request.ifr_flags & IFF_UP;
	}
	if (fd >= 0)
		close(fd);
	read_dropped(name, facts);
}

static void look_far(const struct topology *t, const char *name, struct facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	if (!topology_enter_far(t))
		look(name, facts);
	topology_enter_box(t);
}

struct diagnosis *diagnose_begin(const struct topology *topology, unsigned int receivers)
{
	struct diagnosis *d = calloc(1, sizeof(*d));
	char name[IF_NAMESIZE];

	if (!d)
		return NULL;
	d->topology = topology;
	d->receivers = receivers;
	look_far(topology, "gen0", &d->generator);
	for (unsigned int i = 0; i < receivers; i++) {
		snprintf(name, sizeof(name), "out%u", i + 1);
		look(name, &d->egress[i]);
	}
	return d;
}

/* Why a link passed on less than it was given; "" when it does not say. */
static void why_lost(const char *name, const struct facts *before, const struct facts *now,
		     const char *ring, char *why, size_t size)
{
	if (!now->there)
		snprintf(why, size, "; %s is gone", name);
	else if (!now->up)
		snprintf(why, size, "; %s is set down", name);
	else if (now->tx_dropped > before->tx_dropped)
		snprintf(why, size,
			 "; the ring of %s overflowed (%llu frames): lower --batch or the load",
			 ring, (unsigned long long)(now->tx_dropped - before->tx_dropped));
	else
		snprintf(why, size, "; no counter of the kernel tells why");
}

static void generator_reason(const struct diagnosis *d, uint64_t wanted,
			     const struct reading *reading, char *reason, size_t size)
{
	char why[160] = "";
	struct facts now, in;

	look_far(d->topology, "gen0", &now);
	look("in0", &in);
	if (reading->error || reading->sent != wanted) {
		snprintf(reason, size, "the generator sent %llu of %llu frames: %s%s",
			 (unsigned long long)reading->sent, (unsigned long long)wanted,
			 reading->error ? strerror(-reading->error) : "it ended early",
			 !now.there ? "; gen0 is gone"
			 : !now.up  ? "; gen0 is set down"
				    : "");
		return;
	}
	if (!in.up && now.up)
		snprintf(why, sizeof(why), "; in0 is %s", in.there ? "set down" : "gone");
	else
		why_lost("gen0", &d->generator, &now, "in0", why, sizeof(why));
	snprintf(reason, size, "the program saw %llu of %llu frames sent%s",
		 (unsigned long long)reading->seen, (unsigned long long)reading->sent, why);
}

static void receiver_reason(const struct diagnosis *d, unsigned int i,
			    const struct reading *reading, char *reason, size_t size)
{
	char out[IF_NAMESIZE], rx[IF_NAMESIZE], why[160] = "";
	struct facts now, far;

	snprintf(out, sizeof(out), "out%u", i + 1);
	snprintf(rx, sizeof(rx), "rx%u", i + 1);
	look(out, &now);
	look_far(d->topology, rx, &far);
	if (now.up && !far.up)
		snprintf(why, sizeof(why), "; %s is %s", rx, far.there ? "set down" : "gone");
	else
		why_lost(out, &d->egress[i], &now, rx, why, sizeof(why));
	snprintf(reason, size, "%s got %llu of %llu copies%s", out,
		 (unsigned long long)reading->received[i], (unsigned long long)reading->seen, why);
}

void diagnose_end(struct diagnosis *d, uint64_t wanted, const struct reading *reading, char *reason,
		  size_t size)
{
	unsigned int i = 0;

	reason[0] = 0;
	if (!d) {
		snprintf(reason, size, "no memory to compare the counters");
		return;
	}
	while (i < d->receivers && reading->received[i] == reading->seen)
		i++;
	if (reading->error || reading->sent != wanted || reading->seen != reading->sent)
		generator_reason(d, wanted, reading, reason, size);
	else if (i < d->receivers)
		receiver_reason(d, i, reading, reason, size);
	else if (!(reading->ns > 0))
		snprintf(reason, size, "no time was measured");
	free(d);
}
