/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps, for BPF programs. User space creates them (daemon/dataplane/maps.c) with the
 * limits of the configuration and hands them to every object, so max_entries here is
 * only what a template needs.
 */
#ifndef XMCAST_MAPS_H
#define XMCAST_MAPS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/xmcast.h"

#define MAP(name, kind, count, key_type, value_type, flags)                                        \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, count);                                                        \
		__uint(map_flags, flags);                                                          \
		__type(key, key_type);                                                             \
		__type(value, value_type);                                                         \
	} name SEC(".maps")

#define MAP_OF_DEVMAPS(name)                                                                       \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);                                          \
		__uint(max_entries, 1);                                                            \
		__type(key, __u32);                                                                \
		__array(                                                                           \
		    values, struct {                                                               \
			    __uint(type, BPF_MAP_TYPE_DEVMAP_HASH);                                \
			    __uint(max_entries, 1);                                                \
			    __type(key, __u32);                                                    \
			    __uint(value_size, sizeof(struct bpf_devmap_val));                     \
		    });                                                                            \
	} name SEC(".maps")

#endif
