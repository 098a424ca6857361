// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All maps in one table. They are made here, not by libbpf from the objects: their sizes
 * come from the limits, several objects share them, and a daemon that comes later adopts
 * them (libbpf 1.1 refuses to reuse a pinned devmap by its path, since the kernel adds
 * BPF_F_RDONLY_PROG to the flags; descriptors it takes).
 */
#include "daemon/dataplane/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What a map has one element of each for. */
enum per {
	PER_ONE,
	PER_INTERFACE,
	PER_ENTRY,
	PER_BUCKET,
	PER_SET,
	PER_SLOT,
	PER_EXCLUDE,
	PER_IFINDEX,
	PER_COUNTING
};
static const char *const limit_of[] = {
    [PER_ONE] = "",
    [PER_INTERFACE] = "interfaces",
    [PER_ENTRY] = "entries",
    [PER_BUCKET] = "entries",
    [PER_SET] = "sets",
    [PER_SLOT] = "sets",
    [PER_EXCLUDE] = "excludes",
    [PER_IFINDEX] = "",
    [PER_COUNTING] = "",
};

static const struct map_kind {
	const char *name; /* as the BPF objects and the pins call it */
	enum bpf_map_type type;
	uint32_t key, value, flags;
	enum per per;
	bool per_cpu_rows; /* an ARRAY with one row of elements for each possible CPU */
} kinds[] = {
#define WORDS(m, text, per)                                                                        \
	[m] = {text, BPF_MAP_TYPE_ARRAY, 4, sizeof(uint64_t), BPF_F_MMAPABLE, per, false}
#define ROWS(m, text, row, per)                                                                    \
	[m] = {text, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct row), BPF_F_MMAPABLE, per, true}
#define RECORDS(m, text, record, per)                                                              \
	[m] = {text, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct record), BPF_F_MMAPABLE, per, false}
#define COUNTERS(m, text, value, per)                                                              \
	[m] = {text, BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(value), 0, per, false}
#define HASH(m, text, key, per) [m] = {text, BPF_MAP_TYPE_HASH, sizeof(key), 4, 0, per, false}
#define TRIE(m, text, key)                                                                         \
	[m] = {text, BPF_MAP_TYPE_LPM_TRIE, sizeof(key), 4, BPF_F_NO_PREALLOC, PER_ENTRY, false}
#define DEVMAP(m, text)                                                                            \
	[m] = {.name = text,                                                                       \
	       .type = BPF_MAP_TYPE_DEVMAP,                                                        \
	       .key = 4,                                                                           \
	       .value = sizeof(struct bpf_devmap_val),                                             \
	       .per = PER_INTERFACE}
#define OF_MAPS(m, text, per) [m] = {text, BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 0, per, false}
    HASH(MAP_EXACT, "exact", struct xm_group_key, PER_ENTRY),
    RECORDS(MAP_EXACT_IPV4, "exact_ipv4", xm_bucket, PER_BUCKET),
    TRIE(MAP_PREFIX, "prefix", struct xm_prefix_key),
    HASH(MAP_SOURCE_EXACT, "source_exact", struct xm_source_key, PER_ENTRY),
    TRIE(MAP_SOURCE_PREFIX, "source_prefix", struct xm_source_prefix_key),
    ROWS(MAP_ENTRIES, "entries", xm_entry_row, PER_ENTRY),
    WORDS(MAP_SETS, "sets", PER_SET),
    DEVMAP(MAP_UNICAST_NATIVE, "unicast_native"),
    DEVMAP(MAP_UNICAST_GENERIC, "unicast_generic"),
    OF_MAPS(MAP_SET_MAPS, "set_maps", PER_SLOT),
    OF_MAPS(MAP_EXCLUDE_MAPS, "exclude_maps", PER_EXCLUDE),
    ROWS(MAP_INTERFACES, "interfaces", xm_interface_row, PER_INTERFACE),
    WORDS(MAP_LOW_SLOTS, "low_slots", PER_IFINDEX),
    HASH(MAP_HIGH_SLOTS, "high_slots", uint32_t, PER_INTERFACE),
    COUNTERS(MAP_SLOT_TOO_BIG, "slot_too_big", uint64_t, PER_SLOT),
    COUNTERS(MAP_HANDOVER, "handover", struct xm_handover, PER_ONE),
    RECORDS(MAP_INTERFACE_RECORDS, "interface_records", xm_interface_record, PER_INTERFACE),
    RECORDS(MAP_ENTRY_RECORDS, "entry_records", xm_entry_record, PER_ENTRY),
    [MAP_COUNTING] = {"counting", BPF_MAP_TYPE_ARRAY, 4, sizeof(uint64_t), BPF_F_MMAPABLE,
		      PER_COUNTING, false},
    COUNTERS(MAP_COUNTED, "counted", struct xm_counted, PER_ONE),
    COUNTERS(MAP_FLUSH_EXCLUDED, "flush_excluded", uint64_t, PER_ONE),
    OF_MAPS(MAP_GRACE, "grace", PER_ONE),
};
_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == MAPS, "every map has its line");

