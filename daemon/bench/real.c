// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bench/real.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/bench/linkfacts.h"
#include "daemon/netlink/make.h"

const char *real_row_name(enum real_row row)
{
	static const char *const names[] = {"A->B", "A->veth", "A->B+veth"};

	_Static_assert(sizeof(names) / sizeof(names[0]) == REAL_ROWS, "rows");
	return names[row];
}

/* The first name of a list. */
static void first_of(const char *list, char out[static IF_NAMESIZE])
{
	size_t len = strcspn(list, ",");

	snprintf(out, IF_NAMESIZE, "%.*s", len < IF_NAMESIZE ? (int)len : IF_NAMESIZE - 1, list);
}

/* A real interface that is there and up. */
static int find(const char *option, const char *name, char out[static IF_NAMESIZE], int *ifindex,
		struct fault *fault)
{
	char namespace[NAMESPACE_TEXT_MAX];
	struct link_facts facts;

	first_of(name, out);
	link_facts(out, &facts);
	*ifindex = (int)if_nametoindex(out);
	if (!*ifindex)
		return fault_set(fault, -ENODEV,
				 "%s %s: there is no such interface in this network namespace, %s",
				 option, out, network_namespace(namespace));
	if (!facts.up)
		return fault_set(fault, -ENETDOWN,
				 "%s %s is set down: run `ip link set %s up` and try again", option,
				 out, out);
	return 0;
}

/* A program that is there would have to go, and might be somebody's firewall or forwarding. */
static int check_free(const char *name, int ifindex, struct fault *fault)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info), id = 0;
	int fd;

	if (bpf_xdp_query_id(ifindex, 0, &id) || !id)
		return 0;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd >= 0) {
		bpf_obj_get_info_by_fd(fd, &info, &size);
		close(fd);
	}
	return fault_set(fault, -EBUSY,
			 "--in %s: the XDP program %s (id %u) is attached to it: measure on "
			 "another interface, or end what attached it",
			 name, info.name[0] ? info.name : "of somebody else", id);
}

/* The veth is in the namespace of the real interfaces, under a name that nobody else has. */
static int add_veth(struct topology *t)
{
	static unsigned int count;
	unsigned int i = t->receivers++;

	snprintf(t->egress_name[i], IF_NAMESIZE, "xmb%x.%u", (unsigned int)getpid() & 0xffffff,
		 count++ % 1000);
	return topology_make_pair(t, t->egress_name[i], "rx1", &t->egress[i], &t->receiver[i]);
}

static int add_all(struct topology *t, enum real_row row, const struct throughput_options *o,
		   struct fault *fault)
{
	int r = find("--in", o->in, t->ingress_name, &t->ingress, fault);

	if (!r)
		r = check_free(t->ingress_name, t->ingress, fault);
	if (!r && o->sender)
		r = find("--pktgen-dev", o->sender, t->generator_name, &t->generator, fault);
	if (!r && row != REAL_A_TO_VETH) {
		r = find("--out", o->out, t->egress_name[0], &t->egress[0], fault);
		t->receivers = 1;
	}
	if (!r && row != REAL_A_TO_B) {
		r = add_veth(t);
		if (r)
			fault_set(fault, r, "a veth pair cannot be made: %s", strerror(-r));
	}
	return r;
}

int real_make(struct topology *t, enum real_row row, const struct throughput_options *o,
	      struct fault *fault)
{
	int r;

	memset(t, 0, sizeof(*t));
	t->real = true;
	t->box = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	t->far = t->box < 0 ? -1 : topology_new_namespace();
	r = t->box < 0 ? -errno : t->far < 0 ? t->far : topology_enter_box(t);
	if (r)
		return fault_set(fault, r, "a network namespace cannot be made (%s): run as root",
				 strerror(-r));
	return add_all(t, row, o, fault);
}

void real_free(struct topology *t)
{
	/* Its namespace would take it along, but only some time after we have ended. */
	for (unsigned int i = 0; i < t->receivers; i++)
		if (t->receiver[i])
			make_gone(t->egress_name[i]);
	topology_free(t);
}

json_t *real_drivers(const struct throughput_options *o)
{
	char in[32] = "veth", out[32] = "veth", b[IF_NAMESIZE] = "";
	json_t *interfaces = json_object();

	if (o->in) {
		first_of(o->out, b);
		link_driver(o->in, in, sizeof(in));
		link_driver(b, out, sizeof(out));
		json_object_set_new(interfaces, o->in, link_description(o->in));
		json_object_set_new(interfaces, b, link_description(b));
	}
	return json_pack("{s:s,s:s,s:s,s:o}", "in", in, "out", out, "receivers", "veth",
			 "interfaces", interfaces);
}
