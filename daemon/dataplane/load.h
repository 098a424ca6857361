/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instances of the ingress program: made, loaded, compared. Between load.c and ingress.c. */
#ifndef XM_DATAPLANE_LOAD_H
#define XM_DATAPLANE_LOAD_H

#include "daemon/dataplane/internal.h"

#define INGRESS_PROGRAM "xmcast_ingress"

/* Opened, specialised, with our maps, not loaded yet. NULL: errno is set. */
struct bpf_object *ingress_prepare(struct dataplane *dp, const struct ingress_spec *spec);
/* That of the instance: INGRESS_PROGRAM and what it can besides. */
const char *ingress_program_name(const struct ingress_spec *spec);
void object_closep(struct bpf_object **object);

/* True when both have the same code, the same maps and the same constants. */
bool ingress_same(int program_fd, int other_fd);
/* True when the program uses the map of this id. */
bool program_uses(int program_fd, uint32_t map_id);
uint32_t program_id(int fd); /* 0: not a program */
/* "unnamed" also where the kernel tells none. By id only with CAP_SYS_ADMIN. */
void program_name_of(int fd, char name[static BPF_OBJ_NAME_LEN]);
void program_name(uint32_t id, char name[static BPF_OBJ_NAME_LEN]);
/* For people: id and name; without CAP_SYS_ADMIN the kernel tells no names. */
#define PROGRAM_WORDS_MAX 80
void program_words(uint32_t id, char words[static PROGRAM_WORDS_MAX]);

#endif