const char *map_name(enum dataplane_map map)
{
	return kinds[map].name;
}

/* All but the private one. */
static bool map_is_pinned(enum dataplane_map map)
{
	return map != MAP_GRACE;
}

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Each set may be a chain by MTU, and a new set is built beside the old one: hence more
 * sets and slots than the limit. 128 names in an exclude map: beyond, fold is the answer.
 */
void dataplane_sizes_of(const struct limits *limits, struct dataplane_sizes *out)
{
	unsigned int sets = limits->sets > XM_SETS_MAX ? XM_SETS_MAX : limits->sets;

	out->interfaces = limits->interfaces;
	/* a change that replaces every group inserts the new before it deletes the old */
	out->entries = min(limits->entries + limits->groups, XM_ENTRIES_MAX - 1);
	out->sets = min(4 * sets, XM_SETS_MAX - 1);
	out->slots = 2 * out->sets < 64 ? 64 : min(2 * out->sets, XM_SLOTS_MAX - 1);
	out->excludes = min(4096, XM_EXCLUDES_MAX - 1);
	out->exclude_members = XM_MEMBERS_MAX;
}

static unsigned int count_of(enum per per, const struct dataplane_sizes *sizes)
{
	switch (per) {
	case PER_ONE:
		return 0;
	case PER_INTERFACE:
		return sizes->interfaces;
	case PER_ENTRY:
		return sizes->entries;
	case PER_BUCKET:
		return buckets_homes(sizes->entries) + XM_PROBES - 1;
	case PER_SET:
		return sizes->sets;
	case PER_SLOT:
		return sizes->slots;
	case PER_EXCLUDE:
		return sizes->excludes;
	case PER_IFINDEX:
		return XM_LOW_IFINDEXES - 1;
	case PER_COUNTING:
		return XM_COUNTING - 1;
	}
	return 0;
}

/* Arrays have an element 0 that stands for "none". */
static unsigned int max_entries_of(enum dataplane_map map, const struct dataplane *dp)
{
	const struct map_kind *k = &kinds[map];
	bool by_key = k->type == BPF_MAP_TYPE_HASH || k->type == BPF_MAP_TYPE_LPM_TRIE;

	return (count_of(k->per, &dp->sizes) + !by_key) *
	       (k->per_cpu_rows ? dataplane_rows(dp) : 1);
}

int devmap_create(unsigned int buckets)
{
	return bpf_map_create(BPF_MAP_TYPE_DEVMAP_HASH, "members", sizeof(uint32_t),
			      sizeof(struct bpf_devmap_val), buckets, NULL);
}

