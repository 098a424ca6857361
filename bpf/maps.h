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

#define DEVMAP(name)                                                                               \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_DEVMAP);                                                 \
		__uint(max_entries, 1);                                                            \
		__type(key, __u32);                                                                \
		__uint(value_size, sizeof(struct bpf_devmap_val));                                 \
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

/* Counted by the egress programs, taken by the tracepoint programs (contract, 6). */
#define FLUSH_MAPS                                                                                 \
	MAP(flush_excluded, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, __u64, 0);                        \
	static __always_inline __u64 *flush_excluded_here(void)                                    \
	{                                                                                          \
		__u32 zero = 0;                                                                    \
		return bpf_map_lookup_elem(&flush_excluded, &zero);                                \
	}

/* Included by whoever needs it: only then does the object hold these maps. */
#define INTERFACE_MAPS                                                                             \
	MAP(interfaces, BPF_MAP_TYPE_ARRAY, 1, __u32, struct xm_interface_row, BPF_F_MMAPABLE);    \
	const volatile __u32 interface_stride; /* rows of one CPU in `interfaces` */               \
	static __always_inline struct xm_interface_row *interface_row(__u32 slot)                  \
	{                                                                                          \
		__u32 index = bpf_get_smp_processor_id() * interface_stride + slot;                \
		return bpf_map_lookup_elem(&interfaces, &index);                                   \
	}

#define INTERFACE_SLOT_MAPS                                                                        \
	MAP(low_slots, BPF_MAP_TYPE_ARRAY, XM_LOW_IFINDEXES, __u32, __u64, BPF_F_MMAPABLE);        \
	MAP(high_slots, BPF_MAP_TYPE_HASH, 1, __u32, __u32, 0);                                    \
	static __always_inline __u32 slot_of_ifindex(__u32 ifindex)                                \
	{                                                                                          \
		if (ifindex < XM_LOW_IFINDEXES) {                                                  \
			__u64 *low = bpf_map_lookup_elem(&low_slots, &ifindex);                    \
			return low ? *low : 0;                                                     \
		}                                                                                  \
		__u32 *high = bpf_map_lookup_elem(&high_slots, &ifindex);                          \
		return high ? *high : 0;                                                           \
	}

#endif
