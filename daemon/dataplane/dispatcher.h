/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is behind libxdp's dispatcher. Between the files that attach. */
#ifndef XM_DATAPLANE_DISPATCHER_H
#define XM_DATAPLANE_DISPATCHER_H

#include <stdbool.h>
#include <stdint.h>

bool is_dispatcher(uint32_t program_id);
/* True when the device's dispatcher runs the program. */
bool dispatcher_runs(int ifindex, uint32_t id);
/*
 * The device has a dispatcher, but libxdp finds nothing pinned of the programs behind it: it can
 * neither be changed nor taken off through libxdp.
 */
bool dispatcher_is_orphan(int ifindex);
/* Takes one program out; -ENOENT when it is not there. */
int dispatcher_detach(int ifindex, uint32_t id);
/* A program behind the dispatcher for which f says true; 0: none. */
uint32_t dispatcher_find(int ifindex, bool (*f)(int fd, uint32_t id, void *token), void *token);
/* The first run priority from `wanted` on that no program behind the dispatcher has. */
unsigned int dispatcher_priority(int ifindex, unsigned int wanted);

#endif