/* The kernel says the same, EINVAL, of a device that is not there and of what it cannot write. */
int devmap_write(int fd, uint32_t key, int ifindex, int program)
{
	struct bpf_devmap_val value = {.ifindex = ifindex,
				       .bpf_prog.fd = program > 0 ? program : 0};
	char device[IF_NAMESIZE];
	int r = bpf_map_update_elem(fd, &key, &value, BPF_ANY);

	return r == -EINVAL && !if_indextoname(ifindex, device) && errno == ENXIO ? -ENODEV : r;
}

static int create(const struct dataplane *dp, enum dataplane_map map)
{
	const struct map_kind *k = &kinds[map];
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = k->flags);
	_cleanup_close_ int inner = -1;

	if (map == MAP_GRACE) {
		opts.inner_map_fd = dp->map_fd[MAP_HIGH_SLOTS];
	} else if (k->type == BPF_MAP_TYPE_ARRAY_OF_MAPS) {
		inner = devmap_create(1);
		if (inner < 0)
			return inner;
		opts.inner_map_fd = inner;
	}
	return bpf_map_create(k->type, k->name, k->key, k->value, max_entries_of(map, dp), &opts);
}

/* A predecessor's, of what all share (contract, 4 to 6): an fd, -ENOENT when none has it. */
static int shared(const struct dataplane *dp, enum dataplane_map map)
{
	struct bpf_map_info shape = {.type = kinds[map].type,
				     .value_size = kinds[map].value,
				     .max_entries = max_entries_of(map, dp)};

	return map == MAP_COUNTING || map == MAP_COUNTED || map == MAP_FLUSH_EXCLUDED
		   ? succession_map(dp, kinds[map].name, &shape)
		   : -ENOENT;
}

static int make(struct dataplane *dp, enum dataplane_map map, struct fault *fault)
{
	const struct map_kind *k = &kinds[map];
	unsigned int count = max_entries_of(map, dp);
	int r = shared(dp, map);

	if (r == -ENOENT)
		r = create(dp, map);
	if (r == -EPERM)
		return fault_set(fault, r,
				 "cannot create BPF maps: %s: run as root, or with CAP_BPF and "
				 "CAP_NET_ADMIN",
				 strerror(-r));
	if (r < 0)
		return fault_set(fault, r,
				 "cannot create the map %s with %u elements: %s: lower `limit %s`, "
				 "or allow more memory",
				 k->name, count, strerror(-r), limit_of[k->per]);
	dp->map_fd[map] = r;
	r = map_is_pinned(map) ? pin_set(dp, dp->map_fd[map], k->name) : 0;
	if (r < 0)
		return fault_set(fault, r, "cannot pin %s/%s: %s", dp->pin_dir, k->name,
				 strerror(-r));
	return 0;
}

static int check(const struct dataplane *dp, const char *dir, enum dataplane_map map,
		 struct fault *fault)
{
	const struct map_kind *k = &kinds[map];
	unsigned int want = max_entries_of(map, dp);
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	_cleanup_close_ int fd = pin_get_in(dir, k->name);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) < 0)
		return fault_set(fault, -ESTALE, "%s/%s is missing", dir, k->name);
	if (info.type != k->type || info.key_size != k->key || info.value_size != k->value ||
	    (info.map_flags & k->flags) != k->flags)
		return fault_set(fault, -ESTALE, "%s/%s is of another shape", dir, k->name);
	if (info.max_entries != want)
		return fault_set(fault, -ESTALE,
				 "%s/%s has room for %u, the configuration wants %u (limit %s)",
				 dir, k->name, info.max_entries, want, limit_of[k->per]);
	return 0;
}

int maps_fit(const struct dataplane *dp, const char *dir, struct fault *fault)
{
	static const char *const programs[] = {PIN_EGRESS_NATIVE, PIN_EGRESS_GENERIC};
	int r = 0;

	for (enum dataplane_map map = 0; !r && map < MAPS; map++)
		r = map_is_pinned(map) ? check(dp, dir, map, fault) : 0;
	for (int i = 0; !r && i < 2; i++)
		if (!pin_is_there(dir, programs[i]))
			r = fault_set(fault, -ESTALE, "%s/%s is missing", dir, programs[i]);
	return r;
}

