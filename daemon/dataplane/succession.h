/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking over from directories of pins that cannot be adopted as they are: of another layout, of
 * other limits, or with other tracepoint programs. See the contract in bpf/contract.h.
 *
 *   directory.c    which there are; adopt the youngest, or make another
 *   fields.c       what the contract names, in our own maps
 *   predecessor.c  the same in an older directory; its programs
 *   carry.c        records from there to here
 *   succession.c   counters from there to here; whose turn it is; the end of it
 */
#ifndef XM_DATAPLANE_SUCCESSION_H
#define XM_DATAPLANE_SUCCESSION_H

#include "daemon/dataplane/internal.h"

#define PREDECESSOR_MAPS 8 /* that its fields may lie in */

/* One thing that can be carried over, by its name. */
struct field {
	char name[XM_FIELD_NAME_LEN];
	enum dataplane_map map;
	uint32_t offset, size;
};
size_t fields_count(void);
const struct field *field_at(size_t i);

/* Where a predecessor has it. */
struct view {
	const struct pinned_map *map; /* NULL: it has not */
	uint32_t offset, size;
};

struct pinned_map {
	char name[XM_FIELD_MAP_LEN];
	void *at;
	size_t bytes;
	uint32_t stride, count; /* of elements */
};

struct predecessor {
	char dir[PIN_DIR_MAX];
	unsigned int layout, serial;
	int lock;
	int fields;	/* a descriptor, negative: not pinned */
	bool carried;	/* it has taken over all from those before it */
	bool passed_on; /* a younger one has taken over all from it */
	struct pinned_map map[PREDECESSOR_MAPS];
	unsigned int map_count;
	struct view *view;   /* by our field */
	int *program;	     /* its ingress programs */
	uint32_t *slot;	     /* and their slots there */
	uint32_t *slot_here; /* our slot, by theirs; 0: none */
	unsigned int program_count;
	uint32_t interfaces_id; /* of its map `interfaces`, which its programs use */
};

#define OURS UINT32_MAX

/* An interface slot or an entry of theirs, and which it is here. */
struct carried {
	uint32_t predecessor;	       /* its place, oldest first; OURS: it was here already */
	uint32_t from, to;	       /* interface slots, or entries */
	struct xm_entry_record record; /* of an entry, in our numbers */
};

struct succession {
	char base[PIN_DIR_MAX];
	uint64_t cookie;
	struct predecessor *predecessor; /* oldest first */
	unsigned int count;
	struct carried *carried;
	size_t carried_count;
};

/* --- directory.c --- */

/* Finds and locks all directories of the caller's network namespace. -EBUSY: another daemon. */
int directories_find(struct succession *s, const char *bpffs, struct fault *fault);
/* Adopts or makes pin_dir; removes parts. */
int directories_open(struct dataplane *dp, struct fault *fault);

/* --- fields.c --- */

/* Writes and pins what the directory has: it is whole from now on. */
int fields_write(struct dataplane *dp, struct fault *fault);
/* -ESTALE: the directory has other fields, or other tracepoint programs. */
int fields_fit(const char *dir, struct fault *fault);

/* --- predecessor.c --- */

/* Maps what it has; what it lacks is not carried over. */
int predecessor_open(struct predecessor *p);
void predecessor_close(struct predecessor *p);
/* Number of elements of a kind, from the map of its records; 0: none. */
uint32_t predecessor_count(const struct predecessor *p, enum dataplane_map records);
/* Copies one element's fields of a kind of record into ours. */
void predecessor_record(const struct predecessor *p, enum dataplane_map records, uint32_t index,
			void *record);
/* The sum of a counter over its rows; over the last only if that is final. */
uint64_t predecessor_counter(const struct predecessor *p, size_t field, uint32_t index);
/* Is that slot's program one that copies, and does not pass everything? */
bool predecessor_receives(const struct predecessor *p, uint32_t slot);
/* Makes the program of that slot pass everything. */
void predecessor_disarm(const struct predecessor *p, uint32_t slot);
/* Is it one of its programs? */
bool predecessor_has(const struct predecessor *p, int fd, uint32_t id);

/* --- carry.c --- */

/* Records and counters of all predecessors into our maps; their programs become our slots'. */
int carry(struct dataplane *dp, struct fault *fault);

/* --- succession.c; more of it in internal.h --- */

/* Stores the sums into the rows of what was carried over; the same again is harmless. */
void succession_count(struct dataplane *dp);

#endif
