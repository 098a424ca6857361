// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/dataplane/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "ingress.skel.h"
#include "tracer.skel.h"

#define MAPS_OF_PROGRAM 64   /* more than the ingress program has */
#define CONSTANTS_MAX	4096 /* bytes of .rodata */

const char *ingress_program_name(const struct ingress_spec *spec)
{
	static const char *const names[2][2] = {
	    {INGRESS_PROGRAM, INGRESS_PROGRAM "_traced"},
	    {INGRESS_PROGRAM "_fold", INGRESS_PROGRAM "_fold_traced"},
	};

	return names[spec->fold][spec->traced];
}

/* Where the compiler put that constant, and its size; NULL: nowhere. */
static const struct btf_var_secinfo *constant_place(const struct btf *btf, const char *name)
{
	int id = btf ? btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC) : -ENOENT;
	const struct btf_type *section = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (unsigned int i = 0; section && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *place = btf_var_secinfos(section) + i;
		const struct btf_type *variable = btf__type_by_id(btf, place->type);
		if (variable && !strcmp(btf__name_by_offset(btf, variable->name_off), name))
			return place;
	}
	return NULL;
}

/*
 * By name: each instance has its own order of constants, in which it uses them. Without one of them
 * it is no build of ours.
 */
static int specialise(struct dataplane *dp, struct bpf_object *object,
		      const struct ingress_spec *spec)
{
	const bool native = spec->native, finish = spec->finish_checksums;
	const uint32_t entry_stride = dp->sizes.entries + 1,
		       interface_stride = dp->sizes.interfaces + 1;
	const struct {
		const char *name;
		const void *value;
		size_t size;
	} constants[] = {
	    {"slot", &spec->slot, sizeof(spec->slot)},
	    {"generation", &spec->generation, sizeof(spec->generation)},
	    {"native", &native, sizeof(native)},
	    {"finish_checksums", &finish, sizeof(finish)},
	    {"entry_stride", &entry_stride, sizeof(entry_stride)},
	    {"interface_stride", &interface_stride, sizeof(interface_stride)},
	    {"bucket_mask", &dp->buckets.mask, sizeof(dp->buckets.mask)},
	};
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata");
	size_t size = 0;
	char *bytes = map ? (char *)bpf_map__initial_value(map, &size) : NULL;

	for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++) {
		const struct btf_var_secinfo *at =
		    constant_place(bpf_object__btf(object), constants[i].name);
		if (!bytes || !at || at->size != constants[i].size || at->offset + at->size > size)
			return -ENOEXEC;
		memcpy(bytes + at->offset, constants[i].value, constants[i].size);
	}
	return maps_reuse(dp, object);
}

/* An object holds several instances, that of the tracer other programs, too. */
static void load_only(struct bpf_object *object, const char *name)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
	    bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), name));
}

struct bpf_object *ingress_prepare(struct dataplane *dp, const struct ingress_spec *spec)
{
	size_t size;
	const void *bytes =
	    spec->traced ? tracer_bpf__elf_bytes(&size) : ingress_bpf__elf_bytes(&size);
	struct bpf_object *object = bpf_object__open_mem(bytes, size, NULL);
	int r;

	if (!object)
		return NULL;
	load_only(object, ingress_program_name(spec));
	r = specialise(dp, object, spec);
	if (r < 0) {
		bpf_object__close(object);
		errno = -r;
		return NULL;
	}
	return object;
}

void object_closep(struct bpf_object **object)
{
	bpf_object__close(*object);
}

static int load(struct bpf_object *object, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);
	int r = program ? bpf_object__load(object) : -ENOEXEC;

	return r < 0 ? r : duplicate_fd(bpf_program__fd(program));
}

int dataplane_load_ingress(struct dataplane *dp, const struct ingress_spec *spec,
			   struct fault *fault)
{
	messages_start();
	_cleanup_(object_closep) struct bpf_object *object = ingress_prepare(dp, spec);
	int r = object ? load(object, ingress_program_name(spec)) : -errno;

	if (r < 0)
		return fault_set(fault, r, "cannot load the ingress program: %s (%s)", strerror(-r),
				 messages_words());
	return r;
}

int dataplane_load_object(struct dataplane *dp, const struct ingress_spec *spec, const char *path,
			  struct fault *fault)
{
	messages_start();
	_cleanup_(object_closep) struct bpf_object *object = bpf_object__open_file(path, NULL);
	int r = !object ? -errno : specialise(dp, object, spec);