static int adopt(struct dataplane *dp, enum dataplane_map map, struct fault *fault)
{
	int r = pin_get(dp, kinds[map].name);

	if (r < 0)
		return fault_set(fault, r, "cannot open %s/%s: %s", dp->pin_dir, kinds[map].name,
				 strerror(-r));
	dp->map_fd[map] = r;
	return 0;
}

/* Where the header shows a map to its users; NULL: not mapped. */
static void **view_of(struct dataplane *dp, enum dataplane_map map)
{
	switch (map) {
	case MAP_ENTRIES:
		return (void **)&dp->entries;
	case MAP_EXACT_IPV4:
		return (void **)&dp->buckets.at;
	case MAP_SETS:
		return (void **)&dp->sets;
	case MAP_INTERFACES:
		return (void **)&dp->interfaces;
	case MAP_LOW_SLOTS:
		return (void **)&dp->low_slots;
	case MAP_INTERFACE_RECORDS:
		return (void **)&dp->interface_records;
	case MAP_ENTRY_RECORDS:
		return (void **)&dp->entry_records;
	case MAP_COUNTING:
		return (void **)&dp->counting;
	default:
		return NULL;
	}
}

static int view(struct dataplane *dp, enum dataplane_map map, struct fault *fault)
{
	size_t bytes = page_align((size_t)max_entries_of(map, dp) * kinds[map].value);
	void **to = view_of(dp, map), *at;

	if (!to)
		return 0;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, dp->map_fd[map], 0);
	if (at == MAP_FAILED)
		return fault_set(fault, -errno,
				 "cannot map %s (%zu bytes): %s: lower `limit %s`, or allow more "
				 "memory",
				 kinds[map].name, bytes, strerror(errno), limit_of[kinds[map].per]);
	*to = at;
	dp->mapped[map] = bytes;
	return 0;
}

int maps_open(struct dataplane *dp, struct fault *fault)
{
	dp->buckets.mask = buckets_homes(dp->sizes.entries) - 1;
	for (enum dataplane_map map = 0; map < MAPS; map++) {
		int r = dp->adopted && map_is_pinned(map) ? adopt(dp, map, fault)
							  : make(dp, map, fault);
		if (!r)
			r = view(dp, map, fault);
		if (r < 0)
			return r;
	}
	for (uint32_t i = 0; !dp->counting[0] && i < XM_COUNTING; i++) /* nobody's before */
		word_store(&dp->counting[XM_COUNTING - 1 - i], dp->serial);
	return 0;
}

void maps_close(struct dataplane *dp)
{
	for (enum dataplane_map map = 0; map < MAPS; map++) {
		if (dp->mapped[map])
			munmap(*view_of(dp, map), dp->mapped[map]);
		dp->mapped[map] = 0;
		closep(&dp->map_fd[map]);
	}
}

static int find(const char *name)
{
	for (enum dataplane_map map = 0; map < MAPS; map++)
		if (!strcmp(kinds[map].name, name))
			return map;
	return -ENOENT;
}

int maps_reuse(struct dataplane *dp, struct bpf_object *object)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
	{
		if (bpf_map__is_internal(map)) /* constants: the object's own */
			continue;
		const char *name = bpf_map__name(map);
		int number = find(name);
		int fd = number < 0 ? tracer_map(dp->tracer, name) : dp->map_fd[number];
		int r = fd < 0 ? fd : bpf_map__reuse_fd(map, fd);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * The kernel waits for all running programs before it returns from a write to a map of
 * maps (kernel/bpf/syscall.c: maybe_wait_bpf_programs).
 */
int dataplane_grace(struct dataplane *dp)
{
	uint32_t zero = 0;

	return bpf_map_update_elem(dp->map_fd[MAP_GRACE], &zero, &dp->map_fd[MAP_HIGH_SLOTS],
				   BPF_ANY);
}
