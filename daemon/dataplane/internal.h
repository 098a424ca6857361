/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this room share. */
#ifndef XM_DATAPLANE_INTERNAL_H
#define XM_DATAPLANE_INTERNAL_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/dataplane/dataplane.h"

#define _cleanup_(f)	__attribute__((cleanup(f), unused)) /* it lives for its clean-up */
#define _cleanup_close_ _cleanup_(closep)
#define _cleanup_free_	_cleanup_(freep)

void closep(int *fd);	     /* closes *fd when it is one */
void freep(void *pointer);   /* free(*pointer) */
int take_fd(int *fd);	     /* returns *fd and leaves -1 there */
int duplicate_fd(int fd);    /* a close-on-exec copy, or a negative errno */
size_t page_align(size_t n); /* up to whole pages */

/* --- probe.c --- */

/* -EOPNOTSUPP: the kernel lacks what everything here stands on. */
int probe_kernel(struct fault *fault);

/* --- maps.c --- */

const char *map_name(enum dataplane_map map);
/* Creates all maps and pins them, or opens the pins when dp->adopted; maps them. */
int maps_open(struct dataplane *dp, struct fault *fault);
void maps_close(struct dataplane *dp);
/* -ESTALE: the directory's maps are not those that we would make. */
int maps_fit(const struct dataplane *dp, const char *dir, struct fault *fault);
/* Gives the maps of an object that is not loaded yet the descriptors of ours, by name. */
int maps_reuse(struct dataplane *dp, struct bpf_object *object);
/* A DEVMAP_HASH as set_maps and exclude_maps hold them. An fd or a negative errno. */
int devmap_create(unsigned int buckets);
/* Writes one of a devmap's entries; `program` as for pool_add(). -ENODEV: there is no such device.
 */
int devmap_write(int fd, uint32_t key, int ifindex, int program);

/* --- index.c --- */

/* Counts the IPv4 addresses that an earlier daemon found no bucket for. */
void index_open(struct dataplane *dp);

/* --- pins.c --- */

#define PIN_EGRESS_NATIVE  "egress_native"
#define PIN_EGRESS_GENERIC "egress_generic"
#define PIN_XMIT	   "trace_xmit"
#define PIN_REDIRECT_ERROR "trace_redirect_error"
#define PIN_INGRESS	   "ingress_" /* and the slot in hex */
#define PIN_FIELDS	   "fields"
#define PIN_CARRIED	   "carried"
#define PIN_NAME_MAX	   32

/* Pins an object; without a pin directory nothing. Replaces an older pin of that name. */
int pin_set(const struct dataplane *dp, int fd, const char *name);
/* Opens a pin: an fd, -ENOENT when there is none. */
int pin_get(const struct dataplane *dp, const char *name);
int pin_get_in(const char *dir, const char *name);
bool pin_is_there(const char *dir, const char *name);
void pin_remove(const struct dataplane *dp, const char *name);
/* Calls f for each pin; stops at the first error and returns it. */
int pins_each(const char *dir, int (*f)(const char *name, void *token), void *token);
/* Removes all pins and the directories that are empty then. */
int pins_remove(const char *dir);

/* --- directory.c, succession.c: see succession.h --- */

int netns_cookie(uint64_t *out);
struct predecessor;
/* Is the program one of a predecessor's? */
bool succession_has(const struct dataplane *dp, int fd, uint32_t id);
/* A map of the youngest predecessor that has one so shaped: an fd; -ENOENT: none; or an errno. */
int succession_map(const struct dataplane *dp, const char *name, const struct bpf_map_info *shape);
/* Our program counts on that slot's device now; those of predecessors do no more. */
void succession_take_turn(struct dataplane *dp, uint32_t slot, int ifindex);
void succession_free(struct succession *s);

/* --- messages.c --- */

/* From now on the libraries print nothing; this thread's words are kept from here on. */
void messages_start(void);
/* What the kernel said last (netlink or verifier), else what the libraries said; or "". */
const char *messages_words(void);
/* What libxdp said, joined. */
const char *messages_of_libxdp(void);

/* --- counters.c --- */

int dataplane_rows(const struct dataplane *dp); /* one for each CPU, and one more */
/* The row that no CPU writes: what was carried over. */
struct xm_entry_row *carried_entry(struct dataplane *dp, uint32_t entry);
struct xm_interface_row *carried_interface(struct dataplane *dp, uint32_t slot);
void carried_release(struct dataplane *dp); /* gives its memory back when it is empty */

/* --- pool.c --- */

int pool_new(struct pool **out, int outer_fd, unsigned int slots, unsigned int members);
void pool_free(struct pool *pool);
uint64_t pool_memory(const struct pool *pool);

/* --- egress.c, trace.c, tracer.c, ingress.c --- */

/* One of the maps of an open tracer; -ENOENT. */
int tracer_map(const struct tracer *tracer, const char *name);

int egress_open(struct dataplane *dp, struct fault *fault);
/* Other when the programs are of another build. */
uint64_t egress_build(void);
uint64_t trace_build(void);
int trace_open(struct dataplane *dp, struct fault *fault);
void trace_close(struct trace *trace);
/* Opens the programs that are pinned. */
int ingress_open(struct dataplane *dp, struct fault *fault);
/* Detaches the program from whatever device of this namespace it is attached to. */
int ingress_detach_everywhere(int program_fd, struct fault *fault);

uint64_t hash_bytes(const void *bytes, size_t size); /* FNV-1a */
uint64_t fd_memory(int fd);			     /* memlock of a map, from its fdinfo */
/*
 * The ids of the CPUs that there may ever be, ascending; 0 may be missing, and others between. How
 * many, or a negative errno: more than `room`, or no list of CPUs (cpuset(7)).
 */
#define CPUS_POSSIBLE "/sys/devices/system/cpu/possible"
#define CPUS_MAX      8192 /* NR_CPUS of the largest configurations */
int cpus_parse(const char *list, int *ids, int room);
int cpus_possible(int *ids, int room);

#endif