	if (!r) {
		load_only(object, INGRESS_PROGRAM);
		r = load(object, INGRESS_PROGRAM);
	}
	if (r < 0)
		return fault_set(fault, r, "cannot load %s: %s (%s)", path, strerror(-r),
				 messages_words());
	return r;
}

/* What the kernel tells of a program, with the ids of its maps. */
struct program_facts {
	struct bpf_prog_info info;
	uint32_t maps[MAPS_OF_PROGRAM];
};

static int ask(int fd, struct program_facts *out)
{
	uint32_t size = sizeof(out->info);

	memset(out, 0, sizeof(*out));
	out->info.nr_map_ids = MAPS_OF_PROGRAM;
	out->info.map_ids = (uintptr_t)out->maps;
	return bpf_obj_get_info_by_fd(fd, &out->info, &size);
}

static unsigned int map_count(const struct program_facts *p)
{
	return p->info.nr_map_ids < MAPS_OF_PROGRAM ? p->info.nr_map_ids : MAPS_OF_PROGRAM;
}

/* Reads the constants (the map called *.rodata). Their size, or a negative errno. */
static int read_constants(const struct program_facts *p, char out[static CONSTANTS_MAX])
{
	uint32_t zero = 0;

	for (unsigned int i = 0; i < map_count(p); i++) {
		struct bpf_map_info info = {};
		uint32_t size = sizeof(info);
		_cleanup_close_ int fd = bpf_map_get_fd_by_id(p->maps[i]);
		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) < 0)
			return -EPERM;
		if (!strstr(info.name, ".rodata"))
			continue;
		if (info.value_size > CONSTANTS_MAX)
			return -E2BIG;
		int r = bpf_map_lookup_elem(fd, &zero, out);
		return r < 0 ? r : (int)info.value_size;
	}
	return -ENOENT;
}

/* The same code has its maps in the same order; only the constants are each one's own. */
static bool same_maps(const struct program_facts *a, const struct program_facts *b)
{
	unsigned int different = 0;

	if (map_count(a) != map_count(b))
		return false;
	for (unsigned int i = 0; i < map_count(a); i++)
		different += a->maps[i] != b->maps[i];
	return different <= 1;
}

/* The tag is the hash of the instructions, without what constants say. */
bool ingress_same(int program_fd, int other_fd)
{
	char constants[2][CONSTANTS_MAX];
	struct program_facts p[2];
	int size[2];

	if (ask(program_fd, &p[0]) < 0 || ask(other_fd, &p[1]) < 0 ||
	    memcmp(p[0].info.tag, p[1].info.tag, sizeof(p[0].info.tag)) || !same_maps(&p[0], &p[1]))
		return false;
	for (int i = 0; i < 2; i++)
		size[i] = read_constants(&p[i], constants[i]);
	return size[0] > 0 && size[0] == size[1] && !memcmp(constants[0], constants[1], size[0]);
}

bool program_uses(int program_fd, uint32_t map_id)
{
	struct program_facts p;

	if (ask(program_fd, &p) < 0)
		return false;
	for (unsigned int i = 0; i < map_count(&p); i++)
		if (p.maps[i] == map_id)
			return true;
	return false;
}

uint32_t program_id(int fd)
{
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	return fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) < 0 ? 0 : info.id;
}

void program_name_of(int fd, char name[static BPF_OBJ_NAME_LEN])
{
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) < 0 || !info.name[0])
		snprintf(name, BPF_OBJ_NAME_LEN, "unnamed");
	else
		snprintf(name, BPF_OBJ_NAME_LEN, "%s", info.name);
}

void program_name(uint32_t id, char name[static BPF_OBJ_NAME_LEN])
{
	_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);

	program_name_of(fd, name);
}

void program_words(uint32_t id, char words[static PROGRAM_WORDS_MAX])
{
	_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);
	char name[BPF_OBJ_NAME_LEN];

	if (fd < 0 && errno == EPERM) {
		snprintf(words, PROGRAM_WORDS_MAX, "id %u (`bpftool prog show id %u` names it)", id,
			 id);
		return;
	}
	program_name_of(fd, name);
	snprintf(words, PROGRAM_WORDS_MAX, "id %u, name %s", id, name);
}
