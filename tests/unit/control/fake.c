/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/control/fake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EGRESS_MAX 64

static bool is_known(const char *name)
{
	size_t len = strlen(name);

	return name_is_pattern(name) || (len == 5 && !strncmp(name, "veth", 4)) ||
	       (len == 4 && !strncmp(name, "eth", 3)) || !strncmp(name, "peer", 4);
}

static int check_names(const struct names *names, bool pending,
		       void (*warn)(const char *text, void *token), void *token,
		       struct fault *fault)
{
	for (size_t i = 0; i < names->count; i++) {
		if (!is_known(names->name[i]) && !pending)
			return fault_set(fault, -ENODEV, "no interface %s: add --pending",
					 names->name[i]);
		if (strcmp(names->name[i], "veth9") == 0)
			warn("veth9 is not ready: down", token);
	}
	return 0;
}

static int check_group(const struct group *group, enum group_check how,
		       void (*warn)(const char *text, void *token), void *token,
		       struct fault *fault, void *data)
{
	(void)data;
	if (strcmp(group->key.from, "peer0") == 0 && names_have(&group->to, "peer1"))
		return fault_set(fault, -EINVAL, "peer0 and peer1 are the ends of one veth pair");
	if (!is_known(group->key.from) && how == CHECK_PRESENT)
		return fault_set(fault, -ENODEV, "no interface %s: add --pending", group->key.from);
	return check_names(&group->to, how != CHECK_PRESENT, warn, token, fault);
}

static void finish_change(struct fake *fake, control_done done, void *token)
{
	struct fault fault = {};

	if (fake->error)
		fault_set(&fault, 0, "the kernel refused: test");
	done(fake->error, fake->error ? &fault : NULL, token);
}

static void changed(control_done done, void *token, void *data)
{
	struct fake *fake = data;

	fake->changes++;
	if (fake->hold && !fake->held) {
		fake->held = done;
		fake->token = token;
	} else {
		finish_change(fake, done, token);
	}
}

void fake_release(struct fake *fake)
{
	control_done done = fake->held;

	fake->held = NULL;
	if (done)
		finish_change(fake, done, fake->token);
}

static void reload(control_done done, void *token, void *data)
{
	struct fake *fake = data;

	fake->reloads++;
	finish_change(fake, done, token);
}

static void reattach(const char *interface, control_done done, void *token, void *data)
{
	struct fake *fake = data;

	snprintf(fake->reattached, sizeof(fake->reattached), "%s", interface);
	finish_change(fake, done, token);
}

static int group_report(const struct group *group, struct group_report *out, void *data)
{
	static struct egress_report egress[EGRESS_MAX];
	size_t count = group->to.count < EGRESS_MAX ? group->to.count : EGRESS_MAX;

	(void)data;
	for (size_t i = 0; i < count; i++) {
		bool down = strcmp(group->to.name[i], "veth9") == 0;

		egress[i] = (struct egress_report){
		    .ready = !down, .reason = down ? XM_REASON_DOWN : XM_REASON_NONE};
		snprintf(egress[i].interface, sizeof(egress[i].interface), "%s", group->to.name[i]);
		if (down)
			strcpy(egress[i].detail, "ip link set veth9 up");
	}
	*out = (struct group_report){.group = group,
				     .state = is_known(group->key.from) ? "active" : "pending",
				     .frames = 10,
				     .bytes = 600,
				     .copies = 10 * count,
				     .egress = egress,
				     .egress_count = count};
	if (strcmp(out->state, "pending") == 0)
		strcpy(out->detail, "its ingress is not there");
	return 0;
}

static int each_interface(int (*f)(const struct interface_report *report, void *token), void *token,
			  void *data)
{
	struct interface_report eth0 = {.interface = "eth0",
					.ifindex = 2,
					.driver = "virtio_net",
					.is_ingress = true,
					.mode = "generic",
					.wanted = "auto",
					.attach = "single",
					.forced = "veth9 cannot receive redirected frames",
					.program_id = 77,
					.ready = true,
					.reason = XM_REASON_NONE,
					.mtu = 1500,
					.features_known = true,
					.features = 1 | 2 | 64,
					.received = 1000};
	struct interface_report odd = {.interface = "od\xff"
						    "d",
				       .is_egress = true,
				       .mode = "none",
				       .wanted = "auto",
				       .attach = "none",
				       .reason = XM_REASON_ABSENT};
	int r = f(&eth0, token);

	(void)data;
	odd.dropped[XM_REASON_TOO_BIG] = 3;
	return r ? r : f(&odd, token);
}

static int stats(struct stats_report *out, void *data)
{
	(void)data;
	*out = (struct stats_report){.received = 1000,
				     .matched = 900,
				     .copies = 1800,
				     .transmitted = 1790,
				     .unexplained = 1};
	out->unmatched[XM_PROTOCOL_IGMP] = 100;
	out->dropped[XM_REASON_TOO_BIG] = 9;
	return 0;
}

