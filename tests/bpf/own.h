/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of the dataplane room share: a network and mount namespace of their own with
 * a BPF file system of its own (all of it ends with the process), and a pair of veths.
 */
#ifndef XM_TESTS_OWN_H
#define XM_TESTS_OWN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/dataplane/dataplane.h"

#define TEST(name) static void name(void **of_cmocka __attribute__((unused)))
#define BPFFS	   "/sys/fs/bpf"
#define PIN_BASE   BPFFS "/xmcast"

extern const struct limits small;

/* Enters the namespaces; returns what main() must return when it cannot, 0: go on. */
int own_namespaces(void);

void must(const char *command);		   /* fails the test when the shell command does */
unsigned int entries_of(const char *path); /* names in a directory */
unsigned int open_files(void);		   /* descriptors of this process */

struct dataplane *open_with(const char *bpffs, const struct limits *limits);
struct dataplane *open_pinned(void); /* below PIN_BASE, small */
void unpin(struct dataplane *dp);    /* and nothing is left */
/* Opens, expects a refusal that leaks nothing; returns the error. */
int refused(const char *bpffs, const struct limits *limits, struct fault *fault);

void make_veth(void); /* v0 ---- v1, up */
void delete_veth(void);
int index_of(const char *device);
uint32_t program_id_of(int fd);

#endif
