// SPDX-License-Identifier: GPL-2.0-or-later
/* An older directory of pins, read by what bpf/contract.h promises and no more. */
#include "daemon/dataplane/succession.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "daemon/dataplane/load.h"

/*
 * 1: here it is; 0: not there, or not what the contract says. A negative errno of the kernel is not
 * the same: what a predecessor holds may not be passed over because it could not be read just now.
 */
static int map_of(struct predecessor *p, const char *name, const struct pinned_map **out)
{
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);

	for (unsigned int i = 0; i < p->map_count; i++)
		if (!strcmp(p->map[i].name, name)) {
			*out = &p->map[i];
			return 1;
		}
	if (p->map_count == PREDECESSOR_MAPS)
		return 0;
	_cleanup_close_ int fd = pin_get_in(p->dir, name);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	int r = bpf_obj_get_info_by_fd(fd, &info, &size);
	if (r < 0)
		return r;
	if (info.type != BPF_MAP_TYPE_ARRAY || !(info.map_flags & BPF_F_MMAPABLE))
		return 0;
	struct pinned_map map = {.count = info.max_entries, .stride = (info.value_size + 7) & ~7U};
	map.bytes = page_align((size_t)map.count * map.stride);
	map.at = mmap(NULL, map.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map.at == MAP_FAILED)
		return -errno;
	snprintf(map.name, sizeof(map.name), "%s", name);
	p->map[p->map_count] = map;
	*out = &p->map[p->map_count++];
	return 1;
}

static int take_field(struct predecessor *p, const struct xm_field *told)
{
	for (size_t i = 0; i < fields_count(); i++) {
		const struct pinned_map *map = NULL;
		if (strcmp(field_at(i)->name, told->name))
			continue;
		int r = map_of(p, told->map, &map);
		if (r < 0)
			return r;
		if (r && (uint64_t)told->offset + told->size <= map->stride)
			p->view[i] = (struct view){map, told->offset, told->size};
	}
	return 0;
}

static int take_fields(struct predecessor *p)
{
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	struct xm_field told;

	int r = p->fields < 0 ? 0 : bpf_obj_get_info_by_fd(p->fields, &info, &size);
	if (r < 0 || info.value_size != sizeof(told))
		return r;
	for (uint32_t i = 0; i < info.max_entries; i++) {
		r = bpf_map_lookup_elem(p->fields, &i, &told);
		if (r < 0 || !told.name[0])
			return r;
		told.name[sizeof(told.name) - 1] = told.map[sizeof(told.map) - 1] = 0;
		r = told.map[0] ? take_field(p, &told) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

static int take_program(const char *name, void *token)
{
	struct predecessor *p = token;
	unsigned int slot;
	char end;

	if (sscanf(name, PIN_INGRESS "%x%c", &slot, &end) != 1)
		return 0;
	int *programs = reallocarray(p->program, p->program_count + 1, sizeof(*programs));
	if (!programs)
		return -ENOMEM;
	p->program = programs;
	uint32_t *slots = reallocarray(p->slot, p->program_count + 1, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	p->slot = slots;
	int fd = pin_get_in(p->dir, name);
	if (fd < 0)
		return fd;
	p->program[p->program_count] = fd;
	p->slot[p->program_count++] = slot;
	return 0;
}

static int take_id(const char *dir, const char *name, uint32_t *id)
{
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	_cleanup_close_ int fd = pin_get_in(dir, name);

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	int r = bpf_obj_get_info_by_fd(fd, &info, &size);
	*id = info.id;
	return r;
}

int predecessor_open(struct predecessor *p)
{
	p->view = calloc(fields_count(), sizeof(*p->view));
	if (!p->view)
		return -ENOMEM;
	p->fields = pin_get_in(p->dir, PIN_FIELDS);
	if (p->fields < 0 && p->fields != -ENOENT)
		return p->fields;
	int r = take_fields(p);
	if (!r)
		r = take_id(p->dir, map_name(MAP_INTERFACES), &p->interfaces_id);
	p->carried = pin_is_there(p->dir, PIN_CARRIED);
	return r < 0 ? r : pins_each(p->dir, take_program, p);
}

void predecessor_close(struct predecessor *p)
{
	for (unsigned int i = 0; i < p->map_count; i++)
		munmap(p->map[i].at, p->map[i].bytes);
	for (unsigned int i = 0; i < p->program_count; i++)
		closep(&p->program[i]);
	free(p->program);
	free(p->slot);
	free(p->slot_here);
	free(p->view);
	closep(&p->fields);
	closep(&p->lock);
}

uint32_t predecessor_count(const struct predecessor *p, enum dataplane_map records)
{
	for (size_t i = 0; i < fields_count(); i++)
		if (field_at(i)->map == records && p->view[i].map)
			return p->view[i].map->count;
	return 0;
}

static void *element(const struct view *v, uint64_t index)
{
	return (char *)v->map->at + index * v->map->stride + v->offset;
}

void predecessor_record(const struct predecessor *p, enum dataplane_map records, uint32_t index,
			void *record)
{
	for (size_t i = 0; i < fields_count(); i++) {
		const struct field *f = field_at(i);
		const struct view *v = &p->view[i];
		if (f->map == records && v->map && index < v->map->count)
			memcpy((char *)record + f->offset, element(v, index),
			       f->size < v->size ? f->size : v->size);
	}
}

static enum dataplane_map records_of(const struct field *f)
{
	return f->map == MAP_ENTRIES ? MAP_ENTRY_RECORDS : MAP_INTERFACE_RECORDS;
}

uint64_t predecessor_counter(const struct predecessor *p, size_t field, uint32_t index)
{
	const struct view *v = &p->view[field];
	uint32_t row_length = predecessor_count(p, records_of(field_at(field)));
	uint64_t sum = 0;

	if (!v->map || v->size != sizeof(sum) || index >= row_length)
		return 0;
	uint32_t rows = v->map->count / row_length;
	for (uint32_t row = 0; row + !p->carried < rows; row++)
		sum += *(volatile uint64_t *)element(v, (uint64_t)row * row_length + index);
	return sum;
}

/* Where the words of the ingresses are; NULL: it does not tell, or has no such slot. */
static const struct view *words_of(const struct predecessor *p, uint32_t slot)
{
	for (size_t i = 0; i < fields_count(); i++) {
		const struct view *v = &p->view[i];
		if (!strcmp(field_at(i)->name, "interface.word") && v->map && v->size == 8 &&
		    slot < predecessor_count(p, MAP_INTERFACE_RECORDS))
			return v;
	}
	return NULL;
}

bool predecessor_receives(const struct predecessor *p, uint32_t slot)
{
	const struct view *v = words_of(p, slot);

	return v && *(volatile uint64_t *)element(v, slot);
}

void predecessor_disarm(const struct predecessor *p, uint32_t slot)
{
	const struct view *v = words_of(p, slot);

	for (uint64_t at = slot; v && at < v->map->count;
	     at += predecessor_count(p, MAP_INTERFACE_RECORDS))
		word_store(element(v, at), 0);
}

bool predecessor_has(const struct predecessor *p, int fd, uint32_t id)
{
	for (unsigned int i = 0; i < p->program_count; i++)
		if (program_id(p->program[i]) == id)
			return true;
	return p->interfaces_id && program_uses(fd, p->interfaces_id);
}