static int explain(const struct frame_wish *wish, struct frame_report *out, struct fault *fault,
		   void *data)
{
	static const struct copy_report copies[] = {
	    {"veth1", "transmitted", XM_REASON_NONE, ""},
	    {"veth9", "dropped", XM_REASON_TOO_BIG, "it needs an MTU of 1486"},
	};

	(void)data;
	if (!is_known(wish->from))
		return fault_set(fault, -ENODEV, "there is no interface %s", wish->from);
	*out = (struct frame_report){.mode = "native",
				     .address = wish->address,
				     .source = wish->source,
				     .has_source = wish->source.len > 0,
				     .vlan = wish->vlan,
				     .size = wish->size,
				     .verdict = "copied",
				     .reason = XM_REASON_NONE,
				     .protocol = XM_PROTOCOLS,
				     .has_group = true,
				     .entry = 3,
				     .set = 4,
				     .due = 2,
				     .unforeseen = 1u << XM_REASON_QUEUE_FULL,
				     .copies = copies,
				     .copy_count = 2};
	out->group.address = wish->address;
	strcpy(out->group.from, "eth0");
	strcpy(out->ingress, wish->from);
	return 0;
}

static int trace(const struct trace_wish *wish, struct fault *fault, void *data)
{
	struct fake *fake = data;

	if (wish->from[0] && !is_known(wish->from))
		return fault_set(fault, -ENOENT, "no program is attached to %s", wish->from);
	fake->trace = *wish;
	return 0;
}

static void trace_stop(void *data)
{
	struct fake *fake = data;

	fake->trace.frame = NULL;
	fake->trace_stops++;
}

void fake_trace_frame(struct fake *fake)
{
	struct frame_wish wish = {.from = "eth0", .address = fake->trace.address, .size = 1000};
	struct frame_report report;
	struct fault fault;

	explain(&wish, &report, &fault, fake);
	report.number = ++fake->traced;
	fake->trace.frame(&report, fake->trace.token);
	if (fake->traced == fake->trace.count)
		fake->trace.done(fake->traced, "all were seen", fake->trace.token);
}

/* One of each level. */
static int doctor(const struct doctor_wish *wish, void *data)
{
	static const struct finding findings[] = {
	    {"settled", "", FINDING_OK, "", ""},
	    {"mode", "eth0", FINDING_WARNING, "generic mode", "xmcastctl reattach eth0"},
	    {"ready", "veth9", FINDING_PROBLEM, "down: it gets no copies", "ip link set veth9 up"},
	};
	int r = 0;

	(void)data;
	for (size_t i = 0; !r && i < 3; i++)
		if (!wish->interfaces->count || !findings[i].subject[0] ||
		    names_have(wish->interfaces, findings[i].subject))
			r = wish->finding(&findings[i], wish->token);
	return r;
}

static int status(struct status_report *out, void *data)
{
	struct fake *fake = data;

	*out = (struct status_report){.version = XM_VERSION,
				      .pid = 4711,
				      .uptime_seconds = 60,
				      .enforce = "fold",
				      .pinned = true,
				      .pin_dir = "/sys/fs/bpf/xmcast",
				      .groups = fake->model->group_count,
				      .limits = fake->model->limits,
				      .settled = true};
	return 0;
}

void fake_init(struct fake *fake)
{
	*fake = (struct fake){.model = model_new()};
	if (!fake->model)
		abort();
	model_settle(fake->model);
	fake->backend = (struct control_backend){.data = fake,
						 .model = fake->model,
						 .check_group = check_group,
						 .changed = changed,
						 .reload = reload,
						 .reattach = reattach,
						 .group_report = group_report,
						 .each_interface = each_interface,
						 .stats = stats,
						 .doctor = doctor,
						 .explain = explain,
						 .trace = trace,
						 .trace_stop = trace_stop,
						 .status = status};
}

void fake_finish(struct fake *fake)
{
	fake_release(fake);
	model_free(fake->model);
}

static void add(struct fake *fake, const char *address, const char *file)
{
	struct group group = {.file = file, .line = file ? 7 : 0, .key.from = "eth0"};
	struct fault fault;
	const char *why;

	if (prefix_parse(address, &group.key.address, &why) < 0 ||
	    names_add(&group.to, "veth1") < 0 || (!file && names_add(&group.to, "veth9") < 0) ||
	    model_add_group(fake->model, &group, &fault) < 0)
		abort();
	names_free(&group.to);
}

void fake_fill(struct fake *fake, unsigned int count)
{
	char address[32];

	for (unsigned int i = 0; i < count; i++) {
		snprintf(address, sizeof(address), "239.%u.%u.%u", 10 + (i >> 16), i >> 8 & 255,
			 i & 255);
		add(fake, address, NULL);
	}
	model_settle(fake->model);
}

void fake_config_group(struct fake *fake, const char *address)
{
	add(fake, address, "/etc/xmcast/x.conf");
}
