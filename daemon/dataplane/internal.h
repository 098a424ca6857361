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

/* --- maps.c --- */

const char *map_name(enum dataplane_map map);
bool map_is_pinned(enum dataplane_map map); /* all but the private one */
/* Creates all maps and pins them, or opens the pins when dp->adopted; maps them. */
int maps_open(struct dataplane *dp, struct fault *fault);
void maps_close(struct dataplane *dp);
/* Gives the maps of an object that is not loaded yet the descriptors of ours, by name. */
int maps_reuse(struct dataplane *dp, struct bpf_object *object);
/* A DEVMAP_HASH as set_maps and exclude_maps hold them. An fd or a negative errno. */
int devmap_create(unsigned int buckets);

/* --- pins.c --- */

#define PIN_EGRESS_NATIVE  "egress_native"
#define PIN_EGRESS_GENERIC "egress_generic"
#define PIN_XMIT	   "trace_xmit"
#define PIN_REDIRECT_ERROR "trace_redirect_error"
#define PIN_INGRESS	   "ingress_" /* and the slot in hex */
#define PIN_NAME_MAX	   32

/* Finds or makes the pin directory, locks it and sets pin_dir. */
int pins_lock(struct dataplane *dp, const char *bpffs, struct fault *fault);
/* The same, then removes what a killed loader left, or sets adopted. */
int pins_open(struct dataplane *dp, const char *bpffs, struct fault *fault);
/* Pins an object; without a pin directory nothing. Replaces an older pin of that name. */
int pin_set(const struct dataplane *dp, int fd, const char *name);
/* Opens a pin: an fd, -ENOENT when there is none. */
int pin_get(const struct dataplane *dp, const char *name);
void pin_remove(const struct dataplane *dp, const char *name);
/* Calls f for each pin; stops at the first error and returns it. */
int pins_each(const struct dataplane *dp, int (*f)(const char *name, void *token), void *token);
/* Removes all pins and the directories that are empty then. */
int pins_remove(struct dataplane *dp);
int netns_cookie(uint64_t *out);

/* --- messages.c --- */

/* From now on the libraries print nothing; this thread's words are kept from here on. */
void messages_start(void);
/* What the kernel said last (netlink or verifier), else what the libraries said; or "". */
const char *messages_words(void);
/* What libxdp said, joined. */
const char *messages_of_libxdp(void);

/* --- pool.c --- */

int pool_new(struct pool **out, int outer_fd, unsigned int slots, unsigned int members);
void pool_free(struct pool *pool);
uint64_t pool_memory(const struct pool *pool);

/* --- egress.c, trace.c, tracer.c, ingress.c --- */

/* One of the maps of an open tracer; -ENOENT. */
int tracer_map(const struct tracer *tracer, const char *name);

int egress_open(struct dataplane *dp, struct fault *fault);
int trace_open(struct dataplane *dp, struct fault *fault);
void trace_close(struct trace *trace);
/* Opens the programs that are pinned. */
int ingress_open(struct dataplane *dp, struct fault *fault);
/* Detaches the program from whatever device of this namespace it is attached to. */
int ingress_detach_everywhere(int program_fd, struct fault *fault);

uint64_t fd_memory(int fd); /* memlock of a map, from its fdinfo */

#endif
