// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/dataplane/tracer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/dataplane/load.h"

#include "tracer.skel.h"

#define RING_BYTES (1u << 20) /* about 4000 frames with four copies each, not read yet */

struct tracer {
	int filter, cpus, egresses, ring; /* maps */
	struct tracer_bpf *programs;
	struct ring_buffer *reader;
	tracer_event event;
	void *data;
};

int tracer_map(const struct tracer *tracer, const char *name)
{
	if (!tracer)
		return -ENOENT;
	return !strcmp(name, "trace_filter")	 ? tracer->filter
	       : !strcmp(name, "trace_cpus")	 ? tracer->cpus
	       : !strcmp(name, "trace_egresses") ? tracer->egresses
	       : !strcmp(name, "trace_ring")	 ? tracer->ring
						 : -ENOENT;
}

static int make_maps(struct dataplane *dp, struct tracer *t)
{
	unsigned int slots = dp->sizes.interfaces + 1;

	t->filter = bpf_map_create(BPF_MAP_TYPE_ARRAY, "trace_filter", 4,
				   sizeof(struct xm_trace_filter), 1, NULL);
	t->cpus = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "trace_cpus", 4,
				 sizeof(struct xm_trace_cpu), 1, NULL);
	t->egresses = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "trace_egresses", 4,
				     sizeof(struct xm_trace_egress), slots, NULL);
	t->ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "trace_ring", 0, 0, RING_BYTES, NULL);
	return t->filter < 0 || t->cpus < 0 || t->egresses < 0 || t->ring < 0 ? -errno : 0;
}

/* The count of `excluded` begins from what there is. */
static int note_excluded(struct dataplane *dp, struct tracer *t)
{
	_cleanup_free_ struct xm_trace_egress *now = calloc(dp->possible_cpus, sizeof(*now));
	size_t stride = dp->sizes.interfaces + 1;
	int r = now ? 0 : -ENOMEM;

	for (uint32_t slot = 1; !r && slot < stride; slot++) {
		if (!dp->interface_records[slot].name[0])
			continue;
		for (int i = 0; i < dp->possible_cpus; i++)
			now[i].excluded = dp->interfaces[dp->cpu_id[i] * stride + slot]
					      .counters.dropped[XM_REASON_EXCLUDED];
		r = bpf_map_update_elem(t->egresses, &slot, now, BPF_ANY);
	}
	return r;
}

/* deadline: as in the map; 0: nothing is traced yet. */
static int set_filter(struct tracer *t, const struct tracer_wish *wish, uint64_t deadline)
{
	struct xm_trace_filter filter = {
	    .deadline = deadline, .budget = wish->count, .unmatched = wish->unmatched};
	uint32_t zero = 0;
	int r = netns_cookie((uint64_t *)&filter.netns_cookie);

	if (r < 0)
		return r;
	for (unsigned int bit = 0; bit < wish->address.len; bit++)
		filter.mask.byte[bit / 8] |= 0x80 >> bit % 8;
	filter.value = wish->address.address;
	return bpf_map_update_elem(t->filter, &zero, &filter, BPF_ANY);
}

int tracer_begin(struct dataplane *dp, const struct tracer_wish *wish, uint64_t deadline,
		 struct fault *fault)
{
	int r = set_filter(dp->tracer, wish, deadline);

	return r < 0 ? fault_set(fault, r, "cannot trace: %s", strerror(-r)) : 0;
}

static int on_event(void *data, void *event, size_t size)
{
	struct tracer *t = data;

	if (size >= sizeof(uint32_t))
		t->event(event, t->data);
	return 0;
}

static int attach(struct dataplane *dp, struct tracer *t)
{
	struct bpf_program *program;
	int r;

	t->programs = tracer_bpf__open();
	if (!t->programs)
		return -errno;
	bpf_object__for_each_program(program, t->programs->obj)
	    bpf_program__set_autoload(program, bpf_program__type(program) == BPF_PROG_TYPE_TRACING);
	t->programs->rodata->interface_stride = dp->sizes.interfaces + 1;
	r = maps_reuse(dp, t->programs->obj);
	if (!r)
		r = tracer_bpf__load(t->programs);
	if (!r)
		r = tracer_bpf__attach(t->programs);
	return r;
}

int tracer_open(struct dataplane *dp, const struct tracer_wish *wish, tracer_event event,
		void *data, struct fault *fault)
{
	struct tracer *t;
	int r;

	if (dp->tracer)
		return fault_set(fault, -EBUSY, "somebody traces already: one at a time");
	t = dp->tracer = malloc(sizeof(*t));
	if (!t)
		return fault_set(fault, -ENOMEM, "out of memory");
	*t = (struct tracer){-1, -1, -1, -1, .event = event, .data = data};
	messages_start();
	r = make_maps(dp, t);
	if (!r)
		r = note_excluded(dp, t);
	if (!r)
		r = set_filter(t, wish, 0);
	if (!r)
		r = attach(dp, t);
	if (!r) {
		t->reader = ring_buffer__new(t->ring, on_event, t, NULL);
		r = t->reader ? 0 : -errno;
	}
	if (r < 0) {
		fault_set(fault, r, "cannot trace: %s (%s)", strerror(-r), messages_words());
		tracer_close(dp);
	}
	return r;
}

int tracer_fd(const struct dataplane *dp)
{
	return ring_buffer__epoll_fd(dp->tracer->reader);
}

int tracer_read(struct dataplane *dp)
{
	int r = dp->tracer ? ring_buffer__consume(dp->tracer->reader) : 0;

	return r < 0 ? r : 0;
}

void tracer_close(struct dataplane *dp)
{
	struct tracer *t = dp->tracer;

	if (!t)
		return;
	dp->tracer = NULL;
	ring_buffer__free(t->reader);
	tracer_bpf__destroy(t->programs);
	closep(&t->filter);
	closep(&t->cpus);
	closep(&t->egresses);
	closep(&t->ring);
	free(t);
}
