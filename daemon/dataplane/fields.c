// SPDX-License-Identifier: GPL-2.0-or-later
/* What bpf/contract.h names: where in our maps it lies, told in the map `fields`. */
#include "daemon/dataplane/succession.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define PROGRAMS "programs." /* and a hash of those that are not replaced one by one */

#define FIELD(text, m, type, member)                                                               \
	{                                                                                          \
		text, m, offsetof(struct type, member), sizeof(((struct type *)0)->member)         \
	}
#define IF_RECORD(text, member) FIELD(text, MAP_INTERFACE_RECORDS, xm_interface_record, member)
#define IF_ROW(text, member)	FIELD(text, MAP_INTERFACES, xm_interface_row, member)
#define GROUP_RECORD(text, m)	FIELD(text, MAP_ENTRY_RECORDS, xm_entry_record, m)
#define GROUP_ROW(text, member) FIELD(text, MAP_ENTRIES, xm_entry_row, member)
#define OF_PROTOCOL(id, name, text)                                                                \
	IF_ROW("interface.unmatched." name, counters.unmatched[XM_PROTOCOL_##id]),
#define OF_REASON(id, name, level, text)                                                           \
	IF_ROW("interface.dropped." name, counters.dropped[XM_REASON_##id]),

static const struct field fields[] = {
    IF_RECORD("interface.name", name),
    IF_RECORD("interface.ifindex", ifindex),
    IF_RECORD("interface.generation", generation),
    IF_RECORD("interface.flags", flags),
    IF_RECORD("interface.too-big", too_big),
    IF_ROW("interface.word", word),
    IF_ROW("interface.received", counters.received),
    IF_ROW("interface.matched", counters.matched),
    IF_ROW("interface.copies", counters.copies),
    IF_ROW("interface.transmitted", counters.transmitted),
    XM_PROTOCOLS_LIST(OF_PROTOCOL) XM_COUNTED_REASONS(OF_REASON) GROUP_RECORD("group.used", used),
    GROUP_RECORD("group.ingress", key.ingress),
    GROUP_RECORD("group.vlan", key.vlan),
    GROUP_RECORD("group.address", key.address),
    GROUP_RECORD("group.len", len),
    GROUP_RECORD("group.source", source),
    GROUP_RECORD("group.source-len", source_len),
    GROUP_RECORD("group.leaving", leaving),
    GROUP_ROW("group.frames", counters.frames),
    GROUP_ROW("group.bytes", counters.bytes),
    GROUP_ROW("group.copies", counters.copies),
};
#define COUNT (sizeof(fields) / sizeof(fields[0]))

size_t fields_count(void)
{
	return COUNT;
}

const struct field *field_at(size_t i)
{
	return &fields[i];
}

static void tell(size_t i, struct xm_field *out)
{
	memset(out, 0, sizeof(*out));
	if (i == COUNT) {
		snprintf(out->name, sizeof(out->name), PROGRAMS "%016" PRIx64,
			 trace_build() ^ egress_build());
		return;
	}
	snprintf(out->name, sizeof(out->name), "%s", fields[i].name);
	snprintf(out->map, sizeof(out->map), "%s", map_name(fields[i].map));
	out->offset = fields[i].offset;
	out->size = fields[i].size;
}

int fields_write(struct dataplane *dp, struct fault *fault)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, PIN_FIELDS, sizeof(uint32_t),
						sizeof(struct xm_field), COUNT + 1, &opts);
	int r = fd < 0 ? fd : 0;

	for (uint32_t i = 0; !r && i <= COUNT; i++) {
		struct xm_field field;
		tell(i, &field);
		r = bpf_map_update_elem(fd, &i, &field, BPF_ANY);
	}
	if (!r)
		r = pin_set(dp, fd, PIN_FIELDS);
	return r < 0 ? fault_set(fault, r, "cannot make and pin %s/" PIN_FIELDS ": %s", dp->pin_dir,
				 strerror(-r))
		     : 0;
}

int fields_fit(const char *dir, struct fault *fault)
{
	_cleanup_close_ int fd = pin_get_in(dir, PIN_FIELDS);
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) < 0)
		return fault_set(fault, -ESTALE, "%s/" PIN_FIELDS " is missing", dir);
	for (uint32_t i = 0; i <= COUNT; i++) {
		struct xm_field theirs, ours;
		tell(i, &ours);
		if (info.max_entries != COUNT + 1 || info.value_size != sizeof(ours) ||
		    bpf_map_lookup_elem(fd, &i, &theirs) || memcmp(&theirs, &ours, sizeof(ours)))
			return fault_set(fault, -ESTALE, "%s has programs of another build", dir);
	}
	return 0;
}
