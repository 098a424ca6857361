// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/diagnose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bench/linkfacts.h"

struct diagnosis {
	const struct topology *topology;
	unsigned int receivers;
	struct link_facts generator, egress[TOPOLOGY_RECEIVERS];
};

static void look_far(const struct topology *t, const char *name, struct link_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	if (!topology_enter_far(t))
		link_facts(name, facts);
	topology_enter_box(t);
}

/* The generator is at the far end of the ingress, or a real interface beside it. */
static void look_generator(const struct topology *t, struct link_facts *facts)
{
	if (t->real)
		link_facts(t->generator ? t->generator_name : t->ingress_name, facts);
	else
		look_far(t, t->generator_name, facts);
}

struct diagnosis *diagnose_begin(const struct topology *topology, unsigned int receivers)
{
	struct diagnosis *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->topology = topology;
	d->receivers = receivers;
	look_generator(topology, &d->generator);
	for (unsigned int i = 0; i < receivers; i++)
		link_facts(topology->egress_name[i], &d->egress[i]);
	return d;
}

/* Why a link passed on less than it was given; "" when it does not say. */
static void why_lost(const char *name, const struct link_facts *before,
		     const struct link_facts *now, const char *ring, char *why, size_t size)
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

/* Why a link passed on more than it was given. */
static void why_more(const char *name, char *why, size_t size)
{
	snprintf(why, size,
		 "; somebody else sends through %s, too: sysctl net/ipv6/conf/%s/disable_ipv6=1 "
		 "stops this host's own",
		 name, name);
}

static void generator_reason(const struct diagnosis *d, uint64_t wanted,
			     const struct reading *reading, char *reason, size_t size)
{
	const struct topology *t = d->topology;
	bool no_generator = t->real && !t->generator;
	const char *name = no_generator ? t->ingress_name : t->generator_name;
	struct link_facts now, in;
	char why[192] = "", end[64] = "";

	look_generator(t, &now);
	link_facts(t->ingress_name, &in);
	if (!now.up)
		snprintf(end, sizeof(end), "; %s is %s", name, now.there ? "set down" : "gone");
	if (reading->error || reading->sent != wanted) {
		snprintf(reason, size, "the generator sent %llu of %llu frames: %s%s",
			 (unsigned long long)reading->sent, (unsigned long long)wanted,
			 reading->said.text[0] ? reading->said.text
			 : reading->error      ? strerror(-reading->error)
					       : "it ended early",
			 end);
		return;
	}
	if (!in.up && now.up)
		snprintf(why, sizeof(why), "; %s is %s", t->ingress_name,
			 in.there ? "set down" : "gone");
	else if (reading->seen > reading->sent && no_generator)
		snprintf(why, sizeof(why), "; frames of others come in on %s, too", name);
	else if (reading->seen > reading->sent)
		why_more(name, why, sizeof(why));
	else
		why_lost(name, &d->generator, &now, t->ingress_name, why, sizeof(why));
	snprintf(reason, size, "the program saw %llu of %llu frames sent%s",
		 (unsigned long long)reading->seen, (unsigned long long)reading->sent, why);
}

static void receiver_reason(const struct diagnosis *d, unsigned int i,
			    const struct reading *reading, char *reason, size_t size)
{
	const char *out = d->topology->egress_name[i];
	bool wire = !d->topology->receiver[i];
	struct link_facts now, far = {0};
	char rx[32], why[192] = "";

	snprintf(rx, sizeof(rx), "rx%u", i + 1);
	link_facts(out, &now);
	if (!wire)
		look_far(d->topology, rx, &far);
	else
		snprintf(rx, sizeof(rx), "%s", out);
	if (!wire && now.up && !far.up)
		snprintf(why, sizeof(why), "; %s is %s", rx, far.there ? "set down" : "gone");
	else if (now.there && reading->received[i] > reading->seen)
		why_more(out, why, sizeof(why));
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
